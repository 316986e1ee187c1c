package eventloop

import (
	"github.com/punctual-go/punctual/executor"
)

// handBackRunLocked hands back the running task if it is a series that would run again. The current
// run goes on, but no other follows, as the loop refuses tasks. The series counts as returned from
// here on, however the run ends; the end of the run settles its future.
func (w *worker) handBackRunLocked() []executor.Pending {
	c := w.exec.Task
	now := w.loop.clock.Now()
	if c == nil || !w.loop.runs.HandBackLocked(c, planOf(c), now) {
		return nil
	}
	w.loop.counts.returned++
	series := w.loop.pendingOf(c)
	series.Scheduled, _ = w.loop.runs.UpcomingLocked(planOf(c), now)
	return []executor.Pending{series}
}

// byTime orders dropped tasks. A series whose next time is not known yet comes last.
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
