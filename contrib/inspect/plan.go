package inspect

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// planner fills into a strip what comes.
type planner struct {
	*strip
	from   time.Time
	rows   []starts
	single [allBins]int // starts that may be looked at one by one
}

// starts are those of a task that are to come. Times are counted from where the strip begins.
type starts struct {
	name  string
	first time.Duration
	step  time.Duration // 0 if there is only the first
}

func newPlanner(t *strip, s *seen) *planner { return &planner{strip: t, from: s.at} }

func (p *planner) plan(s *seen) {
	waiting := s.next()
	if n := len(waiting); n == nextSeen && waiting[n-1].Scheduled.Before(p.Until) {
		p.Until = waiting[n-1].Scheduled
		if p.Until.Before(p.from) { // or it has no time
			p.Until = p.from
		}
	}
	entries := s.tasks().entries
	each := len(entries) <= mostPlanned
	known := 0 // tasks that wait
	for _, w := range waiting {
		if each && w.Periodic {
			continue
		}
		known++
		if !w.Scheduled.IsZero() {
			p.add(w.Name, w.Scheduled, 0)
		}
	}
	if each {
		for _, e := range entries {
			st := e.handle.Status()
			p.series(st)
			if st.State == future.Pending {
				known++
			}
		}
	}
	if known >= s.figures.Queued { // what is beyond those that were looked at is periodic
		p.Until = p.end()
	}
	p.collide()
}

// end is that of the strip.
func (t *strip) end() time.Time { return t.From.Add(allBins * binWidth) }

// series plans the runs of a periodic task: at a fixed rate as they will be; with a fixed delay as
// they will be if each takes as long as the last; on a calendar the next one, as the pool does not
// tell the calendar.
func (p *planner) series(st executor.TaskStatus) {
	if st.Paused || st.State.Settled() {
		return
	}
	if st.Kind == executor.OnCalendar {
		p.Calendars++
	}
	next := p.following(st)
	if next.IsZero() {
		return
	}
	step := st.Period
	if st.Last != nil && st.Kind == executor.FixedDelay {
		step += st.Last.Took
	}
	late := p.from.Sub(next)
	if step > 0 && late > 0 { // one run now, and on along the grid
		p.add(st.Name, p.from, 0)
		next = next.Add((late/step + 1) * step)
	}
	p.add(st.Name, next, max(step, 0))
}

// following returns when a task runs next. With a fixed delay that is decided at the end of the run
// in progress: a delay after now at the earliest.
func (p *planner) following(st executor.TaskStatus) time.Time {
	if st.Next.IsZero() && st.State == future.Running && st.Kind == executor.FixedDelay {
		return p.from.Add(st.Period)
	}
	return st.Next
}

// add counts starts. What is overdue is to start now.
func (p *planner) add(name string, first time.Time, step time.Duration) {
	const end = allBins * binWidth
	ahead := min(max(first.Sub(p.from), 0), end) // also if the clock has been set meanwhile
	s := starts{name, p.from.Sub(p.From) + ahead, step}
	if s.first >= end {
		return
	}
	if step >= end { // no other is seen
		step, s.step = 0, 0
	}
	p.rows = append(p.rows, s)
	var before, at time.Duration = 0, s.first // how many have been counted, and the next
	for i := int(at / binWidth); i < allBins; i = int(at / binWidth) {
		n := before + 1
		if step > 0 {
			n = (time.Duration(i+1)*binWidth-1-s.first)/step + 1
		}
		p.count(i, s, at, int(n-before))
		if step == 0 {
			return
		}
		before, at = n, s.first+n*step
	}
}

// count takes down n starts within a bin, of which the first is at a time.
func (p *planner) count(i int, s starts, at time.Duration, n int) {
	b := &p.Bins[i]
	if b.Planned == 0 || at < b.first {
		b.First, b.first = text(named(s.name)), at
	}
	b.Planned += uint64(n)
	if s.alone() {
		p.single[i] += n
	}
}

// alone reports whether starts are so rare that each may be looked at.
func (s *starts) alone() bool { return s.step == 0 || s.step >= shortest }

// collide finds what starts at the same moment, from the first start on, as far as that is not too
// many.
func (p *planner) collide() {
	known, sum := 0, p.single[0]
	for sum <= mostTogether {
		if known++; known == allBins {
			break
		}
		sum += p.single[known]
	}
	p.Together = p.From.Add(time.Duration(known) * binWidth)
	together := make(map[time.Duration]int, min(sum, mostTogether)) // starts in a millisecond
	for _, s := range p.rows {
		for at := s.first; s.alone() && at < time.Duration(known)*binWidth; at += s.step {
			moment := at / time.Millisecond
			together[moment]++
			if n := together[moment]; n > 1 {
				b := &p.Bins[at/binWidth]
				b.Together = max(b.Together, n)
			}
			if s.step == 0 {
				break
			}
		}
	}
}
