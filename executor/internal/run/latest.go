package run

import "time"

// LastRun is a run that has ended. It is executor.LastRun, field by field.
type LastRun struct {
	Info
	Took time.Duration
	Err  error
}

// Record is what is kept of a run that has ended, with times of the owner's clock.
type Record struct {
	Number, Missed, Attempt   uint64
	Scheduled, Started, Ended int64
	Extra                     bool
	Err                       error
	shown                     shown // if the task waits on the wall clock
}

// Latest returns the last run of a series that has ended, or false if there is none.
func (o *Owner) Latest(pl *Plan) (LastRun, bool) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if pl.latest == nil {
		return LastRun{}, false
	}
	return o.LastRunOf(pl, *pl.latest), true
}

// LastRunOf returns what is kept of a run as it is shown.
func (o *Owner) LastRunOf(pl *Plan, r Record) LastRun {
	last := LastRun{
		Info: Info{
			Name:      pl.Name,
			Number:    r.Number,
			Scheduled: o.Clock.Time(r.Scheduled),
			Started:   o.Clock.Time(r.Started),
			Missed:    r.Missed,
			Attempt:   r.Attempt,
			Triggered: r.Extra,
		},
		Took: time.Duration(r.Ended - r.Started),
		Err:  r.Err,
	}
	if pl.Dates != nil {
		last.Scheduled, last.Started = r.shown.scheduled, r.shown.started
	}
	return last
}

// RecordLocked returns what is to be kept of the run, which has ended. The lock is held.
func (x *Execution) RecordLocked() Record {
	c, pl := x.Task, x.Plan
	shown, _ := onWallLocked(c, pl)
	return Record{
		Number: pl.Runs, Missed: pl.missed(), Attempt: pl.attempt(),
		Scheduled: c.When, Started: c.Started, Ended: x.Ended,
		Extra: pl.Extra(), Err: x.Err, shown: shown,
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
