package eventloop

import (
	"fmt"

	"github.com/punctual-go/punctual/executor/internal/sight"
)

// Expvar returns a variable for expvar.Publish, with the fields of [executor.Pool.Expvar].
func (l *Loop) Expvar() fmt.Stringer { return sight.VarFunc(l.vars) }

func (l *Loop) vars() sight.Vars {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.statsLocked()
	v := sight.Vars{
		Name: s.Name, State: s.State, Workers: 1, Busy: s.Busy, Queued: s.Queued,
		Overdue: int64(l.waiting.overdueLocked()), Accepted: s.Accepted, Rejected: s.Rejected,
		Completed: s.Completed, Cancelled: s.Cancelled, Returned: s.Returned, Runs: s.Runs,
		Failures: s.Failures, Skipped: s.Skipped, Retries: s.Retries, Expired: s.Expired,
		TimedOut: s.TimedOut, Wakeups: s.Wakeups,
	}
	v.MeasuredLocked(&l.runs)
	return v
}
