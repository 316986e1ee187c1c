package runqueue

import (
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// Inbox is the unbounded queue of a plain pool, first in, first out, and the line of a scheduled
// one. It has two sides, each with a lock, so that submitters and takers rarely meet: submitters
// append to one segment, takers take from another, and when that one is empty the two are
// exchanged. That is the idea of the two-lock queue of Michael and Scott (PODC 1996), and of
// java.util.concurrent's LinkedBlockingQueue, with blocks instead of nodes. Put and Pop are O(1),
// amortized.
//
// A task without a future is kept as its body alone: nobody can ask about it, so it needs no cell.
//
// A taker that finds nothing leaves word, and the next submission tells the pool. The submissions
// after it stay silent, as the taker who has been told comes, takes, and looks again:
//
//	silent -> word    turn: a taker has found nothing
//	word   -> silent  Put: the caller tells the pool; or Push
//
// The inbox of a scheduled pool stamps what comes in; see [Delayed].
type Inbox struct {
	plan     *cell.Plan // shared by the tasks without a cell
	sequence *Sequence  // of the tasks in the heap; nil in a plain pool
	free     sync.Pool  // empty blocks

	out segment // the takers' side; the pool's lock guards it

	_ [64]byte // keeps what submitters write out of the takers' cache line

	mu       sync.Mutex // guards the submitters' side, below; comes after the pool's lock
	in       segment
	last     int64       // time of the last stamp
	word     atomic.Bool // the next submission is to tell; read without the lock
	closed   bool
	accepted uint64
	rejected uint64
}

// NewInbox returns an empty inbox. Plan is that of its tasks without a cell. Sequence numbers the
// tasks in the heap of a scheduled pool; in a plain one it is nil.
func NewInbox(plan *cell.Plan, sequence *Sequence) *Inbox {
	q := &Inbox{plan: plan, sequence: sequence}
	q.word.Store(true)
	q.in.free, q.out.free = &q.free, &q.free
	return q
}

// Put appends e. It reports whether the caller has to tell the pool, and whether the inbox is open;
// a closed one refuses e and counts that. Put is the one call made without the pool's lock.
func (q *Inbox) Put(e Entry) (told, open bool) {
	q.mu.Lock()
	if q.closed {
		q.rejected++
		q.mu.Unlock()
		return false, false
	}
	q.accepted++
	if q.sequence != nil && e.When != Unread {
		q.stamp(&e)
	}
	q.in.push(e)
	// A load is cheaper than the store, and nearly always enough.
	if told = q.word.Load(); told {
		q.word.Store(false)
	}
	q.mu.Unlock()
	return told, true
}

// stamp completes the stamp of e, which has its time already. Two submitters may read the clock in
// one order and get here in the other; the line must be sorted, so a stamp is never below the one
// before. q.mu is held.
func (q *Inbox) stamp(e *Entry) {
	after := uint64(e.When) // the submitter has just read it
	if !q.sequence.reads {
		after = q.sequence.count.Load()
	}
	q.last = max(q.last, e.When)
	e.Stamp = Stamp{q.last, after}
	if e.Cell != nil {
		e.Cell.When, e.Cell.Order = e.When, e.After
	}
}

// Close makes Put refuse from now on.
func (q *Inbox) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

// Tally returns how many tasks were accepted and rejected, the given numbers from elsewhere
// included, and how many wait, as one consistent snapshot. It calls also inside it.
func (q *Inbox) Tally(accepted, rejected uint64, also func()) (a, r uint64, queued int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	also()
	return accepted + q.accepted, rejected + q.rejected, q.out.len() + q.in.len()
}

// Push appends a task that the pool has accepted itself; the pool also tells itself about it.
func (q *Inbox) Push(c *cell.Cell, _ int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.in.push(Entry{Slot: Slot{Cell: c}})
	q.word.Store(false)
}

// Head implements [Queue].
func (q *Inbox) Head() (when int64, due bool) {
	if !q.live() {
		return parking.Nothing, false
	}
	return 0, true
}

// live reports whether there is a task, which is then the next in the takers' segment. It exchanges
// the segments if it has to. If the word left by a taker still stands, nothing has come since, and
// the submitters' lock need not be taken.
func (q *Inbox) live() bool {
	if q.out.live() {
		return true
	}
	if q.word.Load() {
		return false
	}
	q.turn()
	return q.out.live()
}

// turn gives the submitters' segment to the takers, whose own is empty; or leaves word if that is
// empty too. Both happen under the submitters' lock, so no submission falls between.
func (q *Inbox) turn() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.in.len() == 0 {
		q.word.Store(true)
		return
	}
	q.out, q.in = q.in, q.out.renewed(&q.in)
}

// Pop implements [Queue].
func (q *Inbox) Pop(int64) Entry { return q.out.pop() }

// Row returns with how many bare tasks the takers' side begins, as far as they fit into a [Batch].
func (q *Inbox) Row() int { return q.out.row() }

// Remove implements [Queue].
func (q *Inbox) Remove(c *cell.Cell) bool {
	if q.out.remove(c) {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.in.remove(c)
}

// Len implements [Queue].
func (q *Inbox) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.out.len() + q.in.len()
}

// Filter implements [Queue].
func (q *Inbox) Filter(keep func(*cell.Cell) bool) (out []*cell.Cell) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.filter(keep)
}

// filter is Filter for a caller who has locked q.
func (q *Inbox) filter(keep func(*cell.Cell) bool) (out []*cell.Cell) {
	for _, s := range []*segment{&q.out, &q.in} {
		var kept []Entry
		for _, e := range s.entries() {
			if c := q.cellOf(e); keep(c) {
				kept = append(kept, e)
			} else {
				c.Place = 0
				out = append(out, c)
			}
		}
		s.rebuild(kept)
	}
	return out
}

// Look implements [Queue].
func (q *Inbox) Look(s *Snapshot) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.look(s)
}

// look is Look for a caller who has locked q.
func (q *Inbox) look(s *Snapshot) {
	for _, side := range []*segment{&q.out, &q.in} {
		for e := range side.all() {
			w := Waiting{When: e.When, Order: e.After, Plan: q.plan}
			if e.Cell != nil {
				w = s.see(e.Cell)
			}
			if !s.addLine(w) {
				return
			}
		}
	}
}

// Extent implements [Queue].
func (q *Inbox) Extent() (line, timed int) { return q.Len(), 0 }

// cellOf returns the cell of e, or makes one for a bare task.
func (q *Inbox) cellOf(e Entry) *cell.Cell {
	if e.Cell != nil {
		return e.Cell
	}
	return &cell.Cell{Plan: q.plan, Body: e.Body, When: e.When, Order: e.After}
}
