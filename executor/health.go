package executor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/series"
)

// Expect says what is expected of a task; [Pool.Health] tells whether it holds. A task that is to
// be told of by name needs a [Name].
func Expect(expectations ...Expectation) TaskOption {
	return taskOption(func(o *series.Options) error {
		for _, e := range expectations {
			if e.set == nil {
				return invalid("expectation is zero")
			}
			if err := e.set(o); err != nil {
				return err
			}
		}
		return nil
	})
}

// Expectation is something that is expected of a task: [SuccessWithin], [StartWithin].
type Expectation struct{ set func(*series.Options) error }

// SuccessWithin expects that the task succeeds within d: of its submission, of its last success,
// and of a [Handle.Resume] or [Pool.Resume]. While the task, or the pool, is paused, nothing is
// expected; but a series that has paused itself, see [PauseAfter], has not recovered by that: it is
// late until it succeeds. Set d well above the period and the time that a run takes: three periods
// is usual. d must be positive.
func SuccessWithin(d time.Duration) Expectation {
	return Expectation{func(o *series.Options) error {
		if d <= 0 {
			return invalid("success within %v: not positive", d)
		}
		o.SuccessWithin = d
		return nil
	}}
}

// StartWithin expects that the part q of the last 100 runs begins no later than d after it is due:
// with 0.99 one of them may, with 1 none. A run that has expired, see [BeginWithin], has not begun
// in time. d must be positive, and q between 0 and 1.
func StartWithin(d time.Duration, q float64) Expectation {
	return Expectation{func(o *series.Options) error {
		if d <= 0 || !(q > 0 && q <= 1) {
			return invalid("start within %v in %v of all cases: no such expectation", d, q)
		}
		o.StartWithin, o.StartQuantile = d, q
		return nil
	}}
}

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
	//	paused  by somebody
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

// Health returns how the pool is; see [Expect]. It takes the lock for O(n) with n tasks of which
// something is expected, and calls no user code.
func (p *Pool) Health() Health {
	at, state, status, reason, tasks := p.engine().Views.Health()
	h := Health{At: at, Pool: p.runs().Name, State: state, Status: status, Reason: reason}
	for _, t := range tasks {
		h.Tasks = append(h.Tasks, TaskHealth(t))
	}
	return h
}

// taskHealthLocked returns whether what is expected of a task holds, or nil if nothing is.
func taskHealthLocked(o *run.Owner, pl *run.Plan) *TaskHealth {
	t, ok := sight.Of(o).TaskLocked(pl)
	if !ok {
		return nil
	}
	return (*TaskHealth)(&t)
}

// OnHealth has f called when the status of a pool or event loop, or the state of a task, becomes
// another: a task is late or has failed, and when it is well again; not for new, paused and ok
// among each other, and not once the executor is shut down. It is called on a goroutine of its own,
// one call at a time, with what there is then; changes during a call are told by the next. If it
// panics or calls Goexit, that is reported like the panic of a hook. OnHealth panics if f is nil.
func OnHealth(f func(Health)) CommonOption {
	if f == nil {
		panic("executor: nil function")
	}
	return forLoops(func(s *run.Settings) {
		known := HealthOK
		c := sight.ConfigOf(s)
		c.OnHealth = append(c.OnHealth, func(health any) (tell func()) {
			h := health.(Health)
			now := h.trouble()
			if now == known || h.State != engine.StateRunning {
				return nil
			}
			known = now
			return func() { f(h) }
		})
	})
}

// trouble returns what is to be told: the status, and which tasks are how.
func (h Health) trouble() string {
	parts := []string{h.Status}
	for _, t := range h.Tasks {
		if t.Reason != "" {
			parts = append(parts, t.Name+"\x00"+t.State)
		}
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\x00\x00")
}
