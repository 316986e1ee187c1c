package executor

import (
	"slices"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// Some accepted tasks wait outside of the queue: behind others of their serial executor. They count
// as queued.

// removeAside takes out c wherever it waits outside of the queue.
func (p *Pool) removeHeldBackLocked(c *cell.Cell) bool {
	s := planOf(c).strand
	return s != nil && p.endHoldLocked(s, c)
}

// allAside returns the tasks that wait outside of the queue, in order of submission.
func (p *Pool) allHeldBackLocked() (cells []*cell.Cell) {
	for s := range p.strands.entries {
		cells = append(cells, s.waiting.All()...)
	}
	slices.SortStableFunc(cells, runqueue.Compare)
	return cells
}

// merge puts the tasks that wait outside of the queue between those of the queue, by their times, as far
// as they are known.
func merge(queue, heldBack []*cell.Cell) []*cell.Cell {
	return runqueue.Interleave(queue, heldBack, func(a, b *cell.Cell) bool { return a.When < b.When })
}

// emptyAside takes all of them out.
func (p *Pool) takeHeldBackLocked() []*cell.Cell {
	cells := p.allHeldBackLocked()
	for _, c := range cells {
		p.removeHeldBackLocked(c)
	}
	return cells
}

// vacateLocked tells the serial executors that none of their tasks wait any more.
func (p *Pool) vacateLocked(swept []*cell.Cell) {
	for _, c := range swept {
		if s := planOf(c).strand; s != nil && s.head == c { // or else its head is running, and goes on from there
			s.head = nil
			p.releaseLocked(s)
		}
	}
}
