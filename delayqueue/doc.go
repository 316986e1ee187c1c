// Package delayqueue is a queue whose elements can be taken once their delay has passed:
// [Queue.Put] them with a delay, [Queue.Take] them when due. It is java.util.concurrent's
// DelayQueue for Go, with what its users asked for beside it: elements of equal time leave in the
// order they came, a handle removes or re-times an element in O(log n), and the queue can be
// closed.
//
//	q := delayqueue.New[string]()
//	q.Put("later", 20*time.Millisecond)
//	q.Put("sooner", 10*time.Millisecond)
//	s, err := q.Take(ctx) // "sooner", 10 ms from now
//
// # Promises
//
// Never early: an element is taken at or after its time. In order: earlier time first, equal times
// in order of Put. Exactly once: an element is taken by one Take, Poll or Drain, or removed, or
// still there. No taker sleeps through an element: when a taker leaves, by an element, by its
// context or by Close, another takes up the wait.
//
// What a goroutine does before Put happens before what another does after taking the element.
//
// # Time
//
// Delays run on the monotonic clock; setting the wall clock does not matter. On an idle Linux
// process an element is taken some tens of microseconds after its time, because the leader waits
// on a timerfd; elsewhere the grain of time.Timer, about a millisecond, applies. A queue made
// inside a testing/synctest bubble follows the bubble's clock exactly. Close the queue before the
// bubble ends if a goroutine may still be in Take.
//
// The Linux timer is one file descriptor, opened when a Take first waits for an element and
// released by Close.
package delayqueue
