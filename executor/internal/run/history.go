package run

import "time"

// History is what an owner remembers of the runs that have ended, or expired, lately. Its lock
// guards it.
type History struct {
	seconds [Seconds]second // a ring, by the second in which runs have begun
	late    ring[Past]      // the last runs that were explained
	trails  int             // periodic tasks whose runs are remembered one by one
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
	expired  uint64
	late     int64 // of the run that was latest, which the next fields tell
	name     string
	run      uint64
	took     int64
}

// Past is a run that has ended, or expired. It is executor.PastRun, field by field.
type Past struct {
	LastRun
	Late    time.Duration
	Why     *Lateness
	Expired bool
}

// Second is executor.Second, field by field.
type Second struct {
	At       time.Time
	Runs     uint64
	Failures uint64
	Expired  uint64
	Late     time.Duration
	Name     string
	Number   uint64
	Took     time.Duration
}

// past is what is kept of a Past.
type past struct {
	record
	late    int64
	why     *Lateness
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
func (h *History) note(x *Execution) {
	p := past{record: x.recordLocked(x.Task), late: x.wait.total, why: x.wait.why}
	if !x.Plan.Periodic() {
		p.number = 1
	}
	h.secondOf(p.started).note(x, &p)
	h.keep(x, p)
}

// noteExpired remembers that the run has expired, when it was begun without its body. The lock is
// held.
func (h *History) noteExpired(x *Execution) {
	p := past{record: x.recordLocked(x.Task), late: x.wait.total, why: x.wait.why, expired: true}
	p.ended = p.started
	p.number++ // the one that it would have had
	if !x.Plan.Periodic() {
		p.number = 1
	}
	if s := h.secondOf(p.started); s.has(&p) {
		s.expired++
	}
	h.keep(x, p)
}

// keep remembers p by itself, if it was explained or is a run of a periodic task.
func (h *History) keep(x *Execution, p past) {
	pl := x.Plan
	if x.wait.why != nil {
		h.late.put(x.Owner.past(pl, p), keptLate)
	}
	if pl.Periodic() && (pl.trail != nil || h.trails < keptTrails) {
		if pl.trail == nil {
			pl.trail = new(ring[past])
			h.trails++
		}
		pl.trail.put(p, keptRuns)
	}
	x.wait.why = nil
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
func (s *second) has(p *past) bool { return s.number == p.started/int64(time.Second) }

func (s *second) note(x *Execution, p *past) {
	if !s.has(p) {
		return
	}
	s.runs++
	if x.Failed {
		s.failures++
	}
	if s.runs == 1 || p.late > s.late {
		s.late, s.name, s.run, s.took = p.late, x.Plan.Name, p.number, p.ended-p.started
	}
}

// forget makes room for the trail of another task: this one has ended. The lock is held.
func (h *History) forget(pl *Plan) {
	if pl.trail != nil {
		h.trails--
		pl.trail = nil
	}
}

func (o *Owner) past(pl *Plan, p past) Past {
	return Past{LastRun: o.lastRun(pl, p.record), Late: time.Duration(p.late), Why: p.why,
		Expired: p.expired}
}

// Trail returns the runs of a periodic task that are remembered, the latest first.
func (o *Owner) Trail(pl *Plan) (runs []Past) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if pl.trail == nil {
		return nil
	}
	for p := range pl.trail.latest {
		runs = append(runs, o.past(pl, p))
	}
	return runs
}

// Remembered returns the seconds in which runs have begun, or expired, the first one first, and
// the runs that have been explained, the latest first.
func (o *Owner) Remembered() (seconds []Second, late []Past) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if o.Past == nil {
		return nil, nil
	}
	now := o.Clock.Now() / int64(time.Second)
	for number := max(now-Seconds+1, 0); number <= now; number++ {
		s := &o.Past.seconds[number%Seconds]
		if s.number != number || s.runs+s.expired == 0 {
			continue
		}
		seconds = append(seconds, Second{At: o.Clock.Time(number * int64(time.Second)),
			Runs: s.runs, Failures: s.failures, Expired: s.expired,
			Late: time.Duration(s.late), Name: s.name, Number: s.run, Took: time.Duration(s.took)})
	}
	for p := range o.Past.late.latest {
		late = append(late, p)
	}
	return seconds, late
}
