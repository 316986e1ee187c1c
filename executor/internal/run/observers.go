package run

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Observers are the functions of all observers, event by event.
type Observers struct {
	Submitted Hooks[func(Info)]
	Rejected  Hooks[func(Info, error)]
	Began     Hooks[func(context.Context, Info) context.Context]
	Late      Hooks[func(context.Context, Info, Lateness)]
	Missed    Hooks[func(Info)]
	Overran   Hooks[func(Info)]
	Expired   Hooks[func(Info)]
	Ended     Hooks[func(context.Context, Info, error)] // the last given comes first
	Cancelled Hooks[func(Info)]
	Dropped   Hooks[func(Info, error)]
	Paused    Hooks[func(Info)]
	Resumed   Hooks[func(Info)]
}

// Admit accepts c in the given way and tells observers of it before it can begin; and afterwards,
// if it has been refused. In is when it is to run first, counted from now. If an observer ends the
// goroutine, c is not offered at all, and Admit calls refused, which counts that.
func (o *Owner) Admit(
	c *cell.Cell, pl *Plan, in time.Duration, accept func() error, refused func(),
) error {
	if o.Observers == nil {
		return accept()
	}
	info := o.about(pl, in)
	offered, returned := false, false
	defer func() {
		if !offered {
			refused()
		}
		// An observer or a policy has ended the goroutine, or that has panicked; or a task has,
		// which the caller runs.
		if !returned && !o.Accepted(c) {
			o.Rejected(c, info, nil)
		}
	}()
	o.announce(c, pl, in, info)
	offered = true
	err := accept()
	returned = true
	if err != nil {
		o.Rejected(c, info, err)
	}
	return err
}

// Announce tells observers of a task that is about to be accepted, to run first so long from now.
// If it is refused after all, the caller passes what Announce returns on to Rejected.
func (o *Owner) Announce(c *cell.Cell, pl *Plan, in time.Duration) (info Info) {
	if o.Observers == nil {
		return info
	}
	info = o.about(pl, in)
	o.announce(c, pl, in, info)
	return info
}

// about describes a task that is about to be accepted.
func (o *Owner) about(pl *Plan, in time.Duration) Info {
	return Info{Name: pl.Name, Scheduled: o.Clock.Time(o.Clock.Now()).Add(in),
		Periodic: pl.Periodic()}
}

func (o *Owner) announce(c *cell.Cell, pl *Plan, in time.Duration, info Info) {
	if o.Recorder != nil {
		o.Recorder.Submitted(c, pl, in)
	}
	tell(o, "submitted", info, o.Observers.Submitted)
}

// Accepted reports whether c, which has not come through an inbox, has been accepted: then it has a
// number.
func (o *Owner) Accepted(c *cell.Cell) bool {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return c.Order != 0
}

// Rejected tells observers that a task which has been announced is refused.
func (o *Owner) Rejected(c *cell.Cell, info Info, err error) {
	if o.Observers == nil {
		return
	}
	if o.Recorder != nil {
		o.Recorder.Told("rejected", c, true)
	}
	o.tellError("rejected", info, err, o.Observers.Rejected)
}

// TellsCancelledLocked is called when a task has been cancelled by its future. It returns what
// tells observers of it, nil if there are none; the owner does not end before that has been called.
// A series that was handed back during a run had ended before, so to observers it is dropped. The
// lock is held.
func (o *Owner) TellsCancelledLocked(c *cell.Cell, pl *Plan, handedBack bool) (tell func()) {
	if o.Observers == nil && pl.overtime == nil { // so much is inlined
		return nil
	}
	return o.tellsCancelledLocked(c, pl, handedBack)
}

func (o *Owner) tellsCancelledLocked(c *cell.Cell, pl *Plan, handedBack bool) (tell func()) {
	pl.overtime.stop()
	if o.Observers == nil {
		return nil
	}
	o.SettlesLocked()
	return func() {
		defer o.EndSettling()
		if handedBack {
			o.dropped(c, pl, c.Err())
			return
		}
		o.tellTask("cancelled", c, pl, o.Observers.Cancelled)
	}
}

// TellsCancelled is TellsCancelledLocked for a caller who does not hold the lock, and takes it only
// if there is somebody to tell.
func (o *Owner) TellsCancelled(c *cell.Cell, pl *Plan, handedBack bool) (tell func()) {
	if o.Observers == nil && !pl.limited() {
		return nil
	}
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return o.TellsCancelledLocked(c, pl, handedBack)
}

// tellTask tells observers of something that has happened to a task, whether it runs or waits.
func (o *Owner) tellTask(event string, c *cell.Cell, pl *Plan, hooks Hooks[func(Info)]) {
	o.record(event, c)
	if hooks != nil {
		tell(o, event, o.waiting(c, pl), hooks)
	}
}

// dropped tells observers that a task has been dropped, with the error of its future.
func (o *Owner) dropped(c *cell.Cell, pl *Plan, err error) {
	if o.Observers != nil {
		o.tellDropped(c, pl, err, c.HasStopped())
	}
}

// tellDropped is dropped where there are observers. Last says whether nothing more will be told of
// the task.
func (o *Owner) tellDropped(c *cell.Cell, pl *Plan, err error, last bool) {
	if o.Recorder != nil {
		o.Recorder.Told("dropped", c, last)
	}
	if o.Observers.Dropped != nil {
		o.tellError("dropped", o.waiting(c, pl), err, o.Observers.Dropped)
	}
}

func (o *Owner) tellError(event string, info Info, err error, hooks Hooks[func(Info, error)]) {
	hooks.Each(func(f func(Info, error)) {
		o.Guard(event, info, func() { f(info, err) })
	})
}

// waiting describes a task that may not be in a run.
func (o *Owner) waiting(c *cell.Cell, pl *Plan) Info {
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
