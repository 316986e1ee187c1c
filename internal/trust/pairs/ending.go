package pairs

import (
	"context"
	"errors"
	"slices"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// check checks the whole record at the end: every task has one end, and all figures agree.
func (a *audit) check() {
	if a.found.isStuck() {
		return // nothing more can be said
	}
	a.gauges.end(a.host)
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	for _, r := range a.journal.records {
		a.auditRecordLocked(r)
	}
	a.checkPunctualLocked()
	a.checkFiguresLocked()
}

// checkNothingOpen checks that everything has come to its end by itself.
func (a *audit) checkNothingOpen(when string) {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	for _, r := range a.journal.records {
		if r.open() && !(r.outcome == nil && a.mayVanishLocked(r)) {
			a.found.stuck("%v has no end %s; answered %t, %v", r, when, r.answered, r.err)
		}
	}
}

// checkNoMember checks that no task of the group runs.
func (a *audit) checkNoMember() {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	for _, r := range a.journal.records {
		if r.t.way.way&groupWays != 0 && r.active > 0 && r.answeredAt < a.now() {
			a.found.early("Wait of the group returns while %v runs", r)
		}
	}
}

// mayVanishLocked reports whether a task without a future may have ended without a run.
func (a *audit) mayVanishLocked(r *record) bool {
	return a.course.isShut() || r.t.using(byName["BeginWithin"]) != nil ||
		r.t.using(byName["WithContext"]) != nil || a.discards() || a.drains() || r.tainted ||
		a.callbacks.haveLapsed() ||
		r.t.way.way&groupWays != 0 || r.t.way.way == wApply || r.cancelled >= 0
}

// auditRecordLocked checks the end of a task.
func (a *audit) auditRecordLocked(r *record) {
	switch {
	case r.active > 0:
		a.found.stuck("%v: a body has not returned", r)
	case !r.answered && r.t.way.way != wTurn:
		a.found.stuck("%v: the submission has not returned", r)
	case !r.accepted():
		a.auditRefusedLocked(r)
	case r.outcome != nil:
		err, ok := r.result()
		if !ok {
			a.found.lost("%v: the future is not settled", r)
		} else if !a.taintedLocked(r) && !a.mayBeLocked(r, err) {
			a.found.lost("%v: an unlikely outcome: %v", r, err)
		}
		if ok {
			a.checkFallbackLocked(r)
		}
	case len(r.bodies) == 0 && !a.mayVanishLocked(r):
		a.found.lost("%v has not run", r)
	}
	a.checkNumbersLocked(r)
}

// taintedLocked reports whether a callback may have ended a goroutine of the task. A callback does
// not know the task that has no name.
func (a *audit) taintedLocked(r *record) bool {
	return r.tainted || r.t.unnamed && a.callbacks.haveLapsed()
}

func (a *audit) auditRefusedLocked(r *record) {
	if len(r.bodies) > 0 && r.t.way.way&bulkWays == 0 && !r.panicked && !r.tainted && r.err != nil {
		a.found.duplicate("%v runs, and was refused: %v", r, r.err)
	}
	if r.panicked || r.t.way.way&bulkWays != 0 || r.err == nil {
		return
	}
	for _, e := range []error{executor.ErrRejected, future.ErrCancelled, future.ErrSelfWait,
		context.DeadlineExceeded, context.Canceled, errCallback} {
		if errors.Is(r.err, e) {
			return
		}
	}
	if a.mayBeTooLateLocked(r) && errors.Is(r.err, executor.ErrInvalid) || r.tainted {
		return
	}
	a.found.lost("%v is refused: %v", r, r.err)
}

// mayBeTooLateLocked reports whether a submission may have come when Until had left no run: that of
// the task or, if that is applied, of another job.
func (a *audit) mayBeTooLateLocked(r *record) bool {
	return slices.ContainsFunc(a.journal.records, func(o *record) bool {
		both := r.t.way.way == wApply && o.t.way.way == wApply
		return (o == r || both) && o.t.using(byName["Until"]) != nil
	})
}

// mayBeLocked reports whether an outcome is possible.
func (a *audit) mayBeLocked(r *record, err error) bool {
	var panicked *future.PanicError
	last := &bodyRun{}
	if n := len(r.bodies); n > 0 {
		last = r.bodies[n-1]
	}
	series := r.t.way.way&seriesWays != 0
	switch {
	case err == nil && series:
		return r.t.using(byName["MaxRuns"]) != nil || r.t.using(byName["Until"]) != nil
	case err == nil:
		return last.over && last.err == nil && !last.panicked
	case errors.Is(err, executor.ErrShutdown):
		return a.course.isShut()
	case errors.Is(err, executor.ErrDrained):
		return a.drains()
	case errors.Is(err, executor.ErrSaturated):
		return a.discards()
	case errors.Is(err, executor.ErrExpired):
		return r.t.using(byName["BeginWithin"]) != nil && (series || len(r.bodies) == 0 ||
			last.run.Attempt > 0)
	case errors.Is(err, future.ErrCancelled):
		return r.cancelled >= 0 || r.contextEnded || r.t.using(byName["WithContext"]) != nil ||
			r.t.way.way&groupWays != 0
	case errors.Is(err, future.ErrTimeout):
		return r.t.using(byName["Timeout"]) != nil || a.has("Defaults")
	case errors.Is(err, future.ErrGoexit):
		return last.panicked && (last.how.Name == "body calls Goexit" || a.callbacks.haveLapsed())
	case errors.As(err, &panicked):
		return last.panicked
	case errors.Is(err, executor.ErrSkipped): // with which no series ends
		return last.err != nil && !series
	case errors.Is(err, errBoom):
		return last.err != nil
	}
	return errors.Is(err, last.err) && last.err != nil
}
