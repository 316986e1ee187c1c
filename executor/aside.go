package executor

import (
	"slices"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// Some accepted tasks wait outside of the queue: behind others of their serial executor. They count
// as queued.

// removeAside takes out c wherever it waits outside of the queue. The lock is held.
func (p *Pool) removeAside(c *cell.Cell) bool {
	s := planOf(c).strand
	return s != nil && p.unhold(s, c)
}

// allAside returns the tasks that wait outside of the queue, in order of submission. The lock is held.
func (p *Pool) allAside() (cells []*cell.Cell) {
	for s := range p.strands.entries {
		cells = append(cells, s.waiting.All()...)
	}
	slices.SortStableFunc(cells, runqueue.Compare)
	return cells
}

// merge puts the tasks that wait outside of the queue between those of the queue, by their times, as far
// as they are known.
func merge(queue, aside []*cell.Cell) []*cell.Cell {
	return runqueue.Interleave(queue, aside, func(a, b *cell.Cell) bool { return a.When < b.When })
}

// emptyAside takes all of them out. The lock is held.
func (p *Pool) emptyAside() []*cell.Cell {
	cells := p.allAside()
	for _, c := range cells {
		p.removeAside(c)
	}
	return cells
}

// vacate tells the serial executors that none of their tasks wait any more. The lock is held.
func (p *Pool) vacate(swept []*cell.Cell) {
	for _, c := range swept {
		if s := planOf(c).strand; s != nil && s.head == c { // or else its head is running, and goes on from there
			s.head = nil
			p.release(s)
		}
	}
}
