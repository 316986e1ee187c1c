package inspect

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// brief is what tasks are chosen and sorted by.
type brief struct {
	state string
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
	b := brief{state: stateOf(status), next: 1<<63 - 1, runs: status.Runs}
	if !status.Next.IsZero() {
		b.next = status.Next.UnixNano()
	}
	if status.Last != nil {
		b.took = status.Last.Took
	}
	return b
}

// The states of tasks, worst first: what is shown is the first that fits.
const (
	stateEnded   = "ended"
	stateRunning = "running"
	statePaused  = "paused"
	stateLate    = "late"    // something is expected of it that does not hold
	stateFailing = "failing" // its last run failed
	stateWaiting = "waiting"
)

func stateOf(status executor.TaskStatus) string {
	switch {
	case status.State.Settled():
		return stateEnded
	case status.Paused:
		return statePaused
	case status.State == future.Running:
		return stateRunning
	case status.Health != nil && (status.Health.State == "late" || status.Health.State == "failed"):
		return stateLate
	case status.Last != nil && status.Last.Err != nil && !status.Last.Skipped:
		return stateFailing
	}
	return stateWaiting
}
