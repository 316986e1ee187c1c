package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Admit accepts c in the given way and tells the tap of it before it can begin; and afterwards, if
// it has been refused. That is called for only if the owner is Observed, or something is Expected
// of the task. In is when it is to run first, counted from now. If an observer ends the goroutine,
// c is not offered at all, and Admit calls refused, which counts that.
func (o *Owner) Admit(
	c *cell.Cell, pl *Plan, in time.Duration, accept func() error, refused func(),
) error {
	first := o.about(pl, in)
	offered, returned := false, false
	defer func() {
		if !offered {
			refused()
		}
		// An observer or a policy has ended the goroutine, or that has panicked; or a task has,
		// which the caller runs.
		if !returned && !o.Accepted(c) {
			o.Rejected(c, pl, first, nil)
		}
	}()
	o.Admitted(c, pl, in, first)
	offered = true
	err := accept()
	returned = true
	if err != nil {
		o.Rejected(c, pl, first, err)
	}
	return err
}

// Announce tells the tap of a task that is about to be accepted, to run first so long from now. If
// it is refused after all, the caller passes what Announce returns on to Rejected.
func (o *Owner) Announce(c *cell.Cell, pl *Plan, in time.Duration) (first Info) {
	if o.Observed || pl.Expected() {
		first = o.about(pl, in)
		o.Admitted(c, pl, in, first)
	}
	return first
}

// about describes a task that is about to be accepted, if the tap is told of it.
func (o *Owner) about(pl *Plan, in time.Duration) (first Info) {
	if !o.Observed {
		return first
	}
	return Info{Name: pl.Name, Scheduled: o.Clock.Time(o.Clock.Now()).Add(in),
		Periodic: pl.Periodic()}
}

// Accepted reports whether c, which has not come through an inbox, has been accepted: then it has a
// number.
func (o *Owner) Accepted(c *cell.Cell) bool {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return c.Order != 0
}

// Rejected tells the tap that a task which has been announced is refused.
func (o *Owner) Rejected(c *cell.Cell, pl *Plan, first Info, err error) {
	if o.Observed || pl.Expected() {
		o.Told(News{What: TaskRejected, Task: c, Plan: pl, Run: first, Err: err})
	}
}

// TellsCancelledLocked is called when a task has been cancelled by its future. It returns what
// tells the tap of it, nil if that is not to be told; the owner does not end before that has been
// called. A series that was handed back during a run had ended before, so it is told as dropped.
// The lock is held.
func (o *Owner) TellsCancelledLocked(c *cell.Cell, pl *Plan, handedBack bool) (tell func()) {
	if !o.Observed && pl.overtime == nil { // so much is inlined
		return nil
	}
	return o.tellsCancelledLocked(c, pl, handedBack)
}

func (o *Owner) tellsCancelledLocked(c *cell.Cell, pl *Plan, handedBack bool) (tell func()) {
	pl.overtime.stop()
	if !o.Observed {
		return nil
	}
	o.SettlesLocked()
	return func() {
		defer o.EndSettling()
		if handedBack {
			o.dropped(c, pl, c.Err())
			return
		}
		o.Told(News{What: TaskCancelled, Task: c, Plan: pl})
	}
}

// TellsCancelled is TellsCancelledLocked for a caller who does not hold the lock, and takes it only
// if there is something to do.
func (o *Owner) TellsCancelled(c *cell.Cell, pl *Plan, handedBack bool) (tell func()) {
	if !o.Observed && !pl.limited() {
		return nil
	}
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return o.TellsCancelledLocked(c, pl, handedBack)
}

// DescribeWaiting describes a task that may not be in a run.
func (o *Owner) DescribeWaiting(c *cell.Cell, pl *Plan) Info {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	info := Info{Name: pl.Name, Number: 1}
	if pl.Periodic() {
		info.Number, info.Periodic = pl.Runs, true
	}
	if c.When != 0 {
		info.Scheduled = o.NextLocked(c, pl)
	}
	return info
}
