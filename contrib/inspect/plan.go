package inspect

import (
	"math"
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

	asker  *asker
	walked int           // times of calendars
	known  time.Duration // up to where all of them are known, counted as starts are
}

// starts are those of a task that are to come. Times are counted from where the strip begins.
type starts struct {
	name  string
	first time.Duration
	step  time.Duration // 0 if there is only the first
	most  int           // of them
}

func newPlanner(t *strip, s *seen, a *asker) *planner {
	return &planner{strip: t, from: s.at.Round(0), asker: a, known: allBins * binWidth}
}

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
			p.add(w.Name, w.Scheduled, 0, 1)
		}
	}
	if each {
		for _, e := range entries {
			st := e.handle.Status()
			p.series(e, st)
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
// they will be if each takes as long as the last; on a calendar as that tells them.
func (p *planner) series(e *entry, st executor.TaskStatus) {
	if st.Paused || st.State.Settled() {
		return
	}
	next := following(st, p.from)
	switch {
	case next.IsZero():
		return
	case st.Calendar != nil:
		p.calendar(e, st, next)
		return
	}
	step := st.Period
	if st.Last != nil && st.Kind == executor.FixedDelay {
		step += st.Last.Took
	}
	most := left(st)
	if step > 0 && next.Before(p.from) { // one run now, and on along the grid
		p.add(st.Name, p.from, 0, 1)
		next = onGrid(next, step, p.from)
		most--
	}
	p.add(st.Name, next, max(step, 0), min(most, fit(next, step, st.Until)))
}

// left returns how many runs a series may still begin.
func left(st executor.TaskStatus) int {
	if st.Left == 0 || st.Left > math.MaxInt {
		return math.MaxInt
	}
	return int(st.Left)
}

// fit returns how many times of a grid are before an end, if there is one.
func fit(first time.Time, step time.Duration, end time.Time) int {
	switch {
	case end.IsZero():
		return math.MaxInt
	case !first.Before(end):
		return 0
	case step <= 0:
		return 1
	}
	return int(min((end.Sub(first)-1)/step, math.MaxInt-1)) + 1
}

// calendar plans the runs of a task on a calendar, of which the next is known.
func (p *planner) calendar(e *entry, st executor.TaskStatus, next time.Time) {
	p.add(st.Name, next, 0, 1)
	end := p.end()
	if !st.Until.IsZero() && st.Until.Before(end) {
		end = st.Until
	}
	if next = later(next, p.from); !next.Before(end) || st.Left == 1 {
		return
	}
	most := min(mostWalked-p.walked, mostOfOne)
	times, known := e.walkTo(p.asker, st.Calendar, next, end, most)
	if most := left(st) - 1; most <= len(times) { // the first has been planned already
		times, known = times[:most], end
	}
	for _, at := range times {
		p.add(st.Name, at, 0, 1)
	}
	if p.walked += len(times); known.Before(end) {
		p.Cut++
		p.known = min(p.known, known.Sub(p.From))
	}
}

// add counts starts, so many at most. What is overdue is to start now.
func (p *planner) add(name string, first time.Time, step time.Duration, most int) {
	const end = allBins * binWidth
	ahead := min(max(first.Sub(p.from), 0), end) // also if the clock has been set meanwhile
	s := starts{name, p.from.Sub(p.From) + ahead, step, most}
	if s.first >= end || most <= 0 {
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
			n = min((time.Duration(i+1)*binWidth-1-s.first)/step+1, time.Duration(most))
		}
		p.count(i, s, at, int(n-before))
		if step == 0 || n == time.Duration(most) {
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
	all := int(p.known / binWidth)
	for sum <= mostTogether && known < all {
		if known++; known == allBins {
			break
		}
		sum += p.single[known]
	}
	p.Together = p.From.Add(time.Duration(known) * binWidth)
	together := make(map[time.Duration]int, min(sum, mostTogether)) // starts in a millisecond
	for _, s := range p.rows {
		end := time.Duration(known) * binWidth
		for at, n := s.first, 0; s.alone() && at < end && n < s.most; at, n = at+s.step, n+1 {
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
