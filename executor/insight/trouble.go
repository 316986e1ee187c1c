package insight

import "time"

// Trouble is something that is wrong now: a task that has not succeeded since, a run that does not
// end, or a lack of workers. It is gone once that is no longer so.
type Trouble struct {
	What  string    `json:"what"`           // one of the constants below
	Name  string    `json:"name,omitempty"` // of the task; empty for the whole pool
	Since time.Time `json:"since,omitzero"` // when it began

	// Count is how many runs in a row have failed or expired since then; of a task that is dead at
	// least 1. Deaths is how often a failure has ended a task of this name since one succeeded.
	Count  uint64 `json:"count,omitempty"`
	Deaths uint64 `json:"deaths,omitempty"`

	Reason string `json:"reason,omitempty"` // in words, where the rest does not say it

	// Run is the last run that has failed or expired, or the one that does not end: of that, Took is
	// how long it has taken so far. It is nil if there is none.
	Run *PastRun `json:"run,omitempty"`
}

// The values of Trouble.What, the worst first.
const (
	// Dead is a task that a failure has ended, as "failed" of [TaskHealth].
	Dead = "dead"
	// Starved is a pool in which a task has been due for a minute, and no worker has become free.
	Starved = "starved"
	// Stuck is a run beyond its timeout, or one that has lasted for ten seconds, and five times as
	// long as nine in ten of at least five runs of this name.
	Stuck = "stuck"
	// Late is a task of which an [Expectation] does not hold, though its last run did not fail.
	Late = "late"
	// GivenUp is a series that has paused itself, as PauseAfter says.
	GivenUp = "paused by failures"
	// TimedOut is a task that has done nothing but exceed its timeout since it succeeded.
	TimedOut = "timed out"
	// Failing is a task whose last run failed. Of tasks that run once those of one name count as
	// one, for ten minutes.
	Failing = "failing"
	// Expiring is a task whose last run did not begin in time, as BeginWithin says.
	Expiring = "expiring"
	// Overdue is a pool in which a task has been due for ten seconds, and no worker has become free.
	Overdue = "overdue"
)
