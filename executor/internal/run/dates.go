package run

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// A calendar is the user's, so it is asked without the lock, and may panic, end the goroutine, or
// take its time. What it has said is an outlook, and is used under the lock if the series has not
// moved meanwhile:
//
//	submission   the first slot
//	reckon       before the body: slots that have passed, which the run may stand for
//	lookAhead    after the body: what the next run is planned by
//	resumeDates  the slots that a pause has dropped
//	parted       the wall clock has been set back, so that slots come again

// moment returns the present moment. It calls no user code.
func (o *Owner) moment() series.Moment {
	mono, wall := o.Wall.Read()
	return series.Moment{Now: o.Clock.Of(mono), Wall: wall}
}

// ask answers a question about a calendar. If that panics, or ends the goroutine, *err says so,
// also to the deferred calls of the caller.
func ask(q series.Question, err *error) (out series.Outlook) {
	future.Invoke(context.Background(), func(context.Context) (failed error) {
		out, failed = q.Answer()
		return failed
	}, err)
	return out
}

// askFor is ask for a caller who is in no run of c, which could fail: the failure is reported.
func (o *Owner) askFor(c *cell.Cell, pl *Plan, q series.Question, err *error) series.Outlook {
	defer func() { // also if the calendar ends the goroutine
		if *err != nil {
			o.Report(o.DescribeWaiting(c, pl), *err)
		}
	}()
	return ask(q, err)
}

// SetCalendar makes the task one on a calendar, and returns when its first run is due. It returns
// an error if there is none. If the calendar panics, so does SetCalendar.
func (o *Owner) SetCalendar(pl *Plan, c series.Calendar) (at int64, err error) {
	m := o.moment()
	pl.Period = series.OnCalendar
	pl.special, pl.calendar = true, true
	pl.Dates = series.NewDates(c, m.Wall, pl.Options.From)
	out, err := pl.AskAgain(m.Wall).Answer()
	if err != nil {
		return 0, o.Refusal(pl.Name, "the calendar's first time is not after now", err)
	}
	at, ok := pl.Begin(out, m)
	if !ok {
		if out.Cut {
			return 0, o.neverBegins(pl)
		}
		text := "the calendar has no time after " + pl.Dates.Asked().String()
		return 0, o.Refusal(pl.Name, text, Invalid("%s", text))
	}
	return at, nil
}

// SetTime makes the task one that runs once when the wall clock shows a time, and returns when that
// is.
func (o *Owner) SetTime(pl *Plan, at time.Time) int64 {
	pl.special, pl.Dates = true, series.OnceAt(at)
	return o.moment().On(at)
}

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
	if x.Err != nil {
		err = cell.Joined(err, x.Err)
	}
	x.Err = err
}

// resumeDates is Resume for a series on a calendar. If the calendar fails, nothing is dropped: the
// next run will find out, and end the series.
func (o *Owner) resumeDates(c *cell.Cell, pl *Plan) bool {
	for {
		o.Lock.Lock()
		if !pl.Paused() || c.Phase().Settled() {
			o.Lock.Unlock()
			return false
		}
		partings := o.Partings()
		q := pl.Ask(o.moment().Wall, false)
		o.Lock.Unlock()
		var err error
		out := o.askFor(c, pl, q, &err)
		if err != nil {
			out = series.Outlook{}
		}
		moved := false
		resumed := o.command(c, pl, func(now int64) bool {
			moved = err == nil && (!pl.Asked(out) || o.Partings() != partings)
			if moved {
				return false
			}
			pl.LookAhead(out)
			return pl.Series.Resume(now)
		})
		if !moved {
			return resumed
		}
	}
}
