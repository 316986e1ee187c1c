package engine

import (
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/parking"
)

// Stats are the figures of a pool at one moment, as package executor shows them.
type Stats struct {
	Name        string
	State       string
	Core        int
	Maximum     int
	KeepAlive   time.Duration
	CoreTimeout bool
	Workers     int
	Largest     int
	Paused      bool
	Busy        int
	Queued      int
	Blocked     int
	Accepted    uint64
	Rejected    uint64
	Completed   uint64
	Cancelled   uint64
	Returned    uint64
	Runs        uint64
	Failures    uint64
	Skipped     uint64
	Retries     uint64
	Expired     uint64
	Wakeups     uint64
	TimedOut    uint64
	Overrunning int
	Slack       time.Duration
	Overdue     time.Duration
	Late        *insight.Distribution // nil if runs are not measured
	Took        *insight.Distribution
}

// Stats returns the figures of one moment.
func (vw *Views) Stats() (s Stats) {
	vw.pool.look(func() {
		s = vw.statsLocked()
		s.Late, s.Took = sight.Of(&vw.pool.runs).DistributionsLocked()
	})
	return s
}

func (vw *Views) statsLocked() Stats {
	p := vw.pool
	var dealt int
	var ran uint64
	tally := p.waiting.tallyLocked(func() { dealt, ran = vw.playedLocked() })
	return Stats{
		Name:        p.runs.Name,
		State:       p.Life.stage.String(),
		Core:        p.Crew.core,
		Maximum:     p.Crew.boundLocked(),
		KeepAlive:   p.keepAlive.Load(),
		CoreTimeout: p.coreTimeout.Load(),
		Workers:     len(p.Crew.workers),
		Largest:     p.counts.largest,
		Paused:      p.Crew.pause.on,
		Busy:        p.counts.busy,
		Queued:      tally.queued + dealt + len(p.waiting.deferred),
		Blocked:     p.Door.blockedSubmitters.list.Len(),
		Accepted:    tally.accepted,
		Rejected:    tally.rejected,
		Completed:   p.counts.Completed + ran,
		Cancelled:   tally.cancelled,
		Returned:    p.counts.returned,
		Runs:        p.counts.Runs + ran,
		Failures:    p.counts.Failures,
		Skipped:     p.counts.Skipped,
		Retries:     p.counts.Retries,
		Expired:     p.counts.Expired,
		Wakeups:     p.Crew.lot.Wakes(),
		TimedOut:    p.counts.TimedOut,
		Overrunning: vw.overrunningLocked(),
		Slack:       time.Duration(p.Crew.slack),
		Overdue:     vw.overdueLocked(),
	}
}

// overrunningLocked returns how many runs in progress have exceeded their timeout.
func (vw *Views) overrunningLocked() (n int) {
	now := vw.pool.clock.Now()
	for x := range vw.pool.Crew.executionsLocked() {
		if x.Task != nil && x.Overruns(now) {
			n++
		}
	}
	return n
}

// overdueLocked returns for how long the head of the queue has been due.
func (vw *Views) overdueLocked() time.Duration {
	p := vw.pool
	if p.waiting.custom != nil { // which is the user's, and knows no times
		return 0
	}
	when, _ := p.waiting.queue.Head()
	if when == unread || when == parking.Nothing {
		return 0
	}
	return max(time.Duration(p.clock.Now()-when), 0)
}

// boundLocked returns the maximum size, or 0 if there is none.
func (cr *Crew) boundLocked() int {
	if most := cr.maximumSizeLocked(); most < math.MaxInt {
		return most
	}
	return 0
}

// playedLocked returns how many tasks of batches are not claimed yet, and how many have ended that
// are not in the counts yet. Both are of one moment, because Progress reads each batch once.
func (vw *Views) playedLocked() (left int, ended uint64) {
	p := vw.pool
	var seen []*runqueue.Batch
	if p.waiting.batch != nil {
		left, ended = p.waiting.batch.Progress()
		seen = append(seen, p.waiting.batch)
	}
	for w := range p.Crew.workers {
		// Several workers may still be at the tasks of one earlier batch.
		if w.batch != nil && !slices.Contains(seen, w.batch) {
			_, over := w.batch.Progress()
			ended += over
			seen = append(seen, w.batch)
		}
	}
	return left, ended
}

// Vars returns the figures as a variable of package expvar shows them.
func (vw *Views) Vars() (v sight.Vars) {
	vw.pool.look(func() {
		s := vw.statsLocked()
		v = sight.Vars{
			Name: s.Name, State: s.State, Workers: s.Workers, Busy: s.Busy, Queued: s.Queued,
			Overdue: int64(s.Overdue), Accepted: s.Accepted, Rejected: s.Rejected,
			Completed: s.Completed, Cancelled: s.Cancelled, Returned: s.Returned, Runs: s.Runs,
			Failures: s.Failures, Skipped: s.Skipped, Retries: s.Retries, Expired: s.Expired,
			TimedOut: s.TimedOut, Overrunning: s.Overrunning, Wakeups: s.Wakeups,
		}
		v.MeasuredLocked(&vw.pool.runs)
	})
	return v
}
