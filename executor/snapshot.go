package executor

import (
	"cmp"
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
)

// snapshot is what waits in a pool at one moment. It is taken with the lock held, and put in order
// without it.
type snapshot struct {
	line  []waiting // in order
	timed []waiting // by their times, in no order
	aside []waiting // outside of the queue, in no order
}

// waiting is what a snapshot keeps of a task, of which the cell goes on.
type waiting struct {
	when  int64
	order uint64
	plan  *plan
	runs  uint64 // of a series
}

func seen(c *cell.Cell) waiting {
	w := waiting{when: c.When, order: c.Order, plan: planOf(c)}
	if w.plan.Periodic() {
		w.runs = w.plan.Runs
	}
	return w
}

// see takes a snapshot. The memory for it is made before, so that nobody has to wait for that.
func (p *Pool) see() (s snapshot) {
	p.mu.Lock()
	line, timed := p.queue.extent()
	aside := p.aside
	p.mu.Unlock()
	s = snapshot{roomFor(line), roomFor(timed), roomFor(aside)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recall()
	p.queue.look(&s)
	for _, c := range p.allAside() {
		s.aside = append(s.aside, seen(c))
	}
	return s
}

// roomFor returns an empty slice for n tasks, or a few more, in memory that has been touched.
func roomFor(n int) []waiting {
	room := make([]waiting, n+n/64)
	clear(room)
	return room[:0]
}

// inOrder returns what waits in the order in which it is due. The tasks aside go between those of
// the queue by their times, as far as these are known.
func (s *snapshot) inOrder() []waiting {
	slices.SortFunc(s.timed, waiting.compare)
	queue := interleave(s.line, s.timed, func(timed, line waiting) bool {
		return !stamp{line.when, line.order}.precedes(timed.when, timed.order)
	})
	return interleave(queue, s.aside, func(aside, queued waiting) bool {
		return aside.when < queued.when
	})
}

func (w waiting) compare(other waiting) int {
	return cmp.Or(cmp.Compare(w.when, other.when), cmp.Compare(w.order, other.order))
}
