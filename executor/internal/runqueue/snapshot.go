package runqueue

import (
	"cmp"
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
)

// Snapshot is what waits in a pool at one moment. It is taken with the pool's lock held, and put in
// order without it.
type Snapshot struct {
	see func(*cell.Cell) Waiting

	line     []Waiting // in order
	timed    []Waiting // by their times, in no order
	heldBack []Waiting // outside of the queue, in no order
}

// Waiting is what a snapshot keeps of a task, of which the cell goes on.
type Waiting struct {
	When  int64
	Order uint64
	Plan  *cell.Plan
	Runs  uint64 // of a series
}

// NewSnapshot returns an empty one with room for so many tasks, in memory that has been touched, so
// that taking the snapshot is quick. See says what to keep of a task.
func NewSnapshot(line, timed, heldBack int, see func(*cell.Cell) Waiting) Snapshot {
	return Snapshot{see, roomFor(line), roomFor(timed), roomFor(heldBack)}
}

// roomFor returns an empty slice for n tasks, or a few more.
func roomFor(n int) []Waiting {
	room := make([]Waiting, n+n/64)
	clear(room)
	return room[:0]
}

// AddLine adds a task of the queue that is behind all that have been added so.
func (s *Snapshot) AddLine(c *cell.Cell) { s.line = append(s.line, s.see(c)) }

// AddAside adds a task that waits outside of the queue.
func (s *Snapshot) AddHeldBack(c *cell.Cell) { s.heldBack = append(s.heldBack, s.see(c)) }

func (s *Snapshot) addTimed(c *cell.Cell) { s.timed = append(s.timed, s.see(c)) }

// InOrder returns what waits in the order in which it is due. The tasks outside of the queue go
// between those of it by their times, as far as these are known.
func (s *Snapshot) InOrder() []Waiting {
	slices.SortFunc(s.timed, Waiting.compare)
	queue := Interleave(s.line, s.timed, func(timed, line Waiting) bool {
		return !Stamp{line.When, line.Order}.precedes(timed.When, timed.Order)
	})
	return Interleave(queue, s.heldBack, func(heldBack, queued Waiting) bool {
		return heldBack.When < queued.When
	})
}

func (w Waiting) compare(other Waiting) int {
	return cmp.Or(cmp.Compare(w.When, other.When), cmp.Compare(w.Order, other.Order))
}
