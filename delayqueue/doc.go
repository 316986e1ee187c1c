// Package delayqueue is a queue whose elements can be taken once their delay has passed:
// [Queue.Put] inserts an element with a delay, and [Queue.Take] waits for the earliest to be due.
//
//	q := delayqueue.New[string]()
//	q.Put("later", 20*time.Millisecond)
//	q.Put("sooner", 10*time.Millisecond)
//	s, err := q.Take(ctx) // "sooner", 10 ms from now
//
// It is java.util.concurrent's DelayQueue for Go, plus what its users asked for: elements of equal
// time leave in the order they came, a handle removes or reschedules an element in O(log n), and
// the queue can be closed.
//
// # Promises
//
//   - Never early: an element is taken when it is due, or later.
//   - In order: earlier times first, equal times in order of Put.
//   - Exactly once: each element is returned by one Take, Poll or Drain, or removed, or still in
//     the queue.
//   - No element is slept through: a goroutine that leaves Take, with an element, because its
//     context has ended, or because of Close, makes sure that another waits for the next.
//
// What a goroutine does before a Put happens before what another does after taking that element.
//
// # Time
//
// Delays are measured by the monotonic clock, so setting the wall clock does not matter. In an
// otherwise idle process on Linux an element is taken some tens of microseconds after it is due,
// because Take waits on a timerfd: one or two file descriptors, opened when a Take first waits for
// an element and released by Close. Elsewhere Take waits on a time.Timer, which is late by about a
// millisecond.
//
// A queue made inside a testing/synctest bubble follows the bubble's clock exactly. Close it before
// the bubble ends if a goroutine may still be in Take.
package delayqueue
