package run

import "time"

// LastRun is a run that has ended. It is executor.LastRun, field by field.
type LastRun struct {
	Info
	Took    time.Duration
	Err     error
	Skipped bool
}

// Record is what is kept of a run that has ended, with times of the owner's clock.
type Record struct {
	Number, Missed, Attempt   uint64
	Scheduled, Started, Ended int64
	Extra                     bool
	Err                       error
	Skipped                   bool
	shown                     shown // if the task waits on the wall clock
}

// shown is when a run was planned and began, as the wall clock showed it. The owner's clock knows
// only what that would show, had nobody set it.
type shown struct{ scheduled, started time.Time }
