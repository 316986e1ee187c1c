package sight

import (
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
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
	plan *run.Plan

	since int64 // from when on a success is expected
	fate  *fate

	starts [judged]bool // whether the last runs began late, a ring
	begun  int
	late   int // of those in the ring
}

// expected is what is expected of the tasks of an owner, and how the tasks have ended that have
// failed. Its health follows from that. The owner's lock guards it.
type expected struct {
	owner   *run.Owner
	crew    Crew
	tasks   []*expectation
	sweepAt int      // how many there are to be before they are looked through
	dead    []*death // tasks that a failure has ended
	health  health
}

// judged is how many of the last runs a quantile is about.
const judged = 100

// register notes what is expected of c, which is about to be accepted.
func (es *expected) register(c *cell.Cell, pl *run.Plan) {
	if !pl.Expected() {
		return
	}
	es.owner.Lock.Lock()
	e := &expectation{cell: c, plan: pl, since: es.owner.Clock.Now(), fate: new(fate)}
	es.sweepLocked()
	es.owner.HeedEndsLocked()
	own(pl).expects = e
	es.tasks = append(es.tasks, e)
	if at := e.broken(); at != clock.Never {
		es.health.changesLocked(at)
	}
	es.owner.Lock.Unlock()
	c.Watch(func() { es.settled(e) })
}

// takeBack takes back what register has noted: the task is refused.
func (es *expected) takeBack(pl *run.Plan) {
	if !pl.Expected() {
		return
	}
	es.owner.Lock.Lock()
	defer es.owner.Lock.Unlock()
	// It is among the last.
	for i, e := range slices.Backward(es.tasks) {
		if e == seenOf(pl).expects {
			es.tasks = slices.Delete(es.tasks, i, i+1)
			return
		}
	}
}

// sweepLocked forgets tasks that have ended. It looks at all only when their number has doubled, so
// it takes constant time on average.
func (es *expected) sweepLocked() {
	if len(es.tasks) < es.sweepAt {
		return
	}
	es.tasks = slices.DeleteFunc(es.tasks, func(e *expectation) bool {
		return e.cell.Phase().Settled()
	})
	es.sweepAt = max(2*len(es.tasks), 64)
}

// broken returns when the expectation of a success will be broken, or Never.
func (e *expectation) broken() int64 {
	within := e.plan.SuccessWithin
	if within == 0 {
		return clock.Never
	}
	return clock.Later(clock.Later(max(e.since, e.fate.success), within), 1)
}

// idle reports whether nothing is expected of the task, as it was paused from outside.
func (e *expectation) idle() bool { return e.plan.Paused() && !e.plan.GaveUp() }

// note notes how a run has begun and ended, or that it has come too late to begin. The lock is
// held.
func (es *expected) note(x *run.Execution, e *expectation) {
	before, _ := es.judge(e, x.Ended, false)
	defer func() {
		after, _ := es.judge(e, x.Ended, false)
		if after.State != before.State && (inTrouble(before) || inTrouble(after)) || x.Done {
			es.health.changeLocked()
		}
	}()
	if e.plan.StartWithin > 0 {
		e.noteStart(x)
	}
	e.fate.note(x)
}

// noteStart notes whether the run has begun late.
func (e *expectation) noteStart(x *run.Execution) {
	slot := &e.starts[e.begun%judged]
	if *slot {
		e.late--
	}
	*slot = x.Expired() || x.Task.Started-max(x.Due, e.since) > int64(e.plan.StartWithin)
	if *slot {
		e.late++
	}
	e.begun++
}

// resume is called when a series is resumed: the tap is told.
func (es *expected) resume(pl *run.Plan) {
	if !pl.Expected() {
		return
	}
	es.owner.Lock.Lock()
	defer es.owner.Lock.Unlock()
	if e := seenOf(pl).expects; e != nil {
		es.resumeLocked(e)
	}
}

// resumeLocked has the time in which a success is expected begin anew, unless the series has given
// up: it stays late until it succeeds.
func (es *expected) resumeLocked(e *expectation) {
	if !e.plan.GaveUp() {
		e.since = es.owner.Clock.Now()
		es.health.changeLocked()
	}
}

// TaskLocked tells whether what is expected of a task holds; nil if nothing is, or it has ended.
// The lock is held.
func (s *Sight) TaskLocked(pl *run.Plan) *insight.TaskHealth {
	e := seenOf(pl).expects
	if e == nil {
		return nil
	}
	t, ok := s.expected.judge(e, s.owner.Clock.Now(), s.crew.Held())
	if !ok {
		return nil
	}
	return &t
}

// judge tells whether what is expected of a task holds; false if it has ended.
func (es *expected) judge(e *expectation, now int64, held bool) (t insight.TaskHealth, ok bool) {
	t = insight.TaskHealth{Name: e.plan.Name, State: taskOK, Since: es.owner.Clock.Time(e.since),
		FailuresInRow: e.fate.failures}
	if e.fate.success > 0 {
		t.LastSuccess = es.owner.Clock.Time(e.fate.success)
	}
	switch {
	case e.cell.Phase().Settled():
		return t, false
	case held || e.idle():
		t.State = taskPaused
		return t, true
	}
	from := max(e.since, e.fate.success)
	switch within := int64(e.plan.SuccessWithin); {
	case within > 0 && now-from > within:
		t.State, t.Since = taskLate, es.owner.Clock.Time(from+within)
		t.Reason = fmt.Sprintf("no success for %v, expected within %v",
			time.Duration(now-from).Round(time.Millisecond), e.plan.SuccessWithin)
	case e.tooManyLate():
		t.State = taskLate
		t.Reason = fmt.Sprintf("%d of the last %d runs began later than %v",
			e.late, min(e.begun, judged), e.plan.StartWithin)
	case e.plan.Paused():
		t.State = taskPaused
	case e.fate.success == 0:
		t.State = taskNew
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
func (es *expected) nextChangeLocked(now int64) (at int64, ok bool) {
	if es.crew.Held() {
		return 0, false
	}
	for _, e := range es.tasks {
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

// shortestLocked returns the shortest time in which a success of a task is expected, or 0.
func (es *expected) shortestLocked() (within time.Duration) {
	for _, e := range es.tasks {
		if e.cell.Phase().Settled() || e.plan.Paused() {
			continue
		}
		if w := e.plan.SuccessWithin; w > 0 && (within == 0 || w < within) {
			within = w
		}
	}
	return within
}
