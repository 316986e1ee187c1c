// Package lifo is a queue of the user's own, of the obvious kind that no pool brings along: the
// last task comes first. It shows what a pool does with an order that is not its own.
package lifo

import (
	"iter"
	"slices"

	"github.com/punctual-go/punctual/executor/queue"
)

// Queue is a [queue.WorkQueue] whose last task is its first. The zero value is empty.
type Queue struct{ tasks []queue.Task }

// Push adds a task, which becomes the first.
func (q *Queue) Push(t queue.Task) { q.tasks = append(q.tasks, t) }

// Pop takes the first task, or returns nil.
func (q *Queue) Pop() queue.Task {
	if len(q.tasks) == 0 {
		return nil
	}
	last := len(q.tasks) - 1
	t := q.tasks[last]
	q.tasks = q.tasks[:last]
	return t
}

// Remove takes a task out and reports whether it was there.
func (q *Queue) Remove(t queue.Task) bool {
	i := slices.Index(q.tasks, t)
	if i >= 0 {
		q.tasks = slices.Delete(q.tasks, i, i+1)
	}
	return i >= 0
}

// Len returns how many tasks there are.
func (q *Queue) Len() int { return len(q.tasks) }

// All returns the tasks from the first to the last.
func (q *Queue) All() iter.Seq[queue.Task] {
	return func(yield func(queue.Task) bool) {
		for _, t := range slices.Backward(q.tasks) {
			if !yield(t) {
				return
			}
		}
	}
}
