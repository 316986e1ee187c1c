package delayqueue

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
)

// Queue holds elements until they are due. The zero value is not ready for use: call [New]. It is
// safe for concurrent use.
//
// One lock guards everything, and nothing of the caller's runs under it.
type Queue[E any] struct {
	clock clock.Clock

	mu     sync.Mutex
	heap   heap.Heap[*node[E]]
	seq    uint64
	lot    *parking.Lot
	spare  []*parking.Waiter // places of takers that have gone
	closed bool
}

// maxSpare is more places than takers that come and go at once.
const maxSpare = 64

// New returns an empty queue. Inside a testing/synctest bubble the queue lives on the bubble's
// clock and must be used in that bubble only.
func New[E any]() *Queue[E] {
	q := &Queue[E]{clock: clock.New(0)}
	q.lot = parking.New(&q.mu, q.clock)
	return q
}

// Put inserts e, to be due after delay, and returns its handle. It never waits. A delay of zero or
// less means due now, behind the elements that are due already; one that would pass the end of the
// clock means never (292 years). It fails with [ErrClosed] only. One allocation; O(log n).
func (q *Queue[E]) Put(e E, delay time.Duration) (*Item[E], error) {
	it := &Item[E]{queue: q, value: e}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	now := q.clock.Now()
	q.insert(it, clock.Later(now, delay), now)
	return it, nil
}

// PutAt inserts e, to be due at the given time; a time gone by means now. The time is turned into
// one of the monotonic clock once, at the call: setting the wall clock later does not move the
// element.
func (q *Queue[E]) PutAt(e E, at time.Time) (*Item[E], error) {
	it := &Item[E]{queue: q, value: e}
	when := q.clock.At(at)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	now := q.clock.Now()
	q.insert(it, max(when, now), now)
	return it, nil
}

// Take waits for the earliest element to be due, and removes and returns it. Elements come out in
// the order of their times, those of equal time in the order they were put in, and never early. If
// ctx has ended Take returns its error and takes nothing, even when an element is due; [Queue.Poll]
// takes it regardless. On a closed queue it returns [ErrClosed]. A nil ctx never ends.
//
// Of the goroutines in Take one, the leader, waits for the time of the head; the others, the
// followers, wait for a call. An element that becomes due wakes one of them.
func (q *Queue[E]) Take(ctx context.Context) (E, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	e, err := q.take(ctx, ctx.Done())
	if err == errEnded { // not asked under the lock: a context may be the caller's code
		err = context.Canceled
		if own := ctx.Err(); own != nil {
			err = own
		}
	}
	return e, err
}

// take is Take for a context whose channel is done; when that closes it returns errEnded.
func (q *Queue[E]) take(ctx context.Context, done <-chan struct{}) (E, error) {
	var none E
	var w *parking.Waiter
	var now int64
	q.mu.Lock()
	defer func() { // on every way out, a panic of the caller's context included
		q.leave(w, now)
		q.mu.Unlock()
	}()
	for {
		now = q.clock.Now()
		head := q.head()
		switch {
		case q.closed:
			return none, ErrClosed
		case ended(done):
			return none, errEnded
		case head != parking.Nothing && head <= now:
			return q.pop(), nil
		}
		if w == nil {
			w = q.arrive()
		}
		q.lot.Park(w, head, now, ctx, done, nil)
	}
}

func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// Poll removes and returns the earliest element if it is due. It never waits.
func (q *Queue[E]) Poll() (E, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.clock.Now()
	if head := q.head(); head == parking.Nothing || head > now {
		var none E
		return none, false
	}
	e := q.pop()
	q.leave(nil, now)
	return e, true
}

// Peek returns the earliest element, due or not, and its time, and leaves it in the queue.
func (q *Queue[E]) Peek() (e E, at time.Time, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.heap.Len() == 0 {
		return e, at, false
	}
	when, n := q.heap.Min()
	return n.value, q.clock.Time(when), true
}

// Drain removes and returns at most max elements that are due, in order; none if max is not
// positive. It never waits.
func (q *Queue[E]) Drain(max int) []E {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []E
	now := q.clock.Now()
	for len(out) < max {
		if head := q.head(); head == parking.Nothing || head > now {
			break
		}
		out = append(out, q.pop())
	}
	q.leave(nil, now)
	return out
}

// Len returns the number of elements, due or not.
func (q *Queue[E]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.heap.Len()
}

// All returns the elements with their times, in order. Each use of the sequence walks a snapshot
// taken when it starts: O(n log n) and a copy, with the lock held for the copy only.
func (q *Queue[E]) All() iter.Seq2[time.Time, E] {
	return func(yield func(time.Time, E) bool) {
		times, elements := q.snapshot()
		for i, e := range elements {
			if !yield(times[i], e) {
				return
			}
		}
	}
}

// Close ends every Take, running and to come, with [ErrClosed], and refuses every Put. The
// elements stay: Poll, Drain, All and Remove work on. Closing twice is harmless.
func (q *Queue[E]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed = true
	if q.lot.Idle() == 0 {
		q.lot.Close()
		return
	}
	q.lot.CallAll()
}

// The functions below are called with the lock held.

func (q *Queue[E]) head() int64 {
	if q.heap.Len() == 0 {
		return parking.Nothing
	}
	when, _ := q.heap.Min()
	return when
}

func (q *Queue[E]) insert(it *Item[E], when, now int64) {
	q.seq++
	it.seq = q.seq
	q.heap.Push(when, (*node[E])(it))
	q.lot.Notify(q.head(), now, false)
}

func (q *Queue[E]) pop() E { return (*Item[E])(q.heap.Pop()).release() }

// arrive gives a taker that must wait its place.
func (q *Queue[E]) arrive() *parking.Waiter {
	n := len(q.spare)
	if n == 0 {
		return parking.NewWaiter()
	}
	w := q.spare[n-1]
	q.spare = q.spare[:n-1]
	return w
}

// leave passes the baton: whoever goes, with an element or without, sees to it that somebody
// looks after the rest.
func (q *Queue[E]) leave(w *parking.Waiter, now int64) {
	if w != nil && len(q.spare) < maxSpare {
		q.spare = append(q.spare, w)
	}
	if q.closed {
		if w != nil && q.lot.Idle() == 0 {
			q.lot.Close()
		}
		return
	}
	q.lot.Notify(q.head(), now, false)
}

func (q *Queue[E]) snapshot() ([]time.Time, []E) {
	q.mu.Lock()
	defer q.mu.Unlock()
	whens, nodes := q.heap.Sorted()
	times, elements := make([]time.Time, len(nodes)), make([]E, len(nodes))
	for i, n := range nodes {
		times[i], elements[i] = q.clock.Time(whens[i]), n.value
	}
	return times, elements
}
