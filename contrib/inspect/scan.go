package inspect

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/future"
)

// brief is what tasks are chosen and sorted by.
type brief struct {
	state string
	wrong string
	next  int64 // Unix time in nanoseconds; the largest if there is none
	took  time.Duration
	runs  uint64
}

// scan is a look at all tasks of a pool. The pool is locked for less than a microsecond each time,
// but with a hundred thousand tasks that is some tens of milliseconds of work; so it is kept for
// twenty times as long as it has taken, and costs a twentieth of a processor at most.
type scan struct {
	entries []*entry // of which the briefs are
	briefs  []brief
	until   time.Time
}

// of returns a brief for each of the entries.
func (c *scan) of(entries []*entry, s *seen) []brief {
	same := len(entries) == len(c.entries) &&
		(len(entries) == 0 || &entries[0] == &c.entries[0])
	if same && s.at.Before(c.until) {
		return c.briefs
	}
	began := time.Now()
	briefs := make([]brief, len(entries))
	for i, e := range entries {
		briefs[i] = newBrief(e.handle.Status())
	}
	*c = scan{entries: entries, briefs: briefs, until: s.at.Add(20 * time.Since(began))}
	return briefs
}

func newBrief(status executor.TaskStatus) brief {
	b := brief{state: stateOf(status), wrong: wrongOf(status), next: noNext, runs: status.Runs}
	if !status.Next.IsZero() {
		b.next = status.Next.UnixNano()
	}
	if status.Last != nil {
		b.took = status.Last.Took
	}
	return b
}

// What a task does, and what is wrong with it, if anything is.
const (
	stateEnded   = "ended"
	statePaused  = "paused"
	stateRunning = "running"
	stateWaiting = "waiting"

	stateLate     = insight.Late     // something is expected of it that does not hold
	stateTimedOut = insight.TimedOut // its last run exceeded its timeout
	stateFailing  = insight.Failing  // its last run failed
)

func stateOf(status executor.TaskStatus) string {
	switch {
	case status.State.Settled():
		return stateEnded
	case status.Paused:
		return statePaused
	case status.State == future.Running:
		return stateRunning
	}
	return stateWaiting
}

// wrongOf says what is wrong with a task; it is empty if nothing is.
func wrongOf(status executor.TaskStatus) string {
	switch last := status.Last; {
	case status.Health != nil && (status.Health.State == "late" || status.Health.State == "failed"):
		return stateLate
	case last == nil || last.Err == nil || last.Skipped:
		return ""
	case matches(last.Err, future.ErrTimeout):
		return stateTimedOut
	}
	return stateFailing
}
