package executor

import (
	"slices"
	"sync"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// inbox is the unbounded queue of a plain pool, first in, first out. It has two sides with a lock
// each, so that submitters and takers meet only once in a while: submitters append to one segment,
// takers take from another, and when that is empty they are exchanged. It is the idea of the two-lock
// queue of Michael and Scott (PODC 1996), and of java.util.concurrent's LinkedBlockingQueue, with
// arrays instead of nodes. Put and pop are O(1), amortized.
//
// A task without a future is kept as it is, without a cell: nobody can ask for it.
//
// Whoever of the takers' side finds nothing leaves word: the next submission tells the pool. From
// then on submissions are silent, because whoever has been told comes, takes, and looks again.
type inbox struct {
	plan *cell.Plan // of tasks without a cell

	out segment // the takers' side; the pool's lock guards it

	mu       sync.Mutex // guards the submitters' side below; the pool's lock may be held
	in       segment
	word     bool // the next submission is to be told
	closed   bool
	accepted uint64
	rejected uint64
}

// entry is a task with a cell, or bare; or neither, where one has been removed.
type entry struct {
	cell *cell.Cell
	bare Task
}

// put appends e, and reports whether the caller is to tell the pool. It returns ErrShutdown if the
// inbox is closed. It is the one call without the pool's lock.
func (q *inbox) put(e entry) (told bool, err error) {
	q.mu.Lock()
	if q.closed {
		q.rejected++
		q.mu.Unlock()
		return false, ErrShutdown
	}
	q.accepted++
	q.in.push(e)
	told, q.word = q.word, false
	q.mu.Unlock()
	return told, nil
}

// close has put refuse.
func (q *inbox) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

// tally adds to the numbers of tasks accepted and rejected elsewhere, and returns those with the
// number of the tasks that wait, all of one moment.
func (q *inbox) tally(accepted, rejected uint64) (a, r uint64, queued int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return accepted + q.accepted, rejected + q.rejected, q.out.len() + q.in.len()
}

func (q *inbox) push(c *cell.Cell, _ int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.in.push(entry{cell: c})
}

// head exchanges the segments if need be.
func (q *inbox) head() int64 {
	if !q.out.live() {
		q.turn()
		if !q.out.live() {
			return parking.Nothing
		}
	}
	return 0
}

// turn makes the submitters' segment that of the takers, whose is empty.
func (q *inbox) turn() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.in.len() == 0 {
		q.word = true
		return
	}
	q.out, q.in = q.in, q.out.renewed(&q.in)
}

func (q *inbox) pop() (*cell.Cell, Task) {
	e := q.out.pop()
	return e.cell, e.bare
}

func (q *inbox) remove(c *cell.Cell) bool {
	if q.out.remove(c) {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.in.remove(c)
}

func (q *inbox) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.out.len() + q.in.len()
}

func (q *inbox) filter(keep func(*cell.Cell) bool) (out []*cell.Cell) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append(q.out.filter(keep, q.cellOf), q.in.filter(keep, q.cellOf)...)
}

func (q *inbox) tasks() []*cell.Cell {
	q.mu.Lock()
	defer q.mu.Unlock()
	var cells []*cell.Cell
	for _, s := range []*segment{&q.out, &q.in} {
		for _, e := range s.entries[s.taken:] {
			if !e.removed() {
				cells = append(cells, q.cellOf(e))
			}
		}
	}
	return cells
}

// cellOf returns the cell of e, or one for it.
func (q *inbox) cellOf(e entry) *cell.Cell {
	if e.cell != nil {
		return e.cell
	}
	return &cell.Cell{Plan: q.plan, Body: e.bare}
}

func (e entry) removed() bool { return e.cell == nil && e.bare == nil }

// segment is a run of consecutive tasks, from which any with a cell can be removed. A task knows its
// place by a negative Place: -1 minus its position, of which the low bits count.
type segment struct {
	entries []entry
	taken   int    // entries from the front
	holes   int    // entries removed behind these
	base    uint32 // position of the first entry
}

// minSegment is the capacity that a segment may always keep.
const minSegment = 256

func (s *segment) len() int { return len(s.entries) - s.taken - s.holes }

func (s *segment) push(e entry) {
	if e.cell != nil {
		e.cell.Place = -1 - int32((s.base+uint32(len(s.entries)))&positionMask)
	}
	s.entries = append(s.entries, e)
}

// live reports whether there is a task, which is the next entry then.
func (s *segment) live() bool {
	for s.taken < len(s.entries) {
		if !s.entries[s.taken].removed() {
			return true
		}
		s.taken++
		s.holes--
	}
	return false
}

// pop takes the next entry, which is live.
func (s *segment) pop() entry {
	e := s.entries[s.taken]
	s.entries[s.taken] = entry{}
	s.taken++
	if e.cell != nil {
		e.cell.Place = 0
	}
	return e
}

func (s *segment) remove(c *cell.Cell) bool {
	i := int((uint32(-1-c.Place) - s.base) & positionMask)
	if c.Place >= 0 || i >= len(s.entries) || s.entries[i].cell != c {
		return false
	}
	s.entries[i] = entry{}
	s.holes++
	c.Place = 0
	if s.holes > minSegment && s.holes > s.len() {
		s.rebuild(s.entries[s.taken:])
	}
	return true
}

// filter keeps the tasks that keep accepts and returns the others, in order.
func (s *segment) filter(keep func(*cell.Cell) bool, cellOf func(entry) *cell.Cell) (out []*cell.Cell) {
	var kept []entry
	for _, e := range s.entries[s.taken:] {
		if e.removed() {
			continue
		}
		if c := cellOf(e); keep(c) {
			kept = append(kept, e)
		} else {
			c.Place = 0
			out = append(out, c)
		}
	}
	s.rebuild(kept)
	return out
}

// rebuild makes the segment one of these entries, but for those removed.
func (s *segment) rebuild(entries []entry) {
	entries = slices.DeleteFunc(slices.Clone(entries), entry.removed)
	*s = segment{entries: entries[:0], base: s.base}
	for _, e := range entries {
		s.push(e)
	}
}

// renewed returns the segment, which is empty, to follow after the given one. It gives up memory that
// is much more than that one has taken.
func (s *segment) renewed(after *segment) segment {
	next := segment{entries: s.entries[:0], base: after.base + uint32(len(after.entries))}
	if cap(s.entries) > minSegment && cap(s.entries) > 4*len(after.entries) {
		next.entries = nil
	}
	return next
}
