package sight

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/clock"
)

// History is what an owner remembers of the runs that have ended, or expired, lately. Its lock
// guards it.
type History struct {
	seconds [Seconds]second       // a ring, by the second in which runs have begun
	late    ring[insight.PastRun] // the last runs that were explained
	trails  int                   // periodic tasks whose runs are remembered one by one
	ill     ailing                // tasks whose last run was no success
}

const (
	// Seconds is for how long a History looks back.
	Seconds = 600

	keptLate   = 32   // explained runs of an owner
	keptRuns   = 16   // runs of a task
	keptTrails = 4096 // periodic tasks of an owner
)

// second sums up the runs that have begun, or expired, within a second of the owner's clock.
type second struct {
	number   int64
	runs     uint64
	failures uint64
	skipped  uint64
	expired  uint64
	late     int64 // of the run that was latest, which the next fields tell
	name     string
	run      uint64
	took     int64
}

// past is what is kept of a run that has ended, or expired.
type past struct {
	run.Record
	late    int64
	why     *insight.Lateness
	expired bool
}

// ring has the last elements that were put into it.
type ring[E any] struct {
	kept []E
	next int
}

func (r *ring[E]) put(e E, most int) {
	if len(r.kept) < most {
		r.kept = append(r.kept, e)
		return
	}
	r.kept[r.next] = e
	r.next = (r.next + 1) % most
}

// latest yields the elements, the latest first.
func (r *ring[E]) latest(yield func(E) bool) {
	for i := range r.kept {
		if !yield(r.kept[(r.next-1-i+2*len(r.kept))%len(r.kept)]) {
			return
		}
	}
}

// note remembers the run, which has just ended. The lock is held.
func (h *History) note(x *run.Execution) {
	w := waitOf(x)
	p := past{Record: x.RecordLocked(), late: w.total, why: w.why}
	if !x.Plan.Periodic() {
		p.Number = 1
	}
	h.secondOf(p.Started).note(x, &p)
	h.keep(x, p)
	switch {
	case x.Failed:
		h.ails(x, p)
	case x.Err == nil:
		h.ill.recovers(x.Plan)
	}
}

// noteExpired remembers that the run has expired, when it was begun without its body. The lock is
// held.
func (h *History) noteExpired(x *run.Execution) {
	w := waitOf(x)
	p := past{Record: x.RecordLocked(), late: w.total, why: w.why, expired: true}
	p.Ended = p.Started
	p.Number++ // the one that it would have had
	if !x.Plan.Periodic() {
		p.Number = 1
	}
	if s := h.secondOf(p.Started); s.has(&p) {
		s.expired++
	}
	h.keep(x, p)
	h.ails(x, p)
}

// ails remembers that the run was no success.
func (h *History) ails(x *run.Execution, p past) {
	var known *fate
	if e := seenOf(x.Plan).expects; e != nil && x.Plan.Periodic() {
		known = e.fate
	}
	if f := h.ill.note(x, known); f != nil {
		f.last = pastOf(x.Owner, x.Plan, p)
	}
}

// keep remembers p by itself, if it was explained or is a run of a periodic task.
func (h *History) keep(x *run.Execution, p past) {
	pl, w := x.Plan, waitOf(x)
	if w.why != nil {
		h.late.put(pastOf(x.Owner, pl, p), keptLate)
	}
	trail := seenOf(pl).trail
	if pl.Periodic() && (trail != nil || h.trails < keptTrails) {
		if trail == nil {
			trail = new(ring[past])
			own(pl).trail = trail
			h.trails++
		}
		trail.put(p, keptRuns)
	}
	w.why = nil
}

// secondOf returns the second of a moment, new if it is that.
func (h *History) secondOf(at int64) *second {
	number := at / int64(time.Second)
	s := &h.seconds[number%Seconds]
	if s.number != number && number > s.number {
		*s = second{number: number}
	}
	return s
}

// has reports whether the run belongs to the second; not if it has lasted for so long that its
// second is forgotten.
func (s *second) has(p *past) bool { return s.number == p.Started/int64(time.Second) }

func (s *second) note(x *run.Execution, p *past) {
	if !s.has(p) {
		return
	}
	s.runs++
	countEnd(x, &s.failures, &s.skipped)
	if s.runs == 1 || p.late > s.late {
		s.late, s.name, s.run, s.took = p.late, x.Plan.Name, p.Number, p.Ended-p.Started
	}
}

// LeftLocked is that of [run.Sight]. It makes room for the trail of another task.
func (s *Sight) LeftLocked(pl *run.Plan) {
	if seenOf(pl).trail != nil {
		s.past.trails--
		own(pl).trail = nil
	}
	s.past.forgetLocked(pl)
}

// forgetLocked forgets that the last run of a series was no success.
func (h *History) forgetLocked(pl *run.Plan) {
	if h != nil {
		delete(h.ill, pl)
	}
}

func pastOf(o *run.Owner, pl *run.Plan, p past) insight.PastRun {
	r := o.LastRunOf(pl, p.Record)
	shown := runOf(r.Info, r.Took, r.Err)
	shown.Late, shown.Why, shown.Skipped = time.Duration(p.late), p.why, r.Skipped
	shown.Expired = p.expired
	return shown
}

// runOf returns a run of which it is not known how late it was.
func runOf(r run.Info, took time.Duration, err error) insight.PastRun {
	return insight.PastRun{Name: r.Name, Number: r.Number, Scheduled: r.Scheduled,
		Started: r.Started, Missed: r.Missed, Attempt: r.Attempt, Triggered: r.Triggered,
		Took: took, Err: err}
}

// Trail returns the runs of a periodic task that are remembered, the latest first.
func (s *Sight) Trail(pl *run.Plan) (runs []insight.PastRun) {
	s.owner.Lock.Lock()
	defer s.owner.Lock.Unlock()
	trail := seenOf(pl).trail
	if trail == nil {
		return nil
	}
	for p := range trail.latest {
		runs = append(runs, pastOf(s.owner, pl, p))
	}
	return runs
}

// shown returns the seconds in which runs have begun, or expired, the first one first, and the runs
// that have been explained, the latest first. The lock is held.
func (h *History) shown(c clock.Clock) (shown insight.History) {
	if h == nil {
		return shown
	}
	now := c.Now() / int64(time.Second)
	for number := max(now-Seconds+1, 0); number <= now; number++ {
		s := &h.seconds[number%Seconds]
		if s.number != number || s.runs+s.expired == 0 {
			continue
		}
		shown.Seconds = append(shown.Seconds, insight.Second{
			At: c.Time(number * int64(time.Second)), Runs: s.runs, Failures: s.failures,
			Skipped: s.skipped, Expired: s.expired, Late: time.Duration(s.late), Name: s.name,
			Number: s.run, Took: time.Duration(s.took)})
	}
	for p := range h.late.latest {
		shown.Late = append(shown.Late, p)
	}
	return shown
}
