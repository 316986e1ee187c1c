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
// if it has been refused. In is when it is to run first, counted from now.
func (o *Owner) Admit(c *cell.Cell, pl *Plan, in time.Duration, accept func() error) error {
	if o.Observers == nil {
		return accept()
	}
	info := o.Announce(c, pl, in)
	returned := false
	defer func() {
		// A policy has panicked or ended the goroutine, or a task has, which the caller runs.
		if !returned && !o.Accepted(c) {
			o.Rejected(c, info, nil)
		}
	}()
	err := accept()
	returned = true
	if err != nil {
		o.Rejected(c, info, err)
	}
	return err
}

// Announce tells observers of a task that is about to be accepted, to run first so long from now. If
// it is refused after all, the caller passes what Announce returns on to Rejected.
func (o *Owner) Announce(c *cell.Cell, pl *Plan, in time.Duration) (info Info) {
	if o.Observers == nil {
		return info
	}
	info = Info{Name: pl.Name, Scheduled: o.Clock.Time(o.Clock.Now()).Add(in),
		Periodic: pl.Periodic()}
	if o.Recorder != nil {
		o.Recorder.Submitted(c, pl, in)
	}
	tell(o, context.Background(), "submitted", info, o.Observers.Submitted)
	return info
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

// Cancelled tells observers that a task has been cancelled by its future. The lock is not held.
func (o *Owner) Cancelled(c *cell.Cell, pl *Plan) {
	if o.Observers != nil || pl.limited() { // so much is inlined
		o.cancelled(c, pl)
	}
}

func (o *Owner) cancelled(c *cell.Cell, pl *Plan) {
	if pl.limited() {
		o.unlimit(pl)
	}
	if o.Observers != nil {
		o.tellTask("cancelled", c, pl, o.Observers.Cancelled)
	}
}

// Returned tells observers of a series that was handed back during a run, and has been cancelled by
// its future since: it had ended before, so to them it is dropped. The lock is not held.
func (o *Owner) Returned(c *cell.Cell, pl *Plan) { o.dropped(c, pl, c.Err()) }

// tellTask tells observers of something that has happened to a task, whether it runs or waits.
func (o *Owner) tellTask(event string, c *cell.Cell, pl *Plan, hooks Hooks[func(Info)]) {
	o.record(event, c)
	if hooks != nil {
		tell(o, context.Background(), event, o.waiting(c, pl), hooks)
	}
}

// dropped tells observers that a task has been dropped, with the error of its future.
func (o *Owner) dropped(c *cell.Cell, pl *Plan, err error) {
	if pl.limited() {
		o.unlimit(pl)
	}
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
		o.Guard(context.Background(), event, info, func() { f(info, err) })
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
