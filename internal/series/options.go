package series

import (
	"context"
	"time"
)

// Options is what one submission asks for. It has been validated.
type Options struct {
	Name    string
	Timeout time.Duration // of each run; 0 means none
	CatchUp CatchUp

	CatchUpSet bool    // CatchUp was asked for: a calendar has another default
	OnError    OnError // what a failed run means, if the task is periodic
	Unique     bool    // the name is taken while the task lives
	WallClock  bool    // a task that runs once waits on the wall clock
	Jitter     time.Duration
	MaxRuns    uint64 // 0 means no limit

	From, Until time.Time // when runs may be planned; the zero time means no bound
	BackOff     BackOff   // of a series whose runs fail
	PauseAfter  uint64    // failures in a row; 0 means never

	Retry       Retry
	BeginWithin time.Duration // too late a run does not begin; 0 means no limit

	// DelayBy, if set, says after a run how long to wait for the next, or that there is none. Its
	// argument is an executor.LastRun.
	DelayBy func(last any) (d time.Duration, again bool)

	// Follower, if set, is told of the runs of the series, once each is over.
	Follower Follower

	Priority int

	// What is expected of the task; 0 means nothing.
	SuccessWithin time.Duration // a run succeeds at least so often
	StartWithin   time.Duration // of the last hundred runs, this part begins no later than that
	StartQuantile float64

	Past *Past // what there was of a series before; nil for nothing

	Values context.Context // whose values the runs know; nil for none in particular
	Within context.Context // which ends the task; nil for none
}

// Follower is told of each run of a series that has ended, with its attempts, or has expired; of
// one whose body goes on after its timeout, when that has returned. It is called without a lock, on
// the goroutine of the run. Last is a run.LastRun; if the run has not failed, its error is that of
// a skip or a cancellation.
type Follower interface{ RunEnded(last any, failed bool) }

// Expectation sets what is expected of a task, or returns why that makes no sense.
type Expectation func(*Options) error

// CatchUp says what a fixed rate does about the periods that pass while the task cannot run.
type CatchUp uint8

// These are the policies as package executor describes them.
const (
	Burst CatchUp = iota
	Skip
	Coalesce
	Shift
)

// OnError says what a failed run means for its series.
type OnError uint8

// These are the policies as package executor describes them.
const (
	StopOnPanic OnError = iota
	StopSeries
	Continue
)

// Nameable reports whether nothing is asked for but a name and a priority: all tasks for which the
// same is asked are alike then, and need no state of their own.
func (o *Options) Nameable() bool {
	return o.Timeout == 0 && o.CatchUp == 0 && !o.CatchUpSet && o.OnError == 0 && o.Jitter == 0 &&
		o.MaxRuns == 0 && o.From.IsZero() && o.Until.IsZero() && o.BackOff == BackOff{} &&
		o.PauseAfter == 0 && !o.Unique && o.Retry == Retry{} && o.BeginWithin == 0 &&
		o.DelayBy == nil && o.Follower == nil && o.Past == nil &&
		o.SuccessWithin == 0 && o.StartWithin == 0 && o.StartQuantile == 0 &&
		!o.WallClock && o.Values == nil && o.Within == nil
}
