package executor

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// Stats is a consistent snapshot of a pool.
//
// While no call into the pool is in progress,
//
//	Accepted = Completed + Cancelled + Returned + Queued + Busy
//
// The exceptions are tasks that were cancelled, timed out, or handed back by a shutdown, and whose
// body is still running: they count as ended and as busy.
//
// In JSON, durations are written as [time.ParseDuration] reads them: "1m0s".
type Stats struct {
	Name  string `json:"name,omitempty"`
	State string `json:"state"` // running, shutting down, stopping, tidying, terminated

	Core        int           `json:"core"`             // the size set
	Maximum     int           `json:"maximum,omitzero"` // the size set; 0 if unbounded
	KeepAlive   time.Duration `json:"keep_alive"`
	CoreTimeout bool          `json:"core_timeout"`
	Workers     int           `json:"workers"` // present now
	Largest     int           `json:"largest"` // most that were present at once
	Paused      bool          `json:"paused,omitzero"`
	Busy        int           `json:"busy"`    // tasks running on workers, helpers and callers
	Queued      int           `json:"queued"`  // tasks waiting
	Blocked     int           `json:"blocked"` // submitters waiting for room; not accepted yet

	// Accepted counts the tasks taken in. Rejected counts the submissions that failed because the
	// pool was shut down or saturated, or because a context had ended.
	Accepted uint64 `json:"accepted"`
	Rejected uint64 `json:"rejected"`

	Completed uint64 `json:"completed"` // tasks ended by their run; a series by its last
	Cancelled uint64 `json:"cancelled"` // tasks cancelled by their future before they ended
	Returned  uint64 `json:"returned"`  // tasks dropped, for room or by a shutdown, or handed back

	Runs     uint64 `json:"runs"`     // bodies that have ended; each run of a series counts
	Failures uint64 `json:"failures"` // failed runs, at a timeout too; none of a cancelled task
	Skipped  uint64 `json:"skipped"`  // runs that have returned ErrSkipped: no success, no failure
	Retries  uint64 `json:"retries"`  // failed attempts that another was to follow, see Retry
	Expired  uint64 `json:"expired"`  // runs that did not begin in time, see BeginWithin
	Wakeups  uint64 `json:"wakeups"`  // how often an idle worker was woken; never with nothing due

	TimedOut    uint64 `json:"timed_out,omitzero"`   // runs, attempts too, beyond their Timeout
	Overrunning int    `json:"overrunning,omitzero"` // runs in progress that have

	Slack time.Duration `json:"slack,omitzero"` // how late a run may be to share a wake-up

	// Overdue is how long the task that is due next has been due; 0 if none is, or if the pool does
	// not know since when.
	Overdue time.Duration `json:"overdue,omitzero"`

	// Late tells how late runs began, Took how long they took; nil unless they are measured, see
	// [Watch].
	Late *insight.Distribution `json:"late,omitempty"`
	Took *insight.Distribution `json:"took,omitempty"`
}

// Stats returns a snapshot of the pool's sizes and counters.
func (p *Pool) Stats() Stats { return Stats(p.engine().Views.Stats()) }

// Queued returns the tasks that wait, as of one moment, in the order in which they are due. It
// takes O(n log n) time, during O(n) of which the pool is locked.
func (p *Pool) Queued() []Pending { return pendings(p.engine().Views.Queued()) }

// Next returns the first n of the tasks that wait, or all if there are fewer, in the order in which
// they are due. It leaves out tasks held back behind another one of their serial executor, and
// those of a plain pool that wait before another attempt. The pool is locked for O(n log n),
// however many tasks wait: microseconds for a hundred. Only while a great many tasks that are due
// at once are being sorted may it take longer.
func (p *Pool) Next(n int) []Pending { return pendings(p.engine().Views.Next(n)) }

// Running returns the tasks that are running, the longest running first. Of a task whose start was
// not recorded, see [Run], For counts from the first question.
func (p *Pool) Running() []Running { return runnings(p.engine().Views.Running()) }

// String describes the state of the pool in a line.
func (p *Pool) String() string {
	s := p.Stats()
	return fmt.Sprintf("executor(%q: %s, %d workers, %d busy, %d queued, %d completed)",
		s.Name, s.State, s.Workers, s.Busy, s.Queued, s.Completed)
}
