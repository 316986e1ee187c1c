package pairs

import (
	"slices"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// sample is what the executor tells of itself at one moment at which nothing is going on.
type sample struct {
	at      time.Duration
	stats   stats
	health  executor.Health
	history *executor.History
}

// stats are the statistics that pools and loops have in common, and those of pools.
type stats struct {
	executor.Stats
}

func (l *life) stats() (s stats) {
	if l.pool != nil {
		return stats{l.pool.Stats()}
	}
	c := l.loop.Stats()
	s.Stats = executor.Stats{
		Name: c.Name, State: c.State, Busy: c.Busy, Queued: c.Queued, Accepted: c.Accepted,
		Rejected: c.Rejected, Completed: c.Completed, Cancelled: c.Cancelled, Returned: c.Returned,
		Runs: c.Runs, Failures: c.Failures, Retries: c.Retries, Expired: c.Expired,
		TimedOut: c.TimedOut, Slack: c.Slack, Late: c.Late, Took: c.Took,
	}
	return s
}

// sample waits until nothing is going on, and compares what the executor tells of itself.
func (l *life) sample() {
	synctest.Wait()
	s := &sample{at: l.now(), stats: l.stats(), health: l.host().Health()}
	running := l.host().Running()
	for _, r := range l.allRecords() {
		l.look(r, s.at)
	}
	var queued []executor.Pending
	if l.pool != nil {
		queued = l.pool.Queued()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.samples = append(l.samples, s)
	l.checkSampleLocked(s, running, queued)
}

// look notes whether a task is alive, and what its handle tells.
func (l *life) look(r *record, now time.Duration) {
	unique := false
	if r.t.using(byName["Unique"]) != nil && l.pool != nil {
		_, unique = l.pool.Lookup(r.t.name())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.open() {
		r.lastOpen = now
	}
	r.sawUnique = r.sawUnique || unique
	if r.handled && r.handle.Paused() {
		r.sawPaused = true
	}
}

// eachSample calls f for each sample but the first, with the one before.
func (l *life) eachSample(f func(before, s *sample)) {
	for i, s := range l.samples[min(1, len(l.samples)):] {
		f(l.samples[i], s)
	}
}

func (l *life) measured() executor.Measurements { return l.host().Measurements() }

// eachUsing calls f for each task that has the option.
func (l *life) eachUsing(f *Feature, do func(r *record, u *use)) {
	for _, r := range l.records {
		if u := r.t.using(f); u != nil {
			do(r, u)
		}
	}
}

// eachLate calls f for each run that began later than so long after it was due.
func (l *life) eachLate(by time.Duration, f func(r *record, b *bodyRun)) {
	for _, r := range l.records {
		for _, b := range r.bodies {
			if b.began > b.due+by {
				f(r, b)
			}
		}
	}
}

// start is the beginning of a body.
type start struct {
	r *record
	b *bodyRun
}

// starts returns the beginnings in a lane, or all for lane 0, in their order.
func (l *life) starts(lane int) (all []start) {
	for _, r := range l.records {
		if lane == 0 || r.lane() == lane {
			for _, b := range r.bodies {
				all = append(all, start{r, b})
			}
		}
	}
	slices.SortFunc(all, func(a, b start) int { return a.b.seq - b.b.seq })
	return all
}

// lane returns the number of the lane of a task; 0 if it is in none.
func (r *record) lane() int {
	switch w := r.t.way.way; {
	case w&serialWays != 0:
		return 1 + r.t.lane
	case w&laneWays != 0:
		return 3 + r.t.lane
	}
	return 0
}

func (l *life) lanes() []int { return []int{1, 2, 3, 4} }

// busyAt reports whether all workers had something to do right after that time.
func (l *life) busyAt(at time.Duration) bool {
	n := 0
	for _, r := range l.records {
		for _, b := range r.bodies {
			if b.began <= at && b.ended > at {
				n++
			}
		}
	}
	return n >= l.size
}
