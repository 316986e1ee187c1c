package delayqueue

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
)

// Queue holds elements until they are due. Make one with [New]; the zero Queue is not usable. It is
// safe for concurrent use and must not be copied.
type Queue[E any] struct {
	clock clock.Clock

	// mu guards the fields below and, in every Item of the queue, those that say so. It is never
	// held while a taker waits or while code of the caller's runs.
	mu     sync.Mutex
	heap   heap.Heap[*node[E]] // by time, then by seq
	seq    uint64              // of the element put in or reset last
	lot    *parking.Lot        // where takers wait: one leader, and followers
	spare  []*parking.Waiter   // reused, so that a Take that waits allocates nothing
	closed bool
}

// drainPiece is how many elements Drain takes before it lets others at the queue. That takes some
// tens of microseconds if the queue is large.
const drainPiece = 64

// maxSpare bounds what the queue keeps after a crowd of takers has gone. Fewer than that come and
// go at once in practice.
const maxSpare = 64

// New returns an empty queue. It starts no goroutine. A queue made inside a testing/synctest bubble
// runs on the bubble's clock, and may be used in that bubble only.
func New[E any]() *Queue[E] {
	q := &Queue[E]{clock: clock.New(0)}
	q.lot = parking.New(&q.mu, q.clock)
	return q
}

// Put inserts e, due after delay, and returns a handle to it. It never waits. With a delay of zero
// or less e is due now, behind the elements that are due already. A delay past the end of the
// clock, 292 years away, means never. Put fails only on a closed queue, with [ErrClosed].
// It makes one allocation, and takes O(log n).
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

// PutAt inserts e, due at the given time, or now if that time has passed; the zero time has. It is
// otherwise like [Queue.Put]. The time is converted to the monotonic clock once, during the call:
// setting the wall clock later does not move the element.
func (q *Queue[E]) PutAt(e E, at time.Time) (*Item[E], error) {
	it := &Item[E]{queue: q, value: e}
	when := q.clock.At(at)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	now := q.clock.Now()
	// A time that has passed means now, so that e stands behind what is due already.
	q.insert(it, max(when, now), now)
	return it, nil
}

// Take waits until the earliest element is due, then removes and returns it. Elements come out in
// order of time, equal times in order of Put, and never early.
//
// On a closed queue Take returns [ErrClosed]. Once ctx has ended it returns ctx.Err() and takes
// nothing, even if an element is due; use [Queue.Poll] to take it anyway. A nil ctx never ends.
//
// Of the goroutines in Take one is the leader, and waits for the head to be due; the others follow,
// and wait to be called. An element that becomes due wakes one of them, not all.
func (q *Queue[E]) Take(ctx context.Context) (E, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	e, err := q.take(ctx, ctx.Done())
	if err == errEnded { // ask now, without the lock: ctx.Err may be code of the caller's
		err = context.Canceled // if a broken context closes its channel and reports no error
		if own := ctx.Err(); own != nil {
			err = own
		}
	}
	return e, err
}

// take is Take with the channel of ctx as done. It returns errEnded when done is closed.
func (q *Queue[E]) take(ctx context.Context, done <-chan struct{}) (E, error) {
	var none E
	var w *parking.Waiter
	var now int64
	q.mu.Lock()
	defer func() { // on every way out, even if the caller's context panics in Park
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
		// What Park was told may be outdated when it returns, so everything is checked again.
		if w == nil {
			w = q.arrive()
		}
		q.lot.Park(w, head, now, ctx, done, nil)
	}
}

// ended reports whether done is closed. A nil done never is.
func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// Poll removes and returns the earliest element if it is due, and reports whether it was. It never
// waits, and works on a closed queue too. O(log n).
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

// Peek returns the earliest element and its time, whether or not it is due, and leaves it in the
// queue. It reports false if the queue is empty. O(1).
func (q *Queue[E]) Peek() (e E, at time.Time, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.heap.Len() == 0 {
		return e, at, false
	}
	when, n := q.heap.Min()
	return n.value, q.clock.Time(when), true
}

// Drain removes and returns up to max elements that are due when it is called, in order. If max is
// zero or less, or nothing is due, it returns nil. It never waits, and works on a closed queue too.
//
// It takes a few dozen at a time, and lets others at the queue in between: whoever drains a million
// holds nobody up for long, and another goroutine may take some of them meanwhile.
func (q *Queue[E]) Drain(max int) (out []E) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.clock.Now()
	for len(out) < max {
		if head := q.head(); head == parking.Nothing || head > now {
			break
		}
		out = append(out, q.pop())
		if len(out)%drainPiece == 0 {
			q.leave(nil, now)
			q.mu.Unlock()
			delay.At(delay.PieceDrained)
			q.mu.Lock()
		}
	}
	q.leave(nil, now)
	return out
}

// Len returns the number of elements in the queue, due or not.
func (q *Queue[E]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.heap.Len()
}

// Due returns the number of elements that are due now. It takes time in proportion to that number.
func (q *Queue[E]) Due() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.heap.Early(q.clock.Now())
}

// All returns the elements with their times, in order, and leaves them in the queue. Each loop over
// the sequence walks a snapshot taken as it starts, which costs O(n log n) and a copy. The loop
// body may call the queue.
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

// Close makes every Take, waiting or to come, return [ErrClosed], and every Put fail with it. The
// elements stay: Poll, Peek, Drain, All, Remove and Reset go on working. A second Close does
// nothing.
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
	q.lot.CallAll() // takers may still use the lot's timer: leave closes it once none is parked
}

// The functions below are called with the lock held, except snapshot.

// head returns when the earliest element is due, or Nothing.
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

// arrive returns a place for a taker that has to wait.
func (q *Queue[E]) arrive() *parking.Waiter {
	n := len(q.spare)
	if n == 0 {
		return parking.NewWaiter()
	}
	w := q.spare[n-1]
	q.spare = q.spare[:n-1]
	return w
}

// leave passes the baton: whoever leaves, with an element or without, makes sure that another taker
// looks at the new head in time. Without it a call to a taker that gives up would be lost, and the
// queue would sleep through the next element.
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

// snapshot copies the elements and their times, in order. It takes the lock.
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
