package floor

import "time"

// Task is one that has been scheduled.
type Task struct {
	run   func()
	shard *shard
	place int // in the heap, from 1 on; 0 if it is not there. Guarded by the shard
}

// Stop takes the task out of its shard at once, and reports whether it was there.
func (t *Task) Stop() bool {
	s := t.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.place == 0 {
		return false
	}
	s.remove(t.place - 1)
	return true
}

// entry is a task in its order: by time, and then by stamp.
type entry struct {
	due, stamp time.Duration // since the queue was made
	*Task
}

func (e *entry) before(o *entry) bool {
	return e.due < o.due || e.due == o.due && e.stamp < o.stamp
}
