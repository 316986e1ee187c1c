package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/cell"
)

// handBackRunLocked hands back the task that runs if it is a series of which that was not to be the
// last run. The run goes on, and no other follows: the loop refuses tasks. It counts as returned
// from here on, however the run ends, which settles its future.
func (l *Loop) handBackRunLocked() []executor.Pending {
	c := l.task
	if c == nil {
		return nil
	}
	pl := planOf(c)
	if !pl.Periodic() || pl.Last() || c.Phase() != cell.Running || !pl.ends() {
		return nil
	}
	l.counts.returned++
	series := l.pendingOf(c)
	series.Scheduled = time.Time{}
	if next, known := pl.Upcoming(l.clock.Now()); known {
		series.Scheduled = l.clock.Time(next)
	}
	return []executor.Pending{series}
}

// ends reports whether the end of the task that has come is still to be counted. A run may end, or
// be cancelled, after the series has been handed back: a series counts once. A task that is none
// ends once by itself, and may share its plan.
func (pl *plan) ends() bool { return !pl.Periodic() || pl.counted.CompareAndSwap(false, true) }

// byTime orders dropped tasks. A series without a time has not got its next.
func byTime(a, b executor.Pending) int {
	switch {
	case a.Scheduled.IsZero() && b.Scheduled.IsZero():
		return 0
	case a.Scheduled.IsZero():
		return 1
	case b.Scheduled.IsZero():
		return -1
	}
	return a.Scheduled.Compare(b.Scheduled)
}
