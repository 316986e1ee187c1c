package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

// handBackRunLocked hands back the task that runs if it is a series of which that was not to be the
// last run. The run goes on, and no other follows: the loop refuses tasks. It counts as returned
// from here on, however the run ends, which settles its future.
func (l *Loop) handBackRunLocked() []executor.Pending {
	c := l.exec.Task
	if c == nil || !planOf(c).HandBack(c) {
		return nil
	}
	l.counts.returned++
	series := l.pendingOf(c)
	series.Scheduled = time.Time{}
	if next, known := planOf(c).Upcoming(l.clock.Now()); known {
		series.Scheduled = l.clock.Time(next)
	}
	return []executor.Pending{series}
}

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
