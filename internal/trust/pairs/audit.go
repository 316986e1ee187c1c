package pairs

import (
	"context"
	"errors"
	"slices"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// audit checks the whole record: every task has one end, and all figures agree.
func (l *life) audit() {
	if l.report.Stuck > 0 {
		return // nothing more can be said
	}
	l.final.stats = l.stats()
	h := l.host().History()
	l.final.history = &h
	l.final.health = l.host().Health()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		l.auditRecordLocked(r)
	}
	l.checkPunctual()
	l.checkFiguresLocked()
}

// checkNothingOpen checks that everything has come to its end by itself.
func (l *life) checkNothingOpen(when string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		if r.open() && !(r.outcome == nil && l.mayVanishLocked(r)) {
			l.faultLocked(&l.report.Stuck, "%v has no end %s; answered %t, %v", r, when, r.answered,
				r.err)
		}
	}
}

// mayVanishLocked reports whether a task without a future may have ended without a run.
func (l *life) mayVanishLocked(r *record) bool {
	return l.shutFrom >= 0 || r.t.using(byName["BeginWithin"]) != nil ||
		r.t.using(byName["WithContext"]) != nil || l.discards() || l.drains() || r.tainted ||
		l.lapsed ||
		r.t.way.way&groupWays != 0 || r.t.way.way == wApply || r.cancelled >= 0
}

// discards reports whether a policy may discard tasks.
func (l *life) discards() bool {
	return l.has("Discard") || l.has("DiscardOldest") || l.gives("SetRejectionPolicy")
}

// drains reports whether somebody may drain the pool.
func (l *life) drains() bool { return l.gives("Pool.Drain") || l.givesAny() }

func (p *program) gives(name string) bool {
	return slices.ContainsFunc(p.commands, func(c command) bool { return c.Name == name })
}

// givesAny reports whether bodies or callbacks give commands of any kind.
func (l *life) givesAny() bool {
	for _, p := range l.lapses {
		if p.behaviour.Name == "callback gives a command" {
			return true
		}
	}
	return l.hasBody("body gives a command")
}

func (l *life) hasBody(name string) bool {
	for _, t := range l.tasks {
		if slices.Contains(t.bodies, byName[name]) {
			return true
		}
	}
	return false
}

// auditRecordLocked checks the end of a task.
func (l *life) auditRecordLocked(r *record) {
	lost := &l.report.Lost
	switch {
	case r.active > 0:
		l.faultLocked(&l.report.Stuck, "%v: a body has not returned", r)
	case !r.answered && r.t.way.way != wTurn:
		l.faultLocked(&l.report.Stuck, "%v: the submission has not returned", r)
	case !r.accepted():
		l.auditRefusedLocked(r)
	case r.outcome != nil:
		err, ok := r.result()
		if !ok {
			l.faultLocked(lost, "%v: the future is not settled", r)
		} else if !l.taintedLocked(r) && !l.mayBeLocked(r, err) {
			l.faultLocked(lost, "%v: an unlikely outcome: %v", r, err)
		}
	case len(r.bodies) == 0 && !l.mayVanishLocked(r):
		l.faultLocked(lost, "%v has not run", r)
	}
	l.checkNumbersLocked(r)
}

// taintedLocked reports whether a callback may have ended a goroutine of the task. A callback does
// not know the task that has no name.
func (l *life) taintedLocked(r *record) bool { return r.tainted || r.t.unnamed && l.lapsed }

