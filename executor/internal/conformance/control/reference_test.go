package control_test

import (
	"math"
	"time"
)

// reference is a series as the doc comments of package executor describe it, beside tasks that take
// workers from it. It plays a story in time that it counts itself, and writes the same record as
// the bodies of the real one.
//
// All times are counted from the beginning of the story.
type reference struct {
	*story
	now  time.Duration
	free int // workers

	period time.Duration
	next   time.Duration // of the next planned run
	slot   time.Duration // of the grid that it stands for: earlier, if NextIn has chosen it
	last   time.Duration // the slot before that; with a fixed delay, when the last run ended
	missed uint64        // by the next planned run

	asked   time.Duration // when an extra run was asked for; none if negative
	paused  bool
	planned int // runs begun
	extras  int
	bodies  int // calls of the body

	failures int // in a row
	row      int // of these, since the series was resumed
	over     bool
	end      outcome // of the future, if over

	run  *currentRun
	held []time.Duration // until when the other tasks hold their workers
	line []obstacle      // other tasks that have not begun
	books
	log     []entry
	answers []bool

	lastRun    entry
	took       time.Duration
	lastFailed bool
	lastSkip   bool
}

// currentRun is the run in progress, with the waits between its attempts.
type currentRun struct {
	extra   bool
	number  uint64
	counts  time.Duration // the time that it stands for
	missed  uint64
	dropped uint64        // slots dropped during it, by a pause
	lapsed  uint64        // of a run that has expired: what the next one has missed for that
	first   time.Duration // when its first attempt began
	attempt int
	waits   bool // for its next attempt
	again   time.Duration
	restart *time.Duration // Reset was called
	nextIn  *time.Duration // NextIn was called
	body    body
	started time.Duration
	at      int   // commands of the body given so far
	begun   entry // as the body knows it
}

const none time.Duration = -1

func newReference(s *story) *reference {
	r := &reference{
		story: s, free: s.workers, period: s.every, next: s.initial, slot: s.initial, asked: none,
	}
	r.line = append(r.line, s.obstacles...)
	return r
}

// play goes on until the given time, and does all that happens at that time.
func (r *reference) play(until time.Duration) {
	for {
		for r.step() {
		}
		next := r.upcoming()
		if next > until {
			r.now = until
			return
		}
		r.now = next
	}
}

// upcoming returns the next time at which something happens by itself.
func (r *reference) upcoming() time.Duration {
	next := time.Duration(math.MaxInt64)
	for _, h := range r.held {
		next = min(next, h)
	}
	for _, o := range r.line {
		if o.at > r.now {
			next = min(next, o.at)
		}
	}
	if r.inBody() {
		next = min(next, r.bodyMoment())
	} else if due, ok := r.due(); ok && due > r.now {
		next = min(next, due)
	}
	if limit, ok := r.limit(); ok && limit > r.now {
		next = min(next, limit)
	}
	return next
}

func (r *reference) inBody() bool { return r.run != nil && !r.run.waits }

// bodyMoment returns when the body gives its next command, or ends.
func (r *reference) bodyMoment() time.Duration {
	if b := r.run.body; r.run.at < len(b.commands) {
		return r.run.started + b.commands[r.run.at].at
	}
	return r.run.started + r.run.body.lasts
}

// due returns when the series wants a worker next; it does not if it is in its body, or paused.
func (r *reference) due() (at time.Duration, ok bool) {
	switch {
	case r.over && r.run == nil, r.inBody():
		return 0, false
	case r.run != nil:
		return r.run.again, !r.over
	case r.extraFirst():
		return r.asked, true
	}
	return r.next, !r.paused
}

// extraFirst reports whether an extra run comes before the planned one.
func (r *reference) extraFirst() bool {
	return r.asked >= 0 && (r.paused || r.asked < r.next || r.planIsOver())
}

// step does one thing that happens now, if there is any.
func (r *reference) step() bool {
	for i, h := range r.held {
		if h <= r.now {
			r.held = append(r.held[:i:i], r.held[i+1:]...)
			r.free++
			r.Runs++
			r.Completed++
			return true
		}
	}
	if r.inBody() && r.bodyMoment() <= r.now {
		r.bodyStep()
		return true
	}
	if limit, ok := r.limit(); ok && limit <= r.now {
		r.outstay()
		return true
	}
	if r.free == 0 {
		return false
	}
	due, ok := r.due()
	ok = ok && due <= r.now
	for i, o := range r.line {
		if o.at <= r.now && (!ok || o.at < due) && !r.beaten(o) {
			r.line = append(r.line[:i:i], r.line[i+1:]...)
			r.held = append(r.held, r.now+o.lasts)
			r.free--
			return true
		}
	}
	if ok {
		r.begin()
	}
	return ok
}

// beaten reports whether another task of the line comes before o.
func (r *reference) beaten(o obstacle) bool {
	for _, other := range r.line {
		if other.at < o.at {
			return true
		}
	}
	return false
}
