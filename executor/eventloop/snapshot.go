package eventloop

import (
	"fmt"

	"github.com/punctual-go/punctual/executor/internal/sight"
)

// Stats returns a snapshot of the loop's counters. It takes the loop's lock, and first moves what
// has arrived to where it can be counted.
func (l *Loop) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.statsLocked()
	s.Late, s.Took = sight.Of(&l.runs).DistributionsLocked()
	return s
}

func (l *Loop) statsLocked() Stats {
	l.waiting.collectLocked()
	// A canceller settles its task before it leaves the notice, so the difference may be negative.
	tombstones := max(l.waiting.tombstonesLocked(), 0)
	s := Stats{
		Name:       l.runs.Name,
		State:      l.life.stage.String(),
		Queued:     max(l.waiting.agenda.len()+len(l.life.calm.unwanted)-tombstones, 0),
		Tombstones: tombstones,
		Accepted:   l.counts.accepted,
		Rejected:   l.door.rejected.Load(),
		Completed:  l.counts.Completed,
		Cancelled:  l.waiting.notices.left.Load() + l.worker.interrupted.Load(),
		Returned:   l.counts.returned,
		Runs:       l.counts.Runs,
		Failures:   l.counts.Failures,
		Skipped:    l.counts.Skipped,
		Retries:    l.counts.Retries,
		Expired:    l.counts.Expired,
		Starts:     l.counts.starts,
		Wakeups:    l.counts.wakeups,
		Slack:      l.rest.slack,
		TimedOut:   l.counts.TimedOut,
	}
	if l.worker.exec.Task != nil {
		s.Busy = 1
	}
	return s
}

// String returns the state of the loop on one line.
func (l *Loop) String() string {
	s := l.Stats()
	return fmt.Sprintf("eventloop(%q: %s, %d busy, %d queued, %d completed)",
		s.Name, s.State, s.Busy, s.Queued, s.Completed)
}
