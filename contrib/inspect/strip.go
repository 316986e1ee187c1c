package inspect

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

// strip is what has happened in the last ten minutes beside what is planned for the next ten. The
// bin in the middle is the present: it has some of both.
type strip struct {
	From  time.Time `json:"from"`
	Width span      `json:"width"` // of a bin
	Bins  []bin     `json:"bins"`

	// Until is up to where the plan is known: not to the end if too much waits.
	Until   time.Time `json:"planned_until"`
	Workers int       `json:"workers"`
}

const (
	binWidth = 5 * time.Second
	binsBack = 120 // and as many ahead
	allBins  = 2*binsBack + 1

	// mostPlanned is of how many periodic tasks all runs are planned; of more, only the next runs.
	mostPlanned = 2000
	// mostTogether is how many single starts are looked at to find those of the same moment.
	mostTogether = 20_000
	// shortest is the period from which on the runs of a task are planned one by one.
	shortest = time.Second
)

// bin is the runs that have begun within five seconds, or will.
type bin struct {
	Runs     uint64 `json:"runs,omitzero"`
	Failures uint64 `json:"failures,omitzero"`
	Late     span   `json:"late,omitzero"` // the one that was latest
	Name     text   `json:"name,omitempty"`
	Number   uint64 `json:"number,omitzero"`
	Took     span   `json:"took,omitzero"`

	Planned  uint64 `json:"planned,omitzero"`
	First    text   `json:"first,omitempty"`   // of those
	Together int    `json:"together,omitzero"` // the most that start at one moment

	first time.Time
}

// strip returns that of a pool or loop; nil if nothing is remembered and nothing planned.
func (s *seen) strip() *strip {
	edge := s.at.Truncate(binWidth)
	t := &strip{From: edge.Add(-binsBack * binWidth), Width: span(binWidth),
		Bins: make([]bin, allBins), Until: edge.Add((binsBack + 1) * binWidth),
		Workers: max(s.figures.Core, s.figures.Workers)}
	for _, second := range s.history().Seconds {
		// The pool's seconds are not those of the wall clock: what counts is where the middle is.
		if b := t.bin(second.At.Add(500 * time.Millisecond)); b != nil {
			b.add(second)
		}
	}
	p := &planner{strip: t, from: s.at, together: map[int64]int{}}
	p.plan(s)
	return t
}

// bin returns the bin of a time, or nil.
func (t *strip) bin(at time.Time) *bin {
	d := at.Sub(t.From)
	if d < 0 || d >= allBins*binWidth {
		return nil
	}
	return &t.Bins[d/binWidth]
}

func (b *bin) add(s executor.Second) {
	if b.Runs == 0 || span(s.Late) > b.Late {
		b.Late, b.Name, b.Number, b.Took = span(s.Late), text(named(s.Name)), s.Number, span(s.Took)
	}
	b.Runs += s.Runs
	b.Failures += s.Failures
}

// planner fills in what comes.
type planner struct {
	*strip
	from     time.Time
	together map[int64]int        // how many start in a millisecond
	running  map[string]time.Time // when the runs that are going on were due, by the name of the task
	single   int                  // starts that were looked at one by one
}

func (p *planner) plan(s *seen) {
	waiting := s.next()
	if n := len(waiting); n == nextSeen && waiting[n-1].Scheduled.Before(p.Until) {
		p.Until = waiting[n-1].Scheduled
	}
	entries := s.tasks().entries
	each := len(entries) <= mostPlanned
	for _, w := range waiting {
		if !w.Scheduled.IsZero() && !(each && w.Periodic) {
			p.start(w.Name, w.Scheduled)
		}
	}
	if !each {
		return
	}
	if len(waiting) == nextSeen && len(entries) == nextSeen {
		p.Until = p.From.Add(allBins * binWidth)
	}
	p.running = map[string]time.Time{}
	for _, r := range s.running() {
		if r.Periodic && r.Name != "" {
			p.running[r.Name] = r.Scheduled
		}
	}
	for _, e := range entries {
		p.series(e.handle.Status())
	}
}

// series plans the runs of a periodic task: at a fixed rate as they will be; with a fixed delay as
// they will be if each takes as long as the last; on a calendar the next one.
func (p *planner) series(st executor.TaskStatus) {
	if st.Paused || st.State.Settled() {
		return
	}
	if st.Next = p.following(st); st.Next.IsZero() {
		return
	}
	step := st.Period
	if st.Last != nil && st.Kind == executor.FixedDelay {
		step += st.Last.Took
	}
	switch {
	case step <= 0:
		p.start(st.Name, st.Next)
	case step < shortest:
		p.dense(st.Name, st.Next, step)
	default:
		first := st.Next
		if late := p.from.Sub(first); late > 0 { // one run now, and on along the grid
			p.start(st.Name, p.from)
			first = first.Add((late/step + 1) * step)
		}
		for at := first; at.Before(p.From.Add(allBins * binWidth)); at = at.Add(step) {
			p.start(st.Name, at)
		}
	}
}

// following returns when a task runs next. While it runs nothing is planned, but where that will be
// is known: along the grid, or a delay after now at the earliest.
func (p *planner) following(st executor.TaskStatus) time.Time {
	due, runs := p.running[st.Name]
	if !st.Next.IsZero() || !runs || st.Period <= 0 {
		return st.Next
	}
	if st.Kind == executor.FixedDelay {
		return p.from.Add(st.Period)
	}
	next := due.Add(st.Period)
	if late := p.from.Sub(next); late > 0 {
		next = next.Add(late / st.Period * st.Period)
	}
	return next
}

// start plans one start. What is overdue is to start now.
func (p *planner) start(name string, at time.Time) {
	if at.Before(p.from) {
		at = p.from
	}
	b := p.bin(at)
	if b == nil {
		return
	}
	b.plan(name, at, 1)
	if p.single++; p.single <= mostTogether {
		moment := at.UnixMilli()
		p.together[moment]++
		if n := p.together[moment]; n > 1 {
			b.Together = max(b.Together, n)
		}
	}
}

// dense plans starts that are less than a second apart.
func (p *planner) dense(name string, next time.Time, step time.Duration) {
	if next.Before(p.from) {
		next = p.from
	}
	for i := range p.Bins {
		from := p.From.Add(time.Duration(i) * binWidth)
		before := func(t time.Time) int64 { // how many starts are before t
			if d := t.Sub(next); d > 0 {
				return int64((d-1)/step) + 1
			}
			return 0
		}
		if n := before(from.Add(binWidth)) - before(from); n > 0 {
			p.Bins[i].plan(name, next.Add(time.Duration(before(from))*step), uint64(n))
		}
	}
}

func (b *bin) plan(name string, at time.Time, n uint64) {
	if b.Planned == 0 || at.Before(b.first) {
		b.First, b.first = text(named(name)), at
	}
	b.Planned += n
}
