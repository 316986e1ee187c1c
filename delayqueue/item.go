package delayqueue

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Item is a handle to one element of a [Queue], returned by Put. It is safe for concurrent use. A
// nil or zero Item stands for an element that is in no queue.
type Item[E any] struct {
	queue *Queue[E]

	// queue.mu guards the fields below.
	seq   uint64 // order among elements of equal time
	place int    // 1 + index in the heap; 0 when not in it
	value E      // zero once the element has left
}

// Peek returns the element and its time, and leaves it in the queue. It reports false, and returns
// neither, if the element was taken or removed. O(1).
func (it *Item[E]) Peek() (e E, at time.Time, ok bool) {
	if it == nil || it.queue == nil {
		return e, at, false
	}
	q := it.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if it.place == 0 {
		return e, at, false
	}
	return it.value, q.clock.Time(q.heap.When(it.place - 1)), true
}

// Remove takes the element out of its queue and reports whether it did: false if the element was
// taken or removed before. Afterwards neither the queue nor the handle refers to it. O(log n).
func (it *Item[E]) Remove() bool {
	if it == nil || it.queue == nil {
		return false
	}
	q := it.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if it.place == 0 {
		return false
	}
	q.heap.Remove(it.place - 1)
	it.release()
	return true // nobody is told: a leader that waits for this element wakes once, and looks again
}

// Reset makes the element due after delay, counted from now, as if it had just been put in: among
// elements of equal time it comes last. It reports whether the element was still in the queue; one
// that was taken or removed stays out. The delay means what it means to [Queue.Put]. O(log n).
func (it *Item[E]) Reset(delay time.Duration) bool {
	if it == nil || it.queue == nil {
		return false
	}
	q := it.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if it.place == 0 {
		return false
	}
	now := q.clock.Now()
	q.seq++
	it.seq = q.seq
	q.heap.Update(it.place-1, clock.Later(now, delay))
	q.lot.Notify(q.head(), now, false)
	return true
}

// SetIndex is called by the heap, with -1 when the node leaves it.
func (n *node[E]) SetIndex(i int) { n.place = i + 1 }

// Seq is called by the heap, to order nodes of equal time.
func (n *node[E]) Seq() uint64 { return n.seq }

// node is an Item as the heap sees it. It keeps the heap's methods out of the public Item.
type node[E any] Item[E]

// release returns the value and forgets it, so that a handle the caller keeps does not retain it.
func (it *Item[E]) release() E {
	var none E
	v := it.value
	it.value = none
	return v
}
