package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Admission tells what watches an owner of tasks that come to it.
type Admission struct{ *Env }

// Admit accepts c in the given way and tells the tap of it before it can begin; and afterwards, if
// it has been refused. That is called for only if the owner is Observed, or something is Expected
// of the task. In is when it is to run first, counted from now. If an observer ends the goroutine,
// c is not offered at all, and Admit calls refused, which counts that.
func (ad *Admission) Admit(
	c *cell.Cell, pl *Plan, in time.Duration, accept func() error, refused func(),
) error {
	if pl.Past != nil {
		in = pl.FirstIn(in, ad.Clock.Now())
	}
	first := ad.about(pl, in)
	offered, returned := false, false
	defer func() {
		if !offered {
			refused()
		}
		// An observer or a policy has ended the goroutine, or that has panicked; or a task has,
		// which the caller runs.
		if !returned && !ad.Accepted(c) {
			ad.Rejected(c, pl, first, nil)
		}
	}()
	ad.Admitted(c, pl, in, first)
	offered = true
	err := accept()
	returned = true
	if err != nil {
		ad.Rejected(c, pl, first, err)
	}
	return err
}

// Announce tells the tap of a task that is about to be accepted, to run first so long from now. If
// it is refused after all, the caller passes what Announce returns on to Rejected.
func (ad *Admission) Announce(c *cell.Cell, pl *Plan, in time.Duration) (first Info) {
	if ad.Observed || pl.Expected() {
		if pl.Past != nil {
			in = pl.FirstIn(in, ad.Clock.Now())
		}
		first = ad.about(pl, in)
		ad.Admitted(c, pl, in, first)
	}
	return first
}

// about describes a task that is about to be accepted, if the tap is told of it.
func (ad *Admission) about(pl *Plan, in time.Duration) (first Info) {
	if !ad.Observed {
		return first
	}
	return Info{Name: pl.Name, Scheduled: ad.Clock.Time(ad.Clock.Now()).Add(in),
		Periodic: pl.Periodic()}
}

// Accepted reports whether c, which has not come through an inbox, has been accepted: then it has a
// number.
func (ad *Admission) Accepted(c *cell.Cell) bool {
	ad.Lock.Lock()
	defer ad.Lock.Unlock()
	return c.Order != 0
}

// Rejected tells the tap that a task which has been announced is refused.
func (ad *Admission) Rejected(c *cell.Cell, pl *Plan, first Info, err error) {
	if ad.Observed || pl.Expected() {
		ad.Told(News{What: TaskRejected, Task: c, Plan: pl, Run: first, Err: err})
	}
}
