package run

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// expectation is what is expected of a task that has not ended, and what it has done. The owner's
// lock guards it.
//
//	new   -> ok     a run has succeeded
//	new   -> late   none has, and the time is over
//	ok    -> late   none has since, and the time is over; or too many runs have begun late
//	late  -> ok     a run has succeeded; enough runs have begun in time
//	any   -> gone   the task has ended; if by a failure, that is told, see death
//
// A series that pauses by itself, after failures, stays as it is: giving up is no recovery.
type expectation struct {
	cell *cell.Cell
	plan *Plan

	since    int64 // from when on a success is expected
	success  int64 // when a run last succeeded, or 0
	failures uint64

	starts [judged]bool // whether the last runs began late, a ring
	begun  int
	late   int // of those in the ring
}

// judged is how many of the last runs a quantile is about.
const judged = 100

// Expect registers what is expected of c, which is about to be accepted.
func (o *Owner) Expect(c *cell.Cell, pl *Plan) {
	if !pl.Expected() {
		return
	}
	o.Lock.Lock()
	defer o.Lock.Unlock()
	o.ExpectLocked(c, pl)
}

// ExpectLocked is Expect for a caller who holds the lock.
func (o *Owner) ExpectLocked(c *cell.Cell, pl *Plan) {
	if !pl.Expected() {
		return
	}
	o.sweepExpectationsLocked()
	pl.expects = &expectation{cell: c, plan: pl, since: o.Clock.Now()}
	o.expectations = append(o.expectations, pl.expects)
	if at := pl.expects.broken(); at != clock.Never {
		o.health.changesLocked(o, at)
	}
}

// Expected is called when c, of which something is expected, has been accepted.
func (o *Owner) Expected(pl *Plan) {
	if e := pl.expects; e != nil {
		e.cell.Watch(func() { o.settledExpected(e) })
	}
}

// Unexpect takes back what Expect has registered: the task is refused.
func (o *Owner) Unexpect(pl *Plan) {
	if pl.expects == nil {
		return
	}
	o.Lock.Lock()
	defer o.Lock.Unlock()
	// It is among the last.
	for i, e := range slices.Backward(o.expectations) {
		if e == pl.expects {
			o.expectations = slices.Delete(o.expectations, i, i+1)
			return
		}
	}
}

// sweepExpectationsLocked forgets tasks that have ended. It looks at all only when their number has
// doubled, so it takes constant time on average.
func (o *Owner) sweepExpectationsLocked() {
	if len(o.expectations) < o.sweepAt {
		return
	}
	o.expectations = slices.DeleteFunc(o.expectations, func(e *expectation) bool {
		return e.cell.Phase().Settled()
	})
	o.sweepAt = max(2*len(o.expectations), 64)
}

// broken returns when the expectation of a success will be broken, or Never.
func (e *expectation) broken() int64 {
	within := e.plan.SuccessWithin
	if within == 0 {
		return clock.Never
	}
	return clock.Later(clock.Later(max(e.since, e.success), within), 1)
}

// idle reports whether nothing is expected of the task, as it was paused from outside.
func (e *expectation) idle() bool { return e.plan.Paused() && !e.plan.GaveUp() }

// noteExpected notes how a run has begun and ended, or that it has come too late to begin. The lock
// is held.
func (x *Execution) noteExpected(e *expectation) {
	o := x.Owner
	before, _ := o.judge(e, x.ended, false)
	defer func() {
		after, _ := o.judge(e, x.ended, false)
		if after.State != before.State && (before.InTrouble() || after.InTrouble()) || x.Done {
			o.health.changeLocked(o)
		}
	}()
	if e.plan.StartWithin > 0 {
		slot := &e.starts[e.begun%judged]
		if *slot {
			e.late--
		}
		*slot = x.skip == tardy ||
			x.Task.Started-max(x.due, e.since) > int64(e.plan.StartWithin)
		if *slot {
			e.late++
		}
		e.begun++
	}
	switch {
	case x.tries, x.skip == tardy:
	case x.Failed:
		e.failures++
		if d := e.plan.death; d != nil {
			d.failures = e.failures
		}
	default:
		e.success, e.failures = x.ended, 0
	}
}

// resumeExpectedLocked has the time in which a success is expected begin anew, unless the series
// has given up: it stays late until it succeeds.
func (o *Owner) resumeExpectedLocked(e *expectation) {
	if e != nil && !e.plan.GaveUp() {
		e.since = o.Clock.Now()
		o.health.changeLocked(o)
	}
}

