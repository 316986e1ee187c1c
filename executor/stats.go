package executor

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/parking"
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
	Retries  uint64 `json:"retries"`  // failed attempts that another was to follow, see Retry
	Expired  uint64 `json:"expired"`  // runs that did not begin in time, see BeginWithin
	Wakeups  uint64 `json:"wakeups"`  // how often an idle worker was woken; never with nothing due

	TimedOut    uint64 `json:"timed_out,omitzero"`   // runs, attempts too, beyond their Timeout
	Overrunning int    `json:"overrunning,omitzero"` // runs in progress that have

	Slack time.Duration `json:"slack,omitzero"` // how late a run may be to share a wake-up

	// Overdue is how long the task that is due next has been due; 0 if none is, or if the pool does
	// not know since when.
	Overdue time.Duration `json:"overdue,omitzero"`

	// Late tells how late runs began, Took how long they took; nil without [Measure].
	Late *Distribution `json:"late,omitempty"`
	Took *Distribution `json:"took,omitempty"`
}

// counts are the counters of a pool. Its lock guards them. What workers have claimed from a batch
// is not in them until the worker leaves the batch.
type counts struct {
	busy                                    int
	run.Counts                              // of runs, and of tasks that have ended by them
	accepted, rejected, cancelled, returned uint64
	largest                                 int
}

// Stats returns a snapshot of the pool's sizes and counters.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	s := p.statsLocked()
	late, took, measured := sight.Of(&p.runs).MeasuredLocked()
	p.mu.Unlock()
	if measured {
		s.Late, s.Took = (*Histogram)(&late).Distribution(), (*Histogram)(&took).Distribution()
	}
	return s
}

func (p *Pool) statsLocked() Stats {
	var dealt int
	var ran uint64
	accepted, rejected, queued := p.tallyLocked(func() { dealt, ran = p.playedLocked() })
	return Stats{
		Name:        p.runs.Name,
		State:       p.stage.String(),
		Core:        p.core,
		Maximum:     p.boundLocked(),
		KeepAlive:   p.keepAlive.Load(),
		CoreTimeout: p.coreTimeout.Load(),
		Workers:     len(p.workers),
		Largest:     p.counts.largest,
		Paused:      p.pause.on,
		Busy:        p.counts.busy,
		Queued:      queued + dealt + len(p.deferred),
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
		Wakeups:     p.lot.Wakes(),
		TimedOut:    p.counts.TimedOut,
		Overrunning: p.overrunningLocked(),
		Slack:       time.Duration(p.slack),
		Overdue:     p.overdueLocked(),
	}
}

// overrunningLocked returns how many runs in progress have exceeded their timeout.
func (p *Pool) overrunningLocked() (n int) {
	now := p.clock.Now()
	for x := range p.executionsLocked() {
		if x.Task != nil && x.Overruns(now) {
			n++
		}
	}
	return n
}

// overdueLocked returns for how long the head of the queue has been due.
func (p *Pool) overdueLocked() time.Duration {
	if p.custom != nil { // which is the user's, and knows no times
		return 0
	}
	when, _ := p.queue.Head()
	if when == unread || when == parking.Nothing {
		return 0
	}
	return max(time.Duration(p.clock.Now()-when), 0)
}

// boundLocked returns the maximum size, or 0 if there is none.
func (p *Pool) boundLocked() int {
	if most := p.maximumSizeLocked(); most < math.MaxInt {
		return most
	}
	return 0
}

// tallyLocked returns one consistent snapshot of the tasks accepted, rejected and waiting, without
// those in a batch. It calls also inside that snapshot, with submissions locked out.
func (p *Pool) tallyLocked(also func()) (accepted, rejected uint64, queued int) {
	accepted, rejected = p.counts.accepted, p.counts.rejected
	if p.inbox == nil {
		also()
		return accepted, rejected, p.queue.Len() + p.heldBack
	}
	accepted, rejected, queued = p.inbox.Tally(accepted, rejected, also)
	if q, ok := p.queue.(*runqueue.Delayed); ok {
		queued += q.Beside()
	}
	return accepted, rejected, queued + p.heldBack
}

// playedLocked returns how many tasks of batches are not claimed yet, and how many have ended that
// are not in the counts yet. Both are of one moment, because Progress reads each batch once.
func (p *Pool) playedLocked() (left int, ended uint64) {
	var seen []*runqueue.Batch
	if p.batch != nil {
		left, ended = p.batch.Progress()
		seen = append(seen, p.batch)
	}
	for w := range p.workers {
		// Several workers may still be at the tasks of one earlier batch.
		if w.batch != nil && !slices.Contains(seen, w.batch) {
			_, over := w.batch.Progress()
			ended += over
			seen = append(seen, w.batch)
		}
	}
	return left, ended
}

// Queued returns the tasks that wait, as of one moment, in the order in which they are due. It
// takes O(n log n) time, during O(n) of which the pool is locked.
func (p *Pool) Queued() []Pending {
	seen := p.see(func() {})
	tasks := seen.InOrder()
	pending := make([]Pending, len(tasks))
	for i, w := range tasks {
		pending[i] = p.pending(w)
	}
	return pending
}

// Next returns the first n of the tasks that wait, or all if there are fewer, in the order in which
// they are due. It leaves out tasks held back behind another one of their [Serial] executor, and
// those of a plain pool that wait before another attempt. The pool is locked for O(n log n),
// however many tasks wait: microseconds for a hundred. Only while a great many tasks that are due
// at once are being sorted may it take longer.
func (p *Pool) Next(n int) []Pending {
	if n <= 0 {
		return nil
	}
	s := runqueue.NewGlance(n, seen)
	p.mu.Lock()
	p.recallLocked()
	p.queue.Look(&s)
	p.mu.Unlock()
	first := s.First()
	pending := make([]Pending, len(first))
	for i, w := range first {
		pending[i] = p.pending(w)
	}
	return pending
}

// Running returns the tasks that are running, the longest running first. Of a task whose start was
// not recorded, see [Run], For counts from the first question.
func (p *Pool) Running() []Running {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runningLocked()
}

func (p *Pool) runningLocked() (rs []Running) {
	for x := range p.executionsLocked() {
		if x.Task != nil && x.Aside == 0 {
			r := Running{Run: p.askLocked(x.Task)}
			r.Waits, r.WaitsFor = x.waitsLocked()
			rs = append(rs, r)
		}
	}
	p.asked = p.clock.Now()
	now := p.clock.Time(p.clock.Now())
	for i := range rs {
		rs[i].For = now.Sub(rs[i].Started)
	}
	slices.SortFunc(rs, func(a, b Running) int { // of those that began together, by name
		return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.Name, b.Name))
	})
	return rs
}

// String describes the state of the pool in a line.
func (p *Pool) String() string {
	s := p.Stats()
	return fmt.Sprintf("executor(%q: %s, %d workers, %d busy, %d queued, %d completed)",
		s.Name, s.State, s.Workers, s.Busy, s.Queued, s.Completed)
}
