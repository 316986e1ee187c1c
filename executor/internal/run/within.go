package run

import (
	"context"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// RefuseLate returns nil, or the error with which to refuse a task whose submission comes too late:
// the context within which it is to run has ended. The error matches rejected.
func (r *Reporter) RefuseLate(pl *Plan, rejected error) error {
	if pl.Within == nil || !cell.HasEnded(pl.Within) {
		return nil
	}
	return cell.Joined(r.Refusal(pl.Name, "task rejected", rejected), cell.EndOf(pl.Within))
}

// Follow makes c, which has been accepted, end with the context within which it is to run, if it
// has one. What that keeps for it is let go when c is settled. The lock must not be held: methods
// of the context are called here, and on the goroutine that settles c.
func (s *Settling) Follow(c *cell.Cell, pl *Plan) {
	if pl.Within == nil || c.Phase().Settled() {
		return
	}
	stop := context.AfterFunc(pl.Within, func() { s.cancel(c, pl.Within) })
	c.Watch(func() { stop() })
}

// cancel cancels c for the end of ctx. The owner does not end before that has been counted: nobody
// else knows that the call is in progress.
func (s *Settling) cancel(c *cell.Cell, ctx context.Context) {
	s.settles()
	defer s.EndSettling()
	cause := context.Cause(ctx)
	c.Cancel(future.CancelledError(cause), cause, true)
}

// isLate reports whether the context has ended within which the task is to run, and then cancels
// the task. Whoever is to do that on behalf of the context may still be on its way, and a body must
// not begin after the end.
func (x *Execution) isLate() bool {
	within := x.Plan.Within
	if !cell.HasEnded(within) {
		return false
	}
	x.Owner.cancel(x.Task, within)
	return true
}
