package eventloop

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Measurements returns what has been measured since the loop was made; without [executor.Measure],
// nothing. It copies 1 KiB for each name with the loop locked.
func (l *Loop) Measurements() executor.Measurements {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs.Measure == nil {
		return executor.Measurements{}
	}
	return l.runs.Measure(&l.runs).(executor.Measurements)
}

// History returns what has happened lately; without [executor.KeepHistory], nothing. It takes the lock
// for some microseconds.
func (l *Loop) History() executor.History {
	if l.runs.History == nil {
		return executor.History{}
	}
	return l.runs.History(&l.runs).(executor.History)
}

// Health returns how the loop is; see [executor.Expect]. It is down once it is shut down, and while
// a task has been due for longer than the shortest [executor.SuccessWithin] of a task. It takes the
// lock for O(n) with n tasks of which something is expected, and calls no user code.
func (l *Loop) Health() executor.Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := executor.Health{Status: executor.HealthOK, At: l.clock.Time(l.clock.Now()),
		Pool: l.runs.Name, State: l.stage.String()}
	for _, t := range l.runs.HealthLocked() {
		if t.InTrouble() {
			h.Status = executor.HealthDegraded
		}
		h.Tasks = append(h.Tasks, executor.TaskHealth(t))
	}
	within, overdue := l.runs.ShortestLocked(), l.overdueLocked()
	switch {
	case l.stage != running:
		h.Status, h.Reason = executor.HealthDown, "it is "+h.State
	case within > 0 && overdue > within:
		h.Status = executor.HealthDown
		h.Reason = fmt.Sprintf("it has not been free for %v", overdue.Round(time.Millisecond))
	}
	return h
}

// overdueLocked returns for how long the head of the agenda has been due; 0 if it is not.
func (l *Loop) overdueLocked() time.Duration {
	l.collectLocked()
	c := l.agenda.head()
	if c == nil || c.Phase().Settled() {
		return 0
	}
	return max(time.Duration(l.clock.Now()-c.When), 0)
}
