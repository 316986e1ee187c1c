package timer

import (
	"errors"
	"fmt"
	"slices"
	"time"
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

// PushUnseen queues a fresh task that is due now and tells nobody. So it runs when the goroutine,
// which waits, goes on for whatever reason, and not before.
func PushUnseen(t *Timer, k *Task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seq++
	k.seq, k.at = t.seq, t.clock.Now()
	k.state.Store(scheduled)
	k.timer.Store(t)
	t.heap.Push(k.at, (*node)(k))
}

// Ring has the goroutine of t go on for nothing.
func Ring(t *Timer) { t.ring() }

// Epoch returns the zero of the clock of t.
func Epoch(t *Timer) time.Time { return t.clock.Time(0) }

// Key returns where k, which is queued, stands in the heap of t.
func Key(t *Timer, k *Task) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	whens, nodes := t.heap.Sorted()
	return time.Duration(whens[slices.Index(nodes, (*node)(k))])
}
