package executor

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
)

// handBackRunsLocked hands back the series that are in a run which was not to be their last: that
// run goes on, and no other follows. They count as returned from here on, however the run ends,
// which settles their futures.
func (p *Pool) handBackRunsLocked() (series []Pending) {
	now := p.clock.Now()
	for x := range p.executions() {
		if x.Task == nil {
			continue
		}
		pl := planOf(x.Task)
		if !pl.HandBack(x.Task) {
			continue
		}
		p.counts.returned++
		pending := p.pendingOf(x.Task)
		pending.Scheduled = time.Time{}
		if next, known := pl.Upcoming(now); known {
			pending.Scheduled = p.clock.Time(next)
		}
		series = append(series, pending)
	}
	slices.SortFunc(series, Pending.compare)
	return series
}

// compare orders dropped tasks by their times. When a task of Execute came may not be known: it was
// due. A series without a time is one that has not got its next.
func (t Pending) compare(other Pending) int {
	if late, other := t.unplanned(), other.unplanned(); late != other {
		if late {
			return 1
		}
		return -1
	}
	return t.Scheduled.Compare(other.Scheduled)
}

func (t Pending) unplanned() bool { return t.Periodic && t.Scheduled.IsZero() }

// joined puts two lists of dropped tasks into one. At equal times the first comes first.
func joined(first, second []Pending) []Pending {
	return runqueue.Interleave(first, second, func(b, a Pending) bool { return b.compare(a) < 0 })
}
