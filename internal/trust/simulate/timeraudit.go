package simulate

import (
	"errors"
	"testing/synctest"

	"github.com/punctual-go/punctual/timer"
)

// close ends the facility, and checks what it hands back.
func (ts *timerSim) close() {
	inst := ts.inst
	ts.mu.Lock()
	ts.endLocked(inst)
	ts.mu.Unlock()
	returned := inst.stop(inst)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.advanceLocked()
	if len(returned) == 0 {
		return
	}
	of := make(map[timer.Handle]*timerFunc, len(ts.funcs))
	for _, f := range ts.funcs {
		if f.handle != nil {
			of[f.handle] = f
		}
	}
	for _, h := range returned {
		f := of[h]
		if f == nil { // that of a series
			continue
		}
		f.endedArmings++
		ts.armed--
		if f.outstanding() < 0 {
			ts.faultLocked(&ts.report.Duplicate, "function %v is returned, and has an end already",
				f)
		}
		if f.dueBy < inst.freeUntil && !f.ambiguous {
			ts.faultLocked(&ts.report.Late, "function %v, due on %v, is returned at %v",
				f, f.dueBy, inst.endedAt)
		}
	}
}

// audit checks the final state of an instance.
func (ts *timerSim) audit() {
	synctest.Wait()
	inst := ts.inst
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.advanceLocked()
	if ts.heldUp > 0 || ts.running > 0 {
		if !ts.classic {
			ts.faultLocked(&ts.report.Stuck, "%d functions have not returned", ts.running)
		}
	}
	if inst.pending != nil && inst.pending() != 0 {
		ts.faultLocked(&ts.report.Lost, "in the end %d functions are armed", inst.pending())
	}
	if ts.endsReported != ts.endsExpected {
		ts.faultLocked(&ts.report.Lost,
			"%d functions have not returned, and the facility has told of %d", ts.endsExpected,
			ts.endsReported)
	}
	if inst.err != nil && !errors.Is(inst.err(), timer.ErrClosed) {
		ts.faultLocked(&ts.report.Lost, "the timer says it is over because of %v", inst.err())
	}
	left := 0
	for _, f := range ts.funcs {
		if f.inst == inst {
			left += ts.auditFuncLocked(f)
		}
	}
	if left > ts.executorRefusals {
		ts.faultLocked(&ts.report.Lost,
			"in the end %d functions have no end, of which the executor has refused %d", left,
			ts.executorRefusals)
	}
}

// auditFuncLocked checks the final state of f. It returns how many of its armings have no end; the
// classic timer drops them.
func (ts *timerSim) auditFuncLocked(f *timerFunc) int {
	switch {
	case f.series != nil:
		ts.auditSeriesLocked(f)
		return 0
	case !ts.classic && f.hasHandle():
		if n := f.outstanding(); n == 0 || ts.executorRejects {
			return n
		}
		ts.faultLocked(&ts.report.Lost, "function %v, due at %v, has no end", f, f.due)
		return 0
	case !ts.classic:
		return 0
	case f.hasHandle() && f.outstanding() == 0,
		!f.hasHandle() && (f.stopped || f.ended),
		!f.hasHandle() && !f.periodic() && f.runs == 1:
		return 0
	}
	if f.dueBy < f.inst.freeUntil && !f.ambiguous {
		ts.faultLocked(&ts.report.Late, "function %v, due on %v, was dropped at %v",
			f, f.dueBy, f.inst.endedAt)
	}
	return 0
}

func (ts *timerSim) auditSeriesLocked(f *timerFunc) {
	err := f.series.Err()
	if int(f.series.Runs()) != f.runs {
		ts.faultLocked(&ts.report.Lost, "series %v counts %d runs", f, f.series.Runs())
	}
	var panicked *timer.PanicError
	right := err == nil
	switch {
	case f.stopped:
	case f.ended && f.ends == exits:
		right = errors.Is(err, timer.ErrGoexit)
	case f.ended:
		right = errors.As(err, &panicked)
	default:
		right = errors.Is(err, timer.ErrClosed)
	}
	if !right {
		ts.faultLocked(&ts.report.Lost, "series %v, stopped %t, over %t, has ended by %v", f,
			f.stopped, f.ended, err)
	}
	select {
	case <-f.series.Done():
	default:
		ts.faultLocked(&ts.report.Stuck, "series %v is not done", f)
	}
}
