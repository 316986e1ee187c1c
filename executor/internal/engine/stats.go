package engine

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/lateness"
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
	Retries     uint64
	Expired     uint64
	Wakeups     uint64
	TimedOut    uint64
	Overrunning int
	Slack       time.Duration
	Overdue     time.Duration
}

// counts are the counters of a pool. Its lock guards them. What workers have claimed from a batch
// is not in them until the worker leaves the batch.
type counts struct {
	busy                                    int
	run.Counts                              // of runs, and of tasks that have ended by them
	accepted, rejected, cancelled, returned uint64
	largest                                 int
}

// Stats returns the figures of one moment and, if they are measured, how late runs have begun and
// how long they have taken.
func (p *Pool) Stats() (s Stats, late, took lateness.Histogram, measured bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	late, took, measured = sight.Of(&p.runs).MeasuredLocked()
	return p.statsLocked(), late, took, measured
}

func (p *Pool) statsLocked() Stats {
	var dealt int
	var ran uint64
	accepted, rejected, queued := p.waiting.tallyLocked(func() { dealt, ran = p.playedLocked() })
	return Stats{
		Name:        p.runs.Name,
		State:       p.stage.String(),
		Core:        p.crew.core,
		Maximum:     p.crew.boundLocked(),
		KeepAlive:   p.keepAlive.Load(),
		CoreTimeout: p.coreTimeout.Load(),
		Workers:     len(p.crew.workers),
		Largest:     p.counts.largest,
		Paused:      p.crew.pause.on,
		Busy:        p.counts.busy,
		Queued:      queued + dealt + len(p.waiting.deferred),
		Blocked:     p.blockedSubmitters.list.Len(),
		Accepted:    accepted,
		Rejected:    rejected,
		Completed:   p.counts.Completed + ran,
		Cancelled:   p.counts.cancelled,
		Returned:    p.counts.returned,
		Runs:        p.counts.Runs + ran,
		Failures:    p.counts.Failures,
		Retries:     p.counts.Retries,
		Expired:     p.counts.Expired,
		Wakeups:     p.crew.lot.Wakes(),
		TimedOut:    p.counts.TimedOut,
		Overrunning: p.overrunningLocked(),
		Slack:       time.Duration(p.crew.slack),
		Overdue:     p.overdueLocked(),
	}
}

// overrunningLocked returns how many runs in progress have exceeded their timeout.
func (p *Pool) overrunningLocked() (n int) {
	now := p.clock.Now()
	for x := range p.crew.executionsLocked() {
		if x.Task != nil && x.Overruns(now) {
			n++
		}
	}
	return n
}

// overdueLocked returns for how long the head of the queue has been due.
func (p *Pool) overdueLocked() time.Duration {
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

// tallyLocked returns one consistent snapshot of the tasks accepted, rejected and waiting, without
// those in a batch. It calls also inside that snapshot, with submissions locked out.
func (ws *waiting) tallyLocked(also func()) (accepted, rejected uint64, queued int) {
	accepted, rejected = ws.pool.counts.accepted, ws.pool.counts.rejected
	if ws.inbox == nil {
		also()
		return accepted, rejected, ws.queue.Len() + ws.heldBack
	}
	accepted, rejected, queued = ws.inbox.Tally(accepted, rejected, also)
	if q, ok := ws.queue.(*runqueue.Delayed); ok {
		queued += q.Beside()
	}
	return accepted, rejected, queued + ws.heldBack
}

// playedLocked returns how many tasks of batches are not claimed yet, and how many have ended that
// are not in the counts yet. Both are of one moment, because Progress reads each batch once.
func (p *Pool) playedLocked() (left int, ended uint64) {
	var seen []*runqueue.Batch
	if p.waiting.batch != nil {
		left, ended = p.waiting.batch.Progress()
		seen = append(seen, p.waiting.batch)
	}
	for w := range p.crew.workers {
		// Several workers may still be at the tasks of one earlier batch.
		if w.batch != nil && !slices.Contains(seen, w.batch) {
			_, over := w.batch.Progress()
			ended += over
			seen = append(seen, w.batch)
		}
	}
	return left, ended
}

// Running returns the tasks that are running, the longest running first.
func (p *Pool) Running() []Running {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runningLocked()
}

func (p *Pool) runningLocked() (rs []Running) {
	for x := range p.crew.executionsLocked() {
		if x.Task != nil && x.Aside == 0 {
			r := Running{Run: p.askLocked(x.Task)}
			r.Waits, r.WaitsFor = x.waitsLocked()
			rs = append(rs, r)
		}
	}
	p.asked = p.clock.Now()
	now := p.clock.Time(p.clock.Now())
	for i := range rs {
		rs[i].For = now.Sub(rs[i].Run.Started)
	}
	slices.SortFunc(rs, func(a, b Running) int { // of those that began together, by name
		return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.Run.Name, b.Run.Name))
	})
	return rs
}

// Vars returns the figures as a variable of package expvar shows them.
func (p *Pool) Vars() sight.Vars {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.statsLocked()
	v := sight.Vars{
		Name: s.Name, State: s.State, Workers: s.Workers, Busy: s.Busy, Queued: s.Queued,
		Overdue: int64(s.Overdue), Accepted: s.Accepted, Rejected: s.Rejected,
		Completed: s.Completed, Cancelled: s.Cancelled, Returned: s.Returned, Runs: s.Runs,
		Failures: s.Failures, Retries: s.Retries, Expired: s.Expired, TimedOut: s.TimedOut,
		Overrunning: s.Overrunning, Wakeups: s.Wakeups,
	}
	v.MeasuredLocked(&p.runs)
	return v
}

// StateRunning is the state of a pool that is not shut down.
const StateRunning = "running"

// Health returns the state of the pool, what it means for its health, and how the tasks are of which
// something is expected, all as of one moment.
func (p *Pool) Health() (at time.Time, state, status, reason string, tasks []sight.TaskHealth) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state = p.stage.String()
	status, reason, tasks = sight.Of(&p.runs).HealthLocked(state, p.stage == running)
	return p.clock.Time(p.clock.Now()), state, status, reason, tasks
}
