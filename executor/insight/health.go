package insight

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Health is how a pool or event loop is, as of one moment. It is found out when it is asked for, so
// it recovers by itself.
type Health struct {
	// Status is
	//
	//	ok        what is expected holds
	//	degraded  of some task it does not, or a failure has ended a series; or for more than a
	//	          minute a task has been due, and no worker has become free for it
	//	down      the pool is shut down; or such a task has waited for longer than the shortest
	//	          [SuccessWithin]
	//
	// The worker of a loop is its goroutine: the loop is degraded while one run has held up a task
	// for more than a minute.
	Status string       `json:"status"`
	At     time.Time    `json:"at"`
	Pool   string       `json:"pool,omitempty"`
	State  string       `json:"state"`            // as in Stats
	Reason string       `json:"reason,omitempty"` // if it is down, or no worker is free
	Tasks  []TaskHealth `json:"tasks,omitempty"`  // see there; the worst first
}

// TaskHealth is how a task is of which something is expected, or how a series has ended by a
// failure.
type TaskHealth struct {
	Name string `json:"name"`

	// State is
	//
	//	failed  a failure has ended it, until a run of its name succeeds, or its owner cancels
	//	        it, or one of its name
	//	late    an expectation does not hold
	//	new     it has not succeeded yet, and still has time to
	//	paused  by a command
	//	ok      else
	State string `json:"state"`

	// Since is when it came to be late, or failed; else since when a success is expected.
	Since         time.Time `json:"since,omitzero"`
	LastSuccess   time.Time `json:"last_success,omitzero"`
	FailuresInRow uint64    `json:"failures_in_row,omitempty"`
	Reason        string    `json:"reason,omitempty"` // if it is late or failed
}

// The values of Health.Status.
const (
	HealthOK       = "ok"
	HealthDegraded = "degraded"
	HealthDown     = "down"
)

// Err returns nil if the status is ok, or else an error that says what does not hold.
func (h Health) Err() error {
	if h.Status == HealthOK {
		return nil
	}
	var reasons []string
	if h.Reason != "" {
		reasons = append(reasons, h.Reason)
	}
	for _, t := range h.Tasks {
		if t.Reason != "" {
			reasons = append(reasons, fmt.Sprintf("task %q: %s", t.Name, t.Reason))
		}
	}
	about := "executor: "
	if h.Pool != "" {
		about += fmt.Sprintf("pool %q ", h.Pool)
	}
	return errors.New(about + h.Status + ": " + strings.Join(reasons, "; "))
}
