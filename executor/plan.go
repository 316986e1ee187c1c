package executor

import (
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// plan is what a pool knows of a task besides its cell: its options and, if it is periodic, where
// the series stands. Tasks without options share one plan, so that they cost nothing here.
//
// The pool's lock guards the fields of the series.
type plan struct {
	cell.Plan
	taskOptions

	strand *strand // of a task of a serial executor

	reports bool // a failure has no future of its own and goes to the error handler

	// period is 0 for a task that runs once, positive for a fixed rate, negative for a fixed delay.
	period int64

	slot   int64  // the undisturbed time of the next run, or of the one in progress
	runs   uint64 // begun so far
	missed uint64 // see Run.Missed
}

func planOf(c *cell.Cell) *plan { return c.Plan.Detail.(*plan) }

func (pl *plan) periodic() bool { return pl.period != 0 }

// first plans the first run for the time when, and returns when it is due.
func (pl *plan) first(when int64) (at int64) {
	if pl.periodic() {
		pl.slot = when
	}
	return pl.disturbed(when)
}

// start accounts for a run of a periodic task, planned for scheduled, that begins now, and returns
// the time it counts for.
func (pl *plan) start(scheduled, now int64) int64 {
	pl.runs++
	if pl.period < 0 {
		return scheduled
	}
	passed := max(now-scheduled, 0) / pl.period
	if pl.catchUp == Burst {
		pl.missed = uint64(passed)
		return scheduled
	}
	pl.missed += uint64(passed)
	pl.slot += passed * pl.period
	return scheduled + passed*pl.period
}

// next plans the run after one that ended at the given time and returns when it is due.
func (pl *plan) next(ended int64) (at int64) {
	pl.missed = 0
	switch {
	case pl.period < 0: // fixed delay: from the end of the run
		pl.slot = clock.Later(ended, time.Duration(-pl.period))
	case pl.catchUp == Skip && ended-pl.slot > pl.period:
		// The first slot of the grid that has not passed. One that falls on the very end of the
		// run has not.
		passed := (ended - pl.slot - 1) / pl.period
		pl.missed = uint64(passed)
		pl.slot = clock.Later(pl.slot+passed*pl.period, time.Duration(pl.period))
	default: // fixed rate: time += period
		pl.slot = clock.Later(pl.slot, time.Duration(pl.period))
	}
	return pl.disturbed(pl.slot)
}

// tolerant reports whether the series goes on after failures.
func (pl *plan) tolerant() bool { return pl.periodic() && pl.onError == Continue }

// last reports whether the runs begun so far are all there may be.
func (pl *plan) last() bool { return pl.maxRuns > 0 && pl.runs >= pl.maxRuns }

// disturbed adds the jitter to a time.
func (pl *plan) disturbed(when int64) int64 {
	if pl.jitter == 0 {
		return when
	}
	return clock.Later(when, rand.N(pl.jitter))
}
