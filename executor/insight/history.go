package insight

import "time"

// History is what has happened lately.
type History struct {
	Kept    bool      `json:"kept,omitempty"`    // the Config asks for it
	Seconds []Second  `json:"seconds,omitempty"` // in which runs have begun or expired, in order
	Late    []PastRun `json:"late,omitempty"`    // runs that were explained, the latest first

	// Troubles are what is wrong now, the worst first, and of the same kind what is so for longest.
	Troubles []Trouble `json:"troubles,omitempty"`
}

// Second sums up the runs that have begun within a second and have ended, and counts those that
// have expired in it. The clock that tells seconds from each other is that of the pool, which began
// when the pool was made.
type Second struct {
	At       time.Time `json:"at"` // when it began
	Runs     uint64    `json:"runs"`
	Failures uint64    `json:"failures,omitempty"`
	Skipped  uint64    `json:"skipped,omitempty"` // they have not failed
	Expired  uint64    `json:"expired,omitempty"` // they are no runs

	// The run that was latest: how late, and which.
	Late   time.Duration `json:"late"`
	Name   string        `json:"name,omitempty"`
	Number uint64        `json:"number"`
	Took   time.Duration `json:"took"`
}

// PastRun is a run that has ended, and how late it began; or one that has expired, as BeginWithin
// says. That has not begun: Number is the one that it would have had, Started and Late tell when it
// expired, Took is 0, and Err matches executor.ErrExpired. An error alone does not tell the two
// apart: a body may return that of another task.
type PastRun struct {
	// These are as in executor.Run.
	Name      string    `json:"name,omitempty"`
	Number    uint64    `json:"number"`
	Scheduled time.Time `json:"scheduled,omitzero"`
	Started   time.Time `json:"started,omitzero"`
	Missed    uint64    `json:"missed,omitempty"`
	Attempt   uint64    `json:"attempt,omitempty"`
	Triggered bool      `json:"triggered,omitempty"`

	Took    time.Duration // from start to end
	Err     error         // nil if the run succeeded
	Late    time.Duration
	Why     *Lateness // what it had waited for; nil if it was not explained
	Skipped bool      // it has not failed: Err matches executor.ErrSkipped
	Expired bool
}
