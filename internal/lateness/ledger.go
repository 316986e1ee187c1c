package lateness

import (
	"cmp"
	"iter"
	"slices"
)

// Span is a run, or a time in which nothing could start. Times are those of the owner's clock.
type Span struct {
	Name       string
	Number     uint64
	Start, End int64
}

// Wait is what a run has been through before it began.
type Wait struct {
	Due   int64 // when it should have begun
	Freed int64 // when the run before it ended that it must not overlap; 0 if there is none
	Start int64 // when it began
	Meant int64 // until when those who were free had meant to sleep; 0 if nobody slept
	Limit int   // how many tasks may run at a time
}

// Reasons are the parts of a lateness, in nanoseconds. They add up to it.
type Reasons struct {
	Previous int64 // the run before, of the same series or serial executor, went on
	Held     int64 // nothing was to start
	Busy     int64 // all workers were busy with what had begun before it was ready
	Queue    int64 // workers came free, and took what was due earlier
	Slack    int64 // a worker was free, and waited for longer, to share a wake-up
	Wake     int64 // the rest: a worker was free

	Holders []Span // who held the workers, longest first; at most [mostHolders]
	Partial bool   // runs have been forgotten that may have been among the reasons
}

const (
	mostHolders = 3
	kept        = 64 // runs that a ledger remembers
	keptHolds   = 32
)

// Ledger remembers the last runs that have ended, and the last times in which nothing could start.
// The zero Ledger is empty. It keeps names, but no tasks.
type Ledger struct {
	runs      [kept]Span // a ring
	holds     [keptHolds]Span
	noted     int
	held      int
	forgotten int64 // when the last one ended that has been forgotten
}

// Note remembers a run that has ended.
func (l *Ledger) Note(s Span) {
	slot := &l.runs[l.noted%kept]
	l.forgotten = max(l.forgotten, slot.End)
	*slot = s
	l.noted++
}

// Hold remembers a time in which nothing could start. One that begins when the last ended goes on
// with that.
func (l *Ledger) Hold(from, to int64) {
	if last := &l.holds[(l.held+keptHolds-1)%keptHolds]; l.held > 0 && last.End == from {
		last.End = to
		return
	}
	slot := &l.holds[l.held%keptHolds]
	l.forgotten = max(l.forgotten, slot.End)
	*slot = Span{Start: from, End: to}
	l.held++
}

// Explain tells what a run has waited for, given those that are in progress without it. It takes
// O(n log n) for the n runs that have overlapped the wait, at most those remembered and in
// progress.
//
// The rule, for each moment after the run was ready: if nothing could start, it was held; if as
// many ran as may run at a time, it waited for them, in the queue if one of them had begun after it
// was ready; otherwise a worker was free, and had meant to sleep, which is slack, or was late.
func (l *Ledger) Explain(w Wait, running iter.Seq[Span]) (r Reasons) {
	ready := min(max(w.Freed, w.Due), w.Start)
	r.Previous = ready - w.Due
	s := sweep{from: ready, to: w.Start, meant: w.Meant}
	s.add(l.runs[:min(l.noted, kept)])
	for run := range running {
		run.End = w.Start
		s.spans = append(s.spans, clipped{Span: run})
	}
	s.addHolds(l.holds[:min(l.held, keptHolds)])
	s.run(w.Limit, &r)
	r.Holders = s.holders()
	r.Partial = l.forgotten > ready
	return r
}

// sweep goes through a wait from moment to moment.
type sweep struct {
	from, to int64
	meant    int64
	spans    []clipped
	edges    []edge
}

// clipped is a span with what it has held up.
type clipped struct {
	Span
	share int64
	on    bool
}

// edge is where a span begins or ends, within the wait.
type edge struct {
	at     int64
	span   int // index of a run; below 0 for a hold
	begins bool
}

// add takes the runs that overlap the wait.
func (s *sweep) add(runs []Span) {
	for _, run := range runs {
		if run.End > s.from && run.Start < s.to {
			s.spans = append(s.spans, clipped{Span: run})
		}
	}
}

func (s *sweep) addHolds(holds []Span) {
	for _, h := range holds {
		s.edge(h, -1)
	}
}

// edge adds the edges of a span, if any of it is within the wait.
func (s *sweep) edge(of Span, index int) {
	from, to := max(of.Start, s.from), min(of.End, s.to)
	if from < to {
		s.edges = append(s.edges, edge{from, index, true}, edge{to, index, false})
	}
}

// run adds up the parts.
func (s *sweep) run(limit int, r *Reasons) {
	for i, span := range s.spans {
		s.edge(span.Span, i)
	}
	slices.SortFunc(s.edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	at, held, active, ahead := s.from, 0, 0, 0
	pass := func(to int64) {
		d := to - at
		if d == 0 {
			return
		}
		switch {
		case held > 0:
			r.Held += d
		case active >= limit && ahead > 0:
			r.Queue += d
			s.share(d)
		case active >= limit:
			r.Busy += d
			s.share(d)
		default:
			slept := min(max(s.meant-at, 0), d)
			r.Slack += slept
			r.Wake += d - slept
		}
		at = to
	}
	for _, e := range s.edges {
		pass(e.at)
		step := 1
		if !e.begins {
			step = -1
		}
		if e.span < 0 {
			held += step
			continue
		}
		span := &s.spans[e.span]
		span.on = e.begins
		active += step
		if span.Start >= s.from {
			ahead += step
		}
	}
	pass(s.to)
}

// share charges those who run with a time in which they have held up the wait.
func (s *sweep) share(d int64) {
	for i := range s.spans {
		if s.spans[i].on {
			s.spans[i].share += d
		}
	}
}

// holders returns the runs that have held up the wait for longest, the longest run first.
func (s *sweep) holders() (top []Span) {
	slices.SortStableFunc(s.spans, func(a, b clipped) int { return cmp.Compare(b.share, a.share) })
	for _, c := range s.spans[:min(len(s.spans), mostHolders)] {
		if c.share > 0 {
			top = append(top, c.Span)
		}
	}
	slices.SortStableFunc(top, func(a, b Span) int {
		return cmp.Compare(b.End-b.Start, a.End-a.Start)
	})
	return top
}
