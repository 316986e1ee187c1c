package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/future"
)

// TaskStatus is how a task is at one moment.
type TaskStatus struct {
	Name   string
	Kind   Kind
	State  future.State
	Paused bool
	Unique bool

	Period time.Duration // or delay, as it is now; 0 without one
	Next   time.Time     // when the next run is due, see [Handle.Next]; zero if that says false
	Runs   uint64        // that have begun

	// Calendar is that of a task of [ScheduledPool.On], as it was given: it is the user's code, so
	// call it as such. It is nil for others, and once the task has ended.
	Calendar Calendar  `json:"-"`
	Until    time.Time // no run is planned for then or later, see [Until]; zero without
	Left     uint64    // runs that may still begin, see [MaxRuns]; 0 without, and in the last

	Last *LastRun // the last run that has ended; nil for a task that runs once

	// Health says whether what is expected of it holds; nil if nothing is, see [Expect].
	Health *insight.TaskHealth
}

// Status returns how the task is. It takes the lock for less than a microsecond.
func (h Handle) Status() TaskStatus {
	o, pl, ok := h.commanded()
	if !ok {
		return TaskStatus{Kind: Once, State: h.State()}
	}
	o.Lock.Lock()
	inner := o.StatusLocked(h.cell(), pl)
	health := taskHealthLocked(o, pl)
	o.Lock.Unlock()
	s := TaskStatus{Name: pl.Name, Kind: h.Kind(), State: future.State(inner.Phase),
		Paused: inner.Paused, Unique: pl.Unique, Period: inner.Period, Next: inner.Next,
		Runs: inner.Runs, Calendar: inner.Calendar, Until: inner.Until, Left: inner.Left,
		Health: health}
	if inner.Last != nil {
		last := lastRunOf(*inner.Last)
		s.Last = &last
	}
	return s
}
