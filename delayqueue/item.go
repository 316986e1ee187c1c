package delayqueue

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Item is the place of one element in its queue. It is safe for concurrent use. The zero Item is
// in no queue.
type Item[E any] struct {
	queue *Queue[E]

	// guarded by queue.mu
	seq   uint64
	place int // 1 + index in the heap; 0 when out of it
	value E
}

// Remove takes the element out of its queue and reports whether this call did: false when it has
// been taken or removed before. The queue keeps no reference to it. O(log n).
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
	return true
}

// Reset makes the element due after delay, counted from now, as if it had been put in anew: among
// elements of equal time it is the last. It reports whether the element was still in the queue; a
// taken or removed element stays out. O(log n).
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

// SetIndex is called by the queue.
func (n *node[E]) SetIndex(i int) { n.place = i + 1 }

// Seq is called by the queue.
func (n *node[E]) Seq() uint64 { return n.seq }

// node is an Item as the heap sees it, so that Item shows callers no method of the heap's.
type node[E any] Item[E]

// release forgets the value, so that a handle kept by the caller does not hold it.
func (it *Item[E]) release() E {
	var none E
	v := it.value
	it.value = none
	return v
}
