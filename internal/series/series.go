// Package series is the arithmetic of periodic tasks: when the next run is due, and what becomes of
// periods that have been missed, and of failures. Times are nanoseconds on the executor's clock.
package series

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Options is what one submission asks for. It has been validated.
type Options struct {
	Name    string
	Timeout time.Duration // of each run; 0 means none
	CatchUp CatchUp
	OnError OnError // what a failed run means, if the task is periodic
	Jitter  time.Duration
	MaxRuns uint64 // 0 means no limit

	Priority int

	Values context.Context // whose values the runs know; nil for none in particular
	Within context.Context // which ends the task; nil for none
}

// CatchUp says what a fixed rate does about the periods that pass while the task cannot run.
type CatchUp uint8

// These are the policies as package executor describes them.
const (
	Burst CatchUp = iota
	Skip
	Coalesce
)

// OnError says what a failed run means for its series.
type OnError uint8

// These are the policies as package executor describes them.
const (
	StopOnPanic OnError = iota
	StopSeries
	Continue
)

// These give Series.Period its sign.
const (
	FixedRate  = 1
	FixedDelay = -1
)

// Series is the state of a task that may be periodic. Options and Period do not change once the
// task is accepted; whoever runs the task guards the other fields.
type Series struct {
	Options

	// Period is 0 for a task that runs once, positive for a fixed rate, negative for a fixed delay.
	Period int64

	Runs   uint64 // begun so far
	Missed uint64 // periods without a run of their own, as executor.Run shows them

	Streak Streak // failures since the last success

	slot  int64 // time of the next run, or the one in progress, on the grid: without jitter
	watch watch // over the timeout of the run in progress
	ended int64 // when the last run ended
}

// Periodic reports whether the task repeats.
func (s *Series) Periodic() bool { return s.Period != 0 }

// First plans the first run for the given time, and returns when it is due: later by the jitter.
func (s *Series) First(when int64) (at int64) {
	if s.Periodic() {
		s.slot = when
	}
	return s.disturbed(when, 0)
}

// Start accounts for a run of a periodic task that was planned for scheduled and begins now. It
// returns the time that the run counts for.
//
// At a fixed rate a late run may have missed some periods. A burst makes up for each with a run of
// its own, so the run counts for the time it was planned for. Under the other policies it stands
// for all of them, and counts for the last one that has begun.
func (s *Series) Start(scheduled, now int64) int64 {
	s.Runs++
	s.watch = inTime
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

// Ended returns when the last run ended, or 0 before that. The next run must not start earlier.
func (s *Series) Ended() int64 { return s.ended }

// Next plans the run after one that ended at the given time, and returns when it is due.
func (s *Series) Next(ended int64) (at int64) {
	s.Missed, s.ended = 0, ended
	switch {
	case s.Period < 0: // fixed delay: from the end of the run
		s.slot = clock.Later(ended, time.Duration(-s.Period))
	case s.CatchUp == Skip:
		return s.skip(ended)
	default: // fixed rate: time += period
		s.slot = clock.Later(s.slot, time.Duration(s.Period))
	}
	return s.disturbed(s.slot, 0)
}

// skip plans a run for the first slot of the grid that has not passed at the given time, and
// returns when it is due. The jitter makes a window of each slot, and a slot has passed when no
// time is left in its window; the run is planned for what is left. So a run that comes late in its
// window costs the next one nothing. A slot that falls exactly on the end of a run has not passed.
func (s *Series) skip(ended int64) (at int64) {
	passed := int64(0)
	if over := ended - s.slot - s.window(); over > s.Period {
		passed = (over - 1) / s.Period
	}
	s.Missed = uint64(passed)
	s.slot = clock.Later(s.slot+passed*s.Period, time.Duration(s.Period))
	return s.disturbed(s.slot, max(ended-s.slot, 0))
}

// window returns how long after its slot a run may be planned: the jitter is below s.Jitter.
func (s *Series) window() int64 { return max(int64(s.Jitter)-1, 0) }

// Survives reports whether the series goes on after a failed run: one that failed abruptly, by a
// panic or Goexit, or otherwise by an error or its timeout.
func (s *Series) Survives(abruptly bool) bool {
	return s.Periodic() && (s.OnError == Continue || s.OnError == StopOnPanic && !abruptly)
}

// Upcoming returns when the run after the one in progress would be due, without jitter, if that one
// ended now. It reports false if the end of the run decides that.
func (s *Series) Upcoming(now int64) (at int64, known bool) {
	if s.Period < 0 {
		return 0, false
	}
	next := Series{Options: s.Options, Period: s.Period, slot: s.slot} // a copy: this plans nothing
	next.Jitter = 0
	return next.Next(now), true
}

// Last reports whether the series has begun as many runs as it may.
func (s *Series) Last() bool { return s.MaxRuns > 0 && s.Runs >= s.MaxRuns }

// disturbed adds the jitter to a time, or what is left of the jitter if some of it is gone.
func (s *Series) disturbed(when, gone int64) int64 {
	if s.Jitter == 0 {
		return when
	}
	return clock.Later(when, time.Duration(gone)+rand.N(s.Jitter-time.Duration(gone)))
}