// TaskHealth is executor.TaskHealth, field by field.
type TaskHealth struct {
	Name          string
	State         string
	Since         time.Time
	LastSuccess   time.Time
	FailuresInRow uint64
	Reason        string
}

// InTrouble reports whether what is expected of the task does not hold.
func (t TaskHealth) InTrouble() bool { return t.State == HealthLate || t.State == HealthFailed }

// The states of a task, from bad to good.
const (
	HealthFailed = "failed"
	HealthLate   = "late"
	HealthNew    = "new"
	HealthPaused = "paused"
	HealthOK     = "ok"
)

// HealthLocked tells of the tasks of which something is expected, and of those that a failure has
// ended; those in trouble come first. The lock is held.
func (o *Owner) HealthLocked() (tasks []TaskHealth) {
	o.sweepExpectationsLocked()
	now, held := o.Clock.Now(), o.holdsLocked()
	for _, d := range o.dead {
		tasks = append(tasks, o.healthOf(d))
	}
	for _, e := range o.expectations {
		if t, ok := o.judge(e, now, held); ok {
			tasks = append(tasks, t)
		}
	}
	order := []string{HealthFailed, HealthLate, HealthNew, HealthPaused, HealthOK}
	slices.SortStableFunc(tasks, func(a, b TaskHealth) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State)),
			cmp.Compare(a.Name, b.Name))
	})
	return tasks
}

// judge tells whether what is expected of a task holds; false if it has ended.
func (o *Owner) judge(e *expectation, now int64, held bool) (t TaskHealth, ok bool) {
	t = TaskHealth{Name: e.plan.Name, State: HealthOK, Since: o.Clock.Time(e.since),
		FailuresInRow: e.failures}
	if e.success > 0 {
		t.LastSuccess = o.Clock.Time(e.success)
	}
	switch {
	case e.cell.Phase().Settled():
		return t, false
	case held || e.idle():
		t.State = HealthPaused
		return t, true
	}
	from := max(e.since, e.success)
	switch within := int64(e.plan.SuccessWithin); {
	case within > 0 && now-from > within:
		t.State, t.Since = HealthLate, o.Clock.Time(from+within)
		t.Reason = fmt.Sprintf("no success for %v, expected within %v",
			time.Duration(now-from).Round(time.Millisecond), e.plan.SuccessWithin)
	case e.tooManyLate():
		t.State = HealthLate
		t.Reason = fmt.Sprintf("%d of the last %d runs began later than %v",
			e.late, min(e.begun, judged), e.plan.StartWithin)
	case e.plan.Paused():
		t.State = HealthPaused
	case e.success == 0:
		t.State = HealthNew
	}
	return t, true
}

// tooManyLate reports whether more runs have begun late than may of a hundred.
func (e *expectation) tooManyLate() bool {
	return float64(e.late) > (1-e.plan.StartQuantile)*judged+1e-9
}

// nextChangeLocked returns when the health may change although nothing happens; false if it will
// not. That is when an expectation will be broken. As long as one is, it is also looked at once in
// its time whether the whole owner is stuck.
func (o *Owner) nextChangeLocked(now int64) (at int64, ok bool) {
	if o.holdsLocked() {
		return 0, false
	}
	for _, e := range o.expectations {
		due := e.broken()
		if due == clock.Never || e.idle() || e.cell.Phase().Settled() {
			continue
		}
		if due <= now {
			due = clock.Later(now, e.plan.SuccessWithin)
		}
		if !ok || due < at {
			at, ok = due, true
		}
	}
	return at, ok
}

func (o *Owner) holdsLocked() bool { return o.Held != nil && o.Held() }

// ShortestLocked returns the shortest time in which a success of a task is expected, or 0.
func (o *Owner) ShortestLocked() (within time.Duration) {
	for _, e := range o.expectations {
		if e.cell.Phase().Settled() || e.plan.Paused() {
			continue
		}
		if w := e.plan.SuccessWithin; w > 0 && (within == 0 || w < within) {
			within = w
		}
	}
	return within
}

// Expected reports whether anything is expected of the tasks.
func (pl *Plan) Expected() bool { return pl.SuccessWithin > 0 || pl.StartWithin > 0 }
