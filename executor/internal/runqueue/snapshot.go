package runqueue

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Snapshot is what waits in a pool at one moment. It is taken with the pool's lock held, and sorted
// without it.
type Snapshot struct {
	see  func(*cell.Cell) Waiting
	most int // how many tasks are asked for: those that come first

	line     []Waiting // in order
	timed    []Waiting // by time, unsorted
	heldBack []Waiting // outside the queue, unsorted
}

// Waiting is what a snapshot copies of a task, as the cell itself goes on changing.
type Waiting struct {
	When  int64
	Order uint64
	Plan  *cell.Plan
	Runs  uint64 // of a series

	Timeless bool      // it waits for no time: it is paused, or never due
	OnWall   time.Time // of a task that waits on the wall clock

	// Cell is the task itself. Of a task without a future it is not to be used.
	Cell *cell.Cell
}

// NewSnapshot returns an empty snapshot with room for so many tasks. See says what to copy of a
// task.
func NewSnapshot(line, timed, heldBack int, see func(*cell.Cell) Waiting) Snapshot {
	return Snapshot{see, math.MaxInt, roomFor(line), roomFor(timed), roomFor(heldBack)}
}

// NewGlance is NewSnapshot for the first tasks of a queue only, so many at most.
func NewGlance(most int, see func(*cell.Cell) Waiting) Snapshot {
	return Snapshot{see: see, most: most}
}

// First returns the first of the tasks in order, as many as are asked for at most.
func (s *Snapshot) First() []Waiting {
	first := s.InOrder()
	return first[:min(len(first), s.most)]
}

// roomFor returns an empty slice with room for n tasks, or a few more that may come before the lock
// is taken. It touches the memory, so that no page fault prolongs the time under the lock.
func roomFor(n int) []Waiting {
	room := make([]Waiting, n+n/64)
	clear(room)
	return room[:0]
}

// AddLine adds a task of the queue that comes after all added so far. It reports false if no other
// is needed.
func (s *Snapshot) AddLine(c *cell.Cell) bool { return s.addLine(s.see(c)) }

func (s *Snapshot) addLine(w Waiting) bool {
	s.line = append(s.line, w)
	return len(s.line) < s.most
}

// AddHeldBack adds a task that waits outside the queue.
func (s *Snapshot) AddHeldBack(c *cell.Cell) { s.heldBack = append(s.heldBack, s.see(c)) }

func (s *Snapshot) addTimed(c *cell.Cell) { s.timed = append(s.timed, s.see(c)) }

// InOrder returns the waiting tasks in the order in which they are due. Tasks outside the queue are
// merged in by their times, as far as these are known.
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
