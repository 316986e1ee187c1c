package executor

import (
	"fmt"

	"github.com/punctual-go/punctual/executor/internal/sight"
)

// Expvar returns a variable for expvar.Publish. Its text is a JSON object of the moment in which it
// is asked for: what [Pool.Stats] has and, with [Measure], how late runs have been and why, and how
// long they have taken. Times are integers that end in _ns. The names of the fields stay.
//
//	expvar.Publish("jobs", pool.Expvar())
//
// To ask it costs what Stats does. This package does not link expvar, which registers an http
// handler.
func (p *Pool) Expvar() fmt.Stringer { return sight.VarFunc(p.vars) }

func (p *Pool) vars() sight.Vars {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.statsLocked()
	v := sight.Vars{
		Name: s.Name, State: s.State, Workers: s.Workers, Busy: s.Busy, Queued: s.Queued,
		Overdue: int64(s.Overdue), Accepted: s.Accepted, Rejected: s.Rejected,
		Completed: s.Completed, Cancelled: s.Cancelled, Returned: s.Returned, Runs: s.Runs,
		Failures: s.Failures, Retries: s.Retries, Expired: s.Expired, TimedOut: s.TimedOut,
		Overrunning: s.Overrunning, Wakeups: s.Wakeups,
	}
	v.MeasuredLocked(&p.runs)
	return v
}
