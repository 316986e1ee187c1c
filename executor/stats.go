package executor

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Stats is a snapshot of a pool, taken in one piece.
//
// At rest, that is when no call into the pool is in progress,
//
//	Accepted = Completed + Cancelled + Returned + Queued + Busy
//
// holds, but for tasks that were cancelled, or timed out, and whose body still runs: they count as
// ended and as busy.
type Stats struct {
	Name  string
	State string // running, shutting down, stopping, tidying, terminated

	Core, Maximum int // sizes asked for
	KeepAlive     time.Duration
	CoreTimeout   bool
	Workers       int // there now
	Largest       int // most there have been at once
	Busy          int // tasks that run: on workers, their helpers, and callers under CallerRuns
	Queued        int // tasks that wait

	Accepted  uint64 // tasks taken in
	Rejected  uint64 // submissions that failed: the pool was shut down or saturated, or a context had ended
	Completed uint64 // tasks ended by their run, the last of a series; failures included
	Cancelled uint64 // tasks cancelled by their future before they had ended
	Returned  uint64 // tasks dropped, or handed back: by a shutdown, or for want of room

	Runs     uint64 // bodies that have ended; each run of a series counts
	Failures uint64 // runs that have failed, some in progress still; not what cancelled ones return

	Wakeups uint64 // how often an idle worker was woken; a pool with nothing due has none
}

// counts are the counters of a pool. Its lock guards them.
type counts struct {
	busy                                    int
	runs, completed, failures               uint64
	accepted, rejected, cancelled, returned uint64
	largest                                 int
}

// Stats returns a snapshot of the pool's sizes and counters.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	var dealt int
	var ran uint64
	accepted, rejected, queued := p.tally(func() { dealt, ran = p.played() })
	return Stats{
		Name:        p.name,
		State:       p.stage.String(),
		Core:        p.core,
		Maximum:     p.most(),
		KeepAlive:   p.keepAlive,
		CoreTimeout: p.coreTimeout,
		Workers:     len(p.workers),
		Largest:     p.counts.largest,
		Busy:        p.counts.busy,
		Queued:      queued + dealt,
		Accepted:    accepted,
		Rejected:    rejected,
		Completed:   p.counts.completed + ran,
		Cancelled:   p.counts.cancelled,
		Returned:    p.counts.returned,
		Runs:        p.counts.runs + ran,
		Failures:    p.counts.failures,
		Wakeups:     p.lot.Wakes(),
	}
}

// tally returns the numbers of tasks accepted, rejected and waiting, but for those that are dealt, all of the
// moment in which it calls also. The lock is held.
func (p *Pool) tally(also func()) (accepted, rejected uint64, queued int) {
	accepted, rejected = p.counts.accepted, p.counts.rejected
	if p.inbox == nil {
		also()
		return accepted, rejected, p.queue.len() + p.aside
	}
	accepted, rejected, queued = p.inbox.tally(accepted, rejected, also)
	if q, ok := p.queue.(*delayedWorkQueue); ok {
		queued += q.beside()
	}
	return accepted, rejected, queued + p.aside
}

// played returns how many tasks are dealt and not claimed, and how many claimed ones have ended of which the
// pool does not know, both of one moment. The lock is held.
func (p *Pool) played() (left int, ended uint64) {
	var seen []*hand
	if p.hand != nil {
		left, ended = p.hand.played()
		seen = append(seen, p.hand)
	}
	for w := range p.workers {
		if w.hand != nil && !slices.Contains(seen, w.hand) {
			_, over := w.hand.played()
			ended += over
			seen = append(seen, w.hand)
		}
	}
	return left, ended
}

// Queued returns the tasks that wait, in the order in which they are due. O(n log n).
func (p *Pool) Queued() []Pending {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recall()
	cells := merge(p.queue.tasks(), p.allAside())
	pending := make([]Pending, len(cells))
	for i, c := range cells {
		pending[i] = p.pendingOf(c)
		pending[i].Task = nil // it is the pool's to run
	}
	return pending
}

// Running returns the tasks that run now, the longest running first. For a task whose start nobody has
// kept, see [Run], For counts from the first question.
func (p *Pool) Running() []Running {
	p.mu.Lock()
	defer p.mu.Unlock()
	var rs []Running
	for x := range p.executions() {
		if x.task != nil {
			rs = append(rs, Running{Run: p.ask(x.task)})
		}
	}
	now := p.clock.Time(p.clock.Now())
	for i := range rs {
		rs[i].For = now.Sub(rs[i].Started)
	}
	slices.SortFunc(rs, func(a, b Running) int { return cmp.Compare(b.For, a.For) })
	return rs
}

// String tells the state of the pool in a line.
func (p *Pool) String() string {
	s := p.Stats()
	return fmt.Sprintf("executor(%q: %s, %d workers, %d busy, %d queued, %d completed)",
		s.Name, s.State, s.Workers, s.Busy, s.Queued, s.Completed)
}
