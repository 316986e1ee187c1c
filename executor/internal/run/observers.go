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
	info := Info{Name: pl.Name, Scheduled: o.Clock.Time(o.Clock.Now()).Add(in),
		Periodic: pl.Periodic()}
	if o.Recorder != nil {
		o.Recorder.Submitted(c, pl, in)
	}
	tell(o, context.Background(), "submitted", info, o.Observers.Submitted)
	accepted := false
	defer func() {
		if !accepted { // the policy has panicked, or ended the goroutine
			o.rejected(c, info, nil)
		}
	}()
	err := accept()
	accepted = true
	if err != nil {
		o.rejected(c, info, err)
	}
	return err
}

func (o *Owner) rejected(c *cell.Cell, info Info, err error) {
	if o.Recorder != nil {
		o.Recorder.Told("rejected", c, true)
	}
	o.tellError("rejected", info, err, o.Observers.Rejected)
}

// Cancelled tells observers that a task has been cancelled by its future. The lock is not held.
func (o *Owner) Cancelled(c *cell.Cell, pl *Plan) {
	if o.Observers != nil { // so much is inlined
		o.cancelled(c, pl)
	}
}

func (o *Owner) cancelled(c *cell.Cell, pl *Plan) {
	o.tellTask("cancelled", c, pl, o.Observers.Cancelled)
}

// tellTask tells observers of something that has happened to a task, whether it runs or waits.
func (o *Owner) tellTask(event string, c *cell.Cell, pl *Plan, hooks Hooks[func(Info)]) {
	o.record(event, c)
	if hooks != nil {
		tell(o, context.Background(), event, o.waiting(c, pl), hooks)
	}
}

// dropped tells observers that a task has been dropped, with the error of its future.
func (o *Owner) dropped(c *cell.Cell, pl *Plan, err error) {
	o.record("dropped", c)
	if o.Observers != nil && o.Observers.Dropped != nil {
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
