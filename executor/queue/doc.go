// Package queue has the queues in which the tasks of a pool wait for a worker: first in, first out,
// bounded or not, by priority, none at all, or one of your own.
//
//	pool := executor.NewPool(4, executor.MaximumSize(16), executor.Queue(queue.Bounded(1000)))
//
// A pool whose queue is full grows to its maximum size, and after that rejects what is submitted:
// see package rejection. A [WorkQueue] of your own decides the order alone; the pool bounds it, has
// the lock, and does the waiting. A scheduled pool has a queue of its own, which goes by time.
package queue
