package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// Calendar says when a task runs, on the wall clock: Next returns the first time later than after,
// or the zero time if there is none. It may keep no state: Next is asked again about times that it
// was asked about before, from any goroutine. A calendar that is like an interval, as "every
// quarter of an hour" is, says so by a method Interval() bool; see [ScheduledPool.On].
//
// Packages cron and calendar have such values, and so have other libraries: a Schedule of
// robfig/cron is one.
type Calendar interface {
	Next(after time.Time) time.Time
}

// On runs task at the times of a calendar, in the process's zone unless the calendar has its own:
//
//	nightly, err := pool.On(cron.MustParse("0 3 * * *"), report)
//
// The first run is that of the first time after now. The task is periodic like one of
// [ScheduledPool.AtFixedRate], with the same options and commands, but [SlowDown] and SetPeriod, as
// there is no period. It ends when the calendar has no more times. Runs do not overlap.
//
// By default late runs are made up for by one: if times have passed because the machine was
// suspended or the clock was put forward, because all workers were busy, or because the run before
// took so long, one run stands for them all, counts for the last of them, and is told in
// [Run.Missed] how many there were before it. [CatchUp] may be [Burst], a run for each, or [Skip],
// which drops what passes during a run. [BeginWithin] bounds how late a run may be.
//
// A run never begins before the wall clock shows its time. The pool follows when the clock is set,
// and when the machine wakes up: on Linux at once, elsewhere within a minute. If the clock is put
// back by up to three hours, times that have had their run do not get another, except those of
// calendars that are like an interval, which go on from the present time. If it is put back farther
// it was wrong before, and all is planned anew.
//
// On returns [ErrNilTask]; [ErrInvalid] for a nil calendar, one without any time to come, or a bad
// option; [ErrCalendar]; or [ErrShutdown] or [ErrSaturated]. If Next panics when it is asked later
// on, or answers a time that is not after its argument, the series ends with that error. The first
// task on a calendar costs the pool a goroutine and, on Linux, a file descriptor.
func (p *ScheduledPool) On(
	calendar Calendar, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	switch {
	case task == nil:
		return nil, p.misused(opts, ErrNilTask)
	case calendar == nil:
		return nil, p.misused(opts, invalid("nil calendar"))
	}
	o, err := run.ResolveCalendar(&p.engine().Runs().Settings, opts)
	if err != nil {
		return nil, p.misused(opts, err)
	}
	f, c := newScheduled[struct{}]()
	if o.Past != nil {
		task = run.Kept(&o, task)
	}
	s := engine.Submission{Cell: c, Task: task, Options: &o}
	if err := p.engine().Door.On(calendar, s); err != nil {
		return nil, err
	}
	return f, nil
}

// WallClock has a task of [ScheduledPool.ScheduleAt] wait until the wall clock shows the time, also
// if that is set meanwhile, or the machine is suspended. What is due by then runs at once, unless
// [BeginWithin] says that it is too late. Other tasks ignore it.
func WallClock() TaskOption {
	return setting(func(o *series.Options) { o.WallClock = true })
}
