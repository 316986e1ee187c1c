package executor

import (
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// inbox is the unbounded queue of a plain pool, first in, first out, and the line of a scheduled one. It has two sides with a lock
// each, so that submitters and takers meet only once in a while: submitters append to one segment,
// takers take from another, and when that is empty they are exchanged. It is the idea of the two-lock
// queue of Michael and Scott (PODC 1996), and of java.util.concurrent's LinkedBlockingQueue, with
// blocks instead of nodes. Put and pop are O(1), amortized.
//
// A task without a future is kept as it is, without a cell: nobody can ask for it.
//
// Whoever of the takers' side finds nothing leaves word: the next submission tells the pool. From
// then on submissions are silent, because whoever has been told comes, takes, and looks again.
//
// The inbox of a scheduled pool stamps what comes; see [delayedWorkQueue].
type inbox struct {
	plan  *cell.Plan     // of tasks without a cell
	order *atomic.Uint64 // of the last task that came to the heap; nil in a plain pool, which has none
	free  sync.Pool      // of blocks

	out segment // the takers' side; the pool's lock guards it

	_ apart

	mu       sync.Mutex // guards the submitters' side below; the pool's lock may be held
	in       segment
	last     int64       // the time of the last stamp
	word     atomic.Bool // the next submission is to be told; read without the lock
	closed   bool
	accepted uint64
	rejected uint64
}

// apart keeps what different processors write at the same time in different cache lines.
type apart [64]byte

func newInbox(plan *cell.Plan) *inbox {
	q := &inbox{plan: plan}
	q.word.Store(true)
	q.in.free, q.out.free = &q.free, &q.free
	return q
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
	if q.order != nil && e.when != unread {
		q.stamp(&e)
	}
	q.in.push(e)
	if told = q.word.Load(); told {
		q.word.Store(false)
	}
	q.mu.Unlock()
	return told, nil
}

// stamp completes the stamp of e, which has its time. Those who read the clock at the same time may come
// in another order. The lock is held.
func (q *inbox) stamp(e *entry) {
	q.last = max(q.last, e.when)
	e.stamp = stamp{q.last, q.order.Load()}
	if e.cell != nil {
		e.cell.When, e.cell.Order = e.when, e.after
	}
}

// close has put refuse.
func (q *inbox) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

// tally adds to the numbers of tasks accepted and rejected elsewhere, and returns those with the
// number of the tasks that wait, all of the moment in which it calls also: nothing comes meanwhile.
func (q *inbox) tally(accepted, rejected uint64, also func()) (a, r uint64, queued int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	also()
	return accepted + q.accepted, rejected + q.rejected, q.out.len() + q.in.len()
}

func (q *inbox) push(c *cell.Cell) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.in.push(entry{slot: slot{cell: c}})
	q.word.Store(false) // who adds a task with the pool's lock held tells the pool
}

func (q *inbox) head() (when int64, due bool) {
	if !q.live() {
		return parking.Nothing, false
	}
	return 0, true
}

// live reports whether there is a task, which is the next of the takers' segment then. It exchanges the
// segments if need be. If the last who found nothing has left word that still stands, nothing has come.
func (q *inbox) live() bool {
	if q.out.live() {
		return true
	}
	if q.word.Load() {
		return false
	}
	q.turn()
	return q.out.live()
}

// turn makes the submitters' segment that of the takers, whose is empty.
func (q *inbox) turn() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.in.len() == 0 {
		q.word.Store(true)
		return
	}
	q.out, q.in = q.in, q.out.renewed(&q.in)
}

func (q *inbox) pop(int64) entry { return q.out.pop() }

// putBack makes the tasks, which were taken one after another, the first again.
func (q *inbox) putBack(tasks []Task) { q.out.unpop(tasks) }

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
	for _, s := range []*segment{&q.out, &q.in} {
		var kept []entry
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

func (q *inbox) look(s *snapshot) {
	q.mu.Lock()
	defer q.mu.Unlock()
	bare := q.plan.Detail.(*plan)
	for _, side := range []*segment{&q.out, &q.in} {
		for e := range side.all() {
			if e.cell != nil {
				s.line = append(s.line, seen(e.cell))
			} else {
				s.line = append(s.line, waiting{when: e.when, order: e.after, plan: bare})
			}
		}
	}
}

func (q *inbox) extent() (line, timed int) { return q.len(), 0 }

// cellOf returns the cell of e, or one for it.
func (q *inbox) cellOf(e entry) *cell.Cell {
	if e.cell != nil {
		return e.cell
	}
	return &cell.Cell{Plan: q.plan, Body: e.bare, When: e.when, Order: e.after}
}
