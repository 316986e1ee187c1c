package executor

import (
	"math"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// SlowDown makes failures in a row stretch the period of a series: after n of them it is multiplied
// by factor to the power of n, up to max. A success resets it, and [ErrSkipped] changes nothing. At
// a fixed rate the stretched period is rounded down to whole periods, so the grid stays, and what
// lies between is not counted as missed. factor must be at least 1, and max not below the period.
// Tasks that run once ignore it; see [Retry] for them, whose waits are a [retry.Backoff].
func SlowDown(factor float64, max time.Duration) TaskOption {
	if !(factor >= 1) || math.IsInf(factor, 0) {
		return refused("slow-down factor %v is not a number from 1 on", factor)
	}
	if max <= 0 {
		return refused("the longest period of a slow-down, %v, is not positive", max)
	}
	return setting(func(o *series.Options) { o.BackOff = series.BackOff{Factor: factor, Max: max} })
}

// PauseAfter pauses a series after so many failed runs in a row; attempts of one run count as one,
// and [ErrSkipped] neither counts nor ends the row. The pause is logged. A series that ends with
// the last of them is not paused. [Handle.Resume] lets it go on, and begins a new row. n must be at
// least 1. Tasks that run once ignore it.
func PauseAfter(failures int) TaskOption {
	if failures < 1 {
		return refused("pause after %d failures is below 1", failures)
	}
	return setting(func(o *series.Options) { o.PauseAfter = uint64(failures) })
}

// From keeps a series from running before t: if its initial delay ends earlier, the first run is
// planned for t. A run that [Handle.Trigger] or [Handle.Reset] asks for may come earlier; one that
// [NextIn] or [DelayBy] plans after it may not. Tasks that run once ignore it.
func From(t time.Time) TaskOption {
	return setting(func(o *series.Options) { o.From = t })
}

// Until ends a series at t: no run is planned for that time or later, nor counted as missed, and
// [Jitter] puts none off until then. A run that is late may begin after t. The future succeeds when
// the last run before t has ended, or when none can come any more: a command has moved the next one
// to t or later, or the series is still paused at t. Like [ScheduledPool.ScheduleAt] it reads the
// wall clock once, at the submission. If even the first run is too late, the submission fails with
// [ErrInvalid]. Tasks that run once ignore it.
func Until(t time.Time) TaskOption {
	if t.IsZero() {
		return refused("a series that runs until the zero time")
	}
	return setting(func(o *series.Options) { o.Until = t })
}

// DelayBy lets a function decide, after each run of a series, when the next comes: so long after
// the end of that run; at once if d is zero or less. With again false the series ends, and its
// future succeeds. The function is called on the goroutine of the run, without locks, after the
// error handler. If it panics, that is reported, and the period of the series counts this once. An
// extra run, see [Handle.Trigger], is followed by a call too. It overrules [NextIn] and
// [SlowDown], but not a [Handle.Reset] during the run. Tasks that run once ignore it.
func DelayBy(next func(last LastRun) (d time.Duration, again bool)) TaskOption {
	if next == nil {
		return refused("nil function for the next delay")
	}
	return setting(func(o *series.Options) {
		o.DelayBy = func(last any) (time.Duration, bool) {
			return next(lastRunOf(last.(run.LastRun)))
		}
	})
}

// BeginWithin drops runs that come too late to be of use: a run that has not begun within d after
// its time expires at that moment, whatever it waits for: a worker, its turn in a serial.Serial, a
// serial.Gap, a [Pace], the end of a pause of the pool. Waiting to share a wake-up counts too, so d
// should be longer than the pool's [Slack]. The body of an expired run is not called, and it takes
// no room in the queue any more. The time of a run is that for which it is planned, [Jitter]
// included; that of [ScheduledPool.ScheduleAt] may have passed at the submission. A run that makes
// up for several periods, see [Skip] and [Coalesce], is late since the last of them. Attempts after
// the first may begin at any time.
//
// A task that runs once fails with [ErrExpired]. A series goes on, and the run counts as failed
// with ErrExpired as far as the error handler, [SlowDown] and [PauseAfter] are concerned. It is no
// run for [MaxRuns], Runs and the hooks around runs; Stats counts it as expired, and its period,
// with those that it has missed, is among [Run.Missed] of the next one. [Watch] has it counted by
// name, remembered, and explained: what it has waited for. d must be positive. A task with this
// option costs a timer while it waits.
func BeginWithin(d time.Duration) TaskOption {
	if d <= 0 {
		return refused("begin within %v is not positive", d)
	}
	return setting(func(o *series.Options) { o.BeginWithin = d })
}
