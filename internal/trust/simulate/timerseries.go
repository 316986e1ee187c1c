package simulate

import (
	"errors"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// stopSeriesLocked notes the stop of a series or task; the lock is held.
func (ts *timerSim) stopSeriesLocked(f *timerFunc, stopped bool, now time.Duration) {
	switch {
	case stopped && (f.stopped || f.ended && f.endedAt < ts.quietUntil):
		ts.faultLocked(&ts.report.Duplicate, "%v is stopped twice, or after its end", f)
	case stopped:
		if !f.inBody && !f.ended {
			ts.checkOverdueLocked(f)
		}
		f.stopped, f.endedAt = true, now
	case !f.stopped && !f.ended && f.periodic() && f.changes == 0 && !f.inst.ended:
		ts.faultLocked(&ts.report.Lost, "%v has not ended, and cannot be stopped", f)
	}
}

// startRepeating starts f as a series of package timer, or as a task of the classic timer, which
// may also run once.
func (ts *timerSim) startRepeating(f *timerFunc) {
	if f == nil || ts.pendingLimit > 0 || ts.executorRejects {
		return
	}
	f.delay = max(f.delay, 0)
	f.rule = burst + rule(ts.rng.IntN(4))
	f.period = grid * time.Duration(1+ts.rng.IntN(20))
	f.rearmAfter = 0
	if f.lastRun == 0 && !ts.oneIn(8) {
		f.lastRun = 1 + ts.rng.IntN(8)
	}
	begin := ts.startSeries
	if ts.classic && ts.oneIn(2) {
		f.rule = [...]rule{once, burst, startToStart}[ts.rng.IntN(3)]
		f.task = timer.NewTask(f.body)
		begin = ts.startTask
	}
	ts.repeating = append(ts.repeating, f)
	ts.mu.Lock()
	f.inst = ts.inst
	ts.planLocked(f, f.delay)
	f.first = f.due
	late := f.inst.ended && f.inst.endedAt < ts.quietUntil
	ts.mu.Unlock()
	err := begin(f)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	now := ts.advanceLocked()
	f.registered = err == nil
	switch {
	case err != nil && f.inst.ended && errors.Is(err, timer.ErrClosed):
		f.ended = true
	case err != nil || late:
		ts.faultLocked(&ts.report.Lost, "%v was begun: %v", f, err)
	case f.runs == 0:
		f.dueBy, f.queuedBy = ts.plannedStart(f.inst, now, f.delay), ts.stamp
	}
}

// startSeries begins f as a series.
func (ts *timerSim) startSeries(f *timerFunc) (err error) {
	var s *timer.Series
	switch f.rule {
	case fixedDelay:
		s, err = timer.WithFixedDelay(f.inst.sched, f.delay, f.period, f.body)
	case skip:
		s, err = timer.AtFixedRate(f.inst.sched, f.delay, f.period, f.body,
			timer.CatchUp(timer.Skip))
	case coalesce:
		s, err = timer.AtFixedRate(f.inst.sched, f.delay, f.period, f.body,
			timer.CatchUp(timer.Coalesce))
	default:
		s, err = timer.AtFixedRate(f.inst.sched, f.delay, f.period, f.body)
	}
	ts.mu.Lock()
	f.series = s
	ts.mu.Unlock()
	return err
}

// startTask schedules f as a task of the classic timer.
func (ts *timerSim) startTask(f *timerFunc) error {
	at := ts.oneIn(3)
	first := time.Now().Add(f.delay)
	switch t := f.inst.timer; {
	case f.rule == once && at:
		return t.ScheduleAt(f.task, first)
	case f.rule == once:
		return t.Schedule(f.task, f.delay)
	case f.rule == burst && at:
		return t.AtFixedRateAt(f.task, first, f.period)
	case f.rule == burst:
		return t.AtFixedRate(f.task, f.delay, f.period)
	case at:
		return t.RepeatAt(f.task, first, f.period)
	default:
		return t.Repeat(f.task, f.delay, f.period)
	}
}