func (l *life) auditRefusedLocked(r *record) {
	if len(r.bodies) > 0 && r.t.way.way&bulkWays == 0 && !r.panicked && !r.tainted && r.err != nil {
		l.faultLocked(&l.report.Duplicate, "%v runs, and was refused: %v", r, r.err)
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
	if l.mayBeTooLateLocked(r) && errors.Is(r.err, executor.ErrInvalid) || r.tainted {
		return
	}
	l.faultLocked(&l.report.Lost, "%v is refused: %v", r, r.err)
}

// mayBeTooLateLocked reports whether a submission may have come when Until had left no run: that of
// the task or, if that is applied, of another job.
func (l *life) mayBeTooLateLocked(r *record) bool {
	return slices.ContainsFunc(l.records, func(o *record) bool {
		both := r.t.way.way == wApply && o.t.way.way == wApply
		return (o == r || both) && o.t.using(byName["Until"]) != nil
	})
}

// mayBeLocked reports whether an outcome is possible.
func (l *life) mayBeLocked(r *record, err error) bool {
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
		return l.shutFrom >= 0
	case errors.Is(err, executor.ErrDrained):
		return l.drains()
	case errors.Is(err, executor.ErrSaturated):
		return l.discards()
	case errors.Is(err, executor.ErrExpired):
		return r.t.using(byName["BeginWithin"]) != nil && (series || len(r.bodies) == 0 ||
			last.run.Attempt > 0)
	case errors.Is(err, future.ErrCancelled):
		return r.cancelled >= 0 || r.contextEnded || r.t.using(byName["WithContext"]) != nil ||
			r.t.way.way&groupWays != 0
	case errors.Is(err, future.ErrTimeout):
		return r.t.using(byName["Timeout"]) != nil || l.has("Defaults")
	case errors.Is(err, future.ErrGoexit):
		return last.panicked && (last.how.Name == "body calls Goexit" || l.lapsed)
	case errors.As(err, &panicked):
		return last.panicked
	case errors.Is(err, errBoom):
		return last.err != nil
	}
	return errors.Is(err, last.err) && last.err != nil
}

// checkNumbersLocked checks the numbers of the runs, and that no period is lost.
func (l *life) checkNumbersLocked(r *record) {
	if r.applied() || r.t.way.way&bulkWays != 0 {
		return
	}
	missed := !r.t.irregularBut("CatchUp") && len(r.moves) == 0 &&
		r.t.way.way&(wEvery|wRate) != 0
	policy := executor.Burst
	if r.t.ticks() {
		policy = executor.Coalesce
	}
	if u := r.t.using(byName["CatchUp"]); u != nil {
		policy = catchUp(r.t, u)
	}
	for i, b := range r.bodies {
		if !b.known {
			continue
		}
		if i > 0 && b.run.Attempt <= 1 && b.run.Number <= r.bodies[i-1].run.Number {
			l.faultLocked(&l.report.Wrong, "%v: run %d follows run %d", r, b.run.Number,
				r.bodies[i-1].run.Number)
		}
		if b.run.Attempt > 1 && i > 0 && b.run.Number != r.bodies[i-1].run.Number {
			l.faultLocked(&l.report.Wrong, "%v: an attempt of run %d has number %d", r,
				r.bodies[i-1].run.Number, b.run.Number)
		}
		if !missed || b.run.Triggered || b.run.Attempt > 1 {
			continue
		}
		before := r.submitted + r.t.delay - r.t.period
		for _, earlier := range r.bodies[:i] {
			if earlier.run.Attempt <= 1 && !earlier.run.Triggered {
				before = earlier.due
			}
		}
		// Those that were skipped, or have expired; and in a burst those that are overdue as well.
		want := uint64((b.due-before)/r.t.period) - 1
		switch policy {
		case executor.Burst:
			want += uint64((b.began - b.due) / r.t.period)
			if r.t.using(byName["Until"]) == nil && r.t.using(byName["MaxRuns"]) == nil &&
				b.run.Missed != want {
				l.faultLocked(&l.report.Wrong, "%v: run %d has missed %d of %d", r, b.run.Number,
					b.run.Missed, want)
			}
		case executor.Skip, executor.Coalesce:
			if b.run.Missed != want {
				l.faultLocked(&l.report.Wrong, "%v: run %d, due at %v, has missed %d of %d", r,
					b.run.Number,
					b.due, b.run.Missed, want)
			}
		}
	}
}

// irregularBut is irregular, one option apart.
func (t *task) irregularBut(name string) bool {
	c := *t
	c.options = slices.DeleteFunc(slices.Clone(t.options),
		func(u *use) bool { return u.Name == name })
	return c.irregular()
}
