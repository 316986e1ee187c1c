package timer

import (
	"errors"
	"fmt"
)

// Queued returns how many tasks are in the heap of t, cancelled ones included.
func Queued(t *Timer) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heap.Len()
}

// Serving reports whether t has a goroutine.
func Serving(t *Timer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.serving
}

// Validate checks the invariants of a timer whose goroutine waits, or is gone.
func Validate(t *Timer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.heap.Validate(func(n *node) int { return n.place - 1 }); err != nil {
		return err
	}
	switch {
	case t.over != nil && t.heap.Len() > 0:
		return errors.New("tasks are queued in a timer that is over")
	case t.over == nil && t.serving != (t.heap.Len() > 0):
		return fmt.Errorf("%d tasks are queued; is there a goroutine: %v", t.heap.Len(), t.serving)
	}
	whens, nodes := t.heap.Sorted()
	for i, n := range nodes {
		switch s := n.state.Load(); {
		case s != scheduled && s != cancelled:
			return fmt.Errorf("a queued task is in state %d", s)
		case n.timer.Load() != t:
			return errors.New("a queued task does not know its timer")
		case n.period == 0 && n.at != whens[i]:
			return fmt.Errorf("a task for %d is queued for %d", n.at, whens[i])
		}
	}
	return nil
}

// Dropped reports whether k was dropped with its timer.
func Dropped(k *Task) bool { return k.state.Load() == dropped }
