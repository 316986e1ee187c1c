package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// LastRun is a run that has ended. It is executor.LastRun, field by field.
type LastRun struct {
	Info
	Took time.Duration
	Err  error
}

// record is what is kept of the last run of a series, with times of the owner's clock.
type record struct {
	number, missed, attempt   uint64
	scheduled, started, ended int64
	extra                     bool
	err                       error
	shown                     shown // if the task waits on the wall clock
}

// Latest returns the last run of a series that has ended, or false if there is none.
func (o *Owner) Latest(pl *Plan) (LastRun, bool) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if pl.latest == nil {
		return LastRun{}, false
	}
	return o.lastRun(pl, *pl.latest), true
}

func (o *Owner) lastRun(pl *Plan, r record) LastRun {
	last := LastRun{
		Info: Info{
			Name:      pl.Name,
			Number:    r.number,
			Scheduled: o.Clock.Time(r.scheduled),
			Started:   o.Clock.Time(r.started),
			Missed:    r.missed,
			Attempt:   r.attempt,
			Triggered: r.extra,
		},
		Took: time.Duration(r.ended - r.started),
		Err:  r.err,
	}
	if pl.Dates != nil {
		last.Scheduled, last.Started = r.shown.scheduled, r.shown.started
	}
	return last
}

// recordLocked returns what is to be kept of the run of c, which has ended. The lock is held.
func (x *Execution) recordLocked(c *cell.Cell) record {
	pl := x.Plan
	shown, _ := onWallLocked(c, pl)
	return record{
		number: pl.Runs, missed: pl.missed(), attempt: pl.attempt(),
		scheduled: c.When, started: c.Started, ended: x.ended,
		extra: pl.Extra(), err: x.Err, shown: shown,
	}
}

// missed returns how many periods the run in progress has missed. An extra run stands for none.
func (pl *Plan) missed() uint64 {
	if pl.Extra() {
		return 0
	}
	return pl.Missed
}

// attempt returns the number of the attempt in progress, or 0 for a task without Retry.
func (pl *Plan) attempt() uint64 {
	if pl.Retry.Attempts < 2 {
		return pl.Retry.Attempts // which nobody counts
	}
	return pl.Attempt()
}
