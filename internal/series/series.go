// Package series is the arithmetic of periodic tasks: when the next run is due, and what becomes of
// the periods that have gone by. Times are nanoseconds of the executor's clock.
package series

import (
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Options are what one submission asks for, checked already.
type Options struct {
	Name    string
	Timeout time.Duration // of each run; 0 means none
	CatchUp CatchUp
	GoesOn  bool // after failures, if it is periodic
	Jitter  time.Duration
	MaxRuns uint64 // 0 means no end

	Priority int
}

// CatchUp says what a fixed rate does about the periods that pass while the task cannot run.
type CatchUp uint8

// The policies, as package executor describes them.
const (
	Burst CatchUp = iota
	Skip
	Coalesce
)

// The signs of Series.Period.
const (
	FixedRate  = 1
	FixedDelay = -1
)

// Series is where a task stands that may be periodic. Whoever runs it guards the fields but for Options
// and Period, which do not change once the task is accepted.
type Series struct {
	Options

	// Period is 0 for a task that runs once, positive for a fixed rate, negative for a fixed delay.
	Period int64

	Runs   uint64 // begun so far
	Missed uint64 // periods without a run of their own, as executor.Run tells them

	slot int64 // the undisturbed time of the next run, or of the one in progress
}

// Periodic reports whether the task repeats.
func (s *Series) Periodic() bool { return s.Period != 0 }

// First plans the first run for the time when, and returns when it is due.
func (s *Series) First(when int64) (at int64) {
	if s.Periodic() {
		s.slot = when
	}
	return s.disturbed(when)
}

// Start accounts for a run of a periodic task, planned for scheduled, that begins now, and returns
// the time it counts for.
func (s *Series) Start(scheduled, now int64) int64 {
	s.Runs++
	if s.Period < 0 {
		return scheduled
	}
	passed := max(now-scheduled, 0) / s.Period
	if s.CatchUp == Burst {
		s.Missed = uint64(passed)
		return scheduled
	}
	s.Missed += uint64(passed)
	s.slot += passed * s.Period
	return scheduled + passed*s.Period
}

// Next plans the run after one that ended at the given time and returns when it is due.
func (s *Series) Next(ended int64) (at int64) {
	s.Missed = 0
	switch {
	case s.Period < 0: // fixed delay: from the end of the run
		s.slot = clock.Later(ended, time.Duration(-s.Period))
	case s.CatchUp == Skip && ended-s.slot > s.Period:
		// The first slot of the grid that has not passed. One that falls on the very end of the
		// run has not.
		passed := (ended - s.slot - 1) / s.Period
		s.Missed = uint64(passed)
		s.slot = clock.Later(s.slot+passed*s.Period, time.Duration(s.Period))
	default: // fixed rate: time += period
		s.slot = clock.Later(s.slot, time.Duration(s.Period))
	}
	return s.disturbed(s.slot)
}

// Upcoming returns when the run after the one in progress would be due if that ended now, but for
// the jitter. It reports false if that depends on the end of the run.
func (s *Series) Upcoming(now int64) (at int64, known bool) {
	if s.Period < 0 {
		return 0, false
	}
	next := *s // a copy, so that nothing is planned
	next.Jitter = 0
	return next.Next(now), true
}

// Tolerant reports whether the series goes on after failures.
func (s *Series) Tolerant() bool { return s.Periodic() && s.GoesOn }

// Last reports whether the runs begun so far are all there may be.
func (s *Series) Last() bool { return s.MaxRuns > 0 && s.Runs >= s.MaxRuns }

// disturbed adds the jitter to a time.
func (s *Series) disturbed(when int64) int64 {
	if s.Jitter == 0 {
		return when
	}
	return clock.Later(when, rand.N(s.Jitter))
}
