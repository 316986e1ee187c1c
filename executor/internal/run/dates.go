package run

import (
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// reckon finds out which slots have passed while the task was late, before the body is called.
func (x *Execution) reckon() {
	o, pl := x.Owner, x.Plan
	o.Lock.Lock()
	if pl.Extra() || pl.Attempt() > 1 {
		x.beginsLocked()
		o.Lock.Unlock()
		return
	}
	m, putOff := o.moment(), pl.PutOff()
	// The jitter is part of the plan: who begins as planned has let nothing pass.
	q := pl.Ask(m.Wall.Add(-putOff), true)
	o.Lock.Unlock()
	x.skip, x.stuck = lost, true // also if the calendar ends the goroutine
	out := ask(q, &x.Err)
	if x.Err != nil {
		return
	}
	x.Err = future.ErrGoexit // until the body says otherwise
	x.skip, x.stuck = noSkip, false
	o.Lock.Lock()
	defer o.Lock.Unlock()
	slot := pl.Reckon(out, m)
	if within := pl.BeginWithin; within > 0 && (x.Aside == tardy || m.Now-slot-int64(putOff) > int64(within)) {
		x.skip = tardy
		pl.Unbegin()
	} else {
		x.beginsLocked()
	}
	x.Task.When = max(slot, 1)
	x.info = Info{} // it stands for another slot
}

// beginsLocked tells the tap that a run on a calendar begins. The lock is held.
func (x *Execution) beginsLocked() {
	if tap := x.Owner.Tap; tap != nil {
		tap.BeginsLocked(x)
	}
}

// lookAhead finds out when the next run is planned, if a calendar has to be asked for that. If it
// ends the goroutine, the task fails.
func (x *Execution) lookAhead() {
	o, pl := x.Owner, x.Plan
	if !pl.calendar || x.skip != noSkip && x.skip != tardy {
		return
	}
	o.Lock.Lock()
	if pl.Extra() { // the plan stays
		o.Lock.Unlock()
		return
	}
	x.partings = o.Partings()
	q := pl.Ask(o.moment().Wall, false)
	if pl.CatchUp == series.Skip {
		q = q.WithWindows(&pl.Series)
	}
	o.Lock.Unlock()
	var err error
	answered := false
	defer func() {
		if !answered {
			x.getStuck(err)
			x.settle()
		}
	}()
	out := ask(q, &err)
	answered = true
	if err != nil {
		x.getStuck(err)
		return
	}
	o.Lock.Lock()
	defer o.Lock.Unlock()
	pl.LookAhead(out)
}

// getStuck notes that no other run can be planned.
func (x *Execution) getStuck(err error) {
	x.stuck = true
	if x.Err != nil && !x.Skipped {
		err = cell.Joined(err, x.Err)
	}
	x.Err, x.Skipped = err, false // it ends the series, so it is a failure
}
