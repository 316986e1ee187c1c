package simulate

import "github.com/punctual-go/punctual/future"

// auditJob checks a task that is over.
func (u *judge) auditJob(j *job) {
	switch {
	case j.inBody:
		u.fault(&u.report.Stuck, "task %v has not returned", j)
	case !j.submitted:
	case j.future == nil && j.begun == 0 && !u.callbacks.hooked && !j.on.base.ended:
		u.fault(&u.report.Lost, "task %v never ran", j)
	case j.future == nil:
	case !j.future.State().Settled():
		u.fault(&u.report.Lost, "the future of task %v is not settled", j)
	case j.begun == 0 && j.future.State() != future.Cancelled && !u.callbacks.hooked:
		u.fault(&u.report.Lost, "task %v has ended without a run: %v", j, j.future.State())
	}
	if j.ctx != nil && j.id%2 == 0 { // the others have been asked before, or never are
		u.expectEnded(j)
	}
}

// expectEnded checks that the context of a run that is over has ended.
func (u *judge) expectEnded(j *job) {
	select {
	case <-j.ctx.Done():
	default:
		u.fault(&u.report.Lost, "the context of task %v has not ended: Done", j)
	}
	if j.ctx.Err() == nil {
		u.fault(&u.report.Lost, "the context of task %v has not ended: Err", j)
	}
}

// auditHost checks the statistics of a host that has ended, when no call is in progress any more.
func (u *judge) auditHost(h *host) {
	c := h.stats()
	if c.busy+c.queued != 0 || c.accepted != c.completed+c.cancelled+c.returned {
		u.fault(&u.report.Lost, "in the end the counts of %s are %+v", h.name, c)
	}
}
