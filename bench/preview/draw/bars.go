package draw

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/bench/preview/plan"
)

// label writes what stands before the runs of a row.
func (p *picture) label(r row, top float64) {
	y := top + p.rowHigh/2 + p.font()*0.35
	class := ""
	if r.job < 0 {
		class = "muted"
	}
	p.pen.titled(margin, y, class, p.font(), r.name, mostLabel)
	if r.line != "" {
		p.pen.titled(p.when, y, "mono", p.small(), r.line, mostWhen)
	}
	if r.estimate != "" {
		p.pen.text(p.estimate, y, "mono end", p.small(), r.estimate)
	}
}

// group is one run, or several that are too close to each other to be told apart.
type group struct {
	first    plan.Run
	from, to float64
	until    time.Duration
	runs     int
	work     time.Duration
}

// Bars narrower than small are a texture, unless there is a gap of apart pixels between them.
const apart, small = 2.8, 3

// runs draws the runs of a row. Waits are drawn first: the run before may still be in progress
// then.
func (p *picture) runs(r row, top float64) {
	high := max(p.rowHigh*0.62, 6)
	y := top + (p.rowHigh-high)/2
	p.waits(r, y, high)
	for _, g := range p.groups(r) {
		p.group(r, g, y, high)
	}
	p.ownWaits(r, y, high)
}

// waits draws the waits for a worker.
func (p *picture) waits(r row, y, high float64) {
	end := 0.0
	for _, run := range r.runs {
		from, to := max(p.x(run.Ready), end), p.x(run.Start)
		if run.Start == run.Ready || p.beyond(run.Ready) || to-from < 0.5 {
			continue
		}
		end = to
		p.pen.rect(from, y, to-from, high, 0, "wait", p.story(run))
	}
}

// ownWaits draws the waits for the run before, below that.
func (p *picture) ownWaits(r row, y, high float64) {
	if r.job < 0 {
		return
	}
	end := 0.0
	for _, run := range r.runs {
		from, to := max(p.x(run.Due), end), p.x(run.Ready)
		if run.WaitsForItself() == 0 || p.beyond(run.Due) || to-from < 1 {
			continue
		}
		end = to
		p.pen.rect(from, y+high+1, to-from, 3, 0, "own", p.story(run))
	}
}

// groups returns the runs of a row, those together that cannot be told apart.
func (p *picture) groups(r row) (all []group) {
	for _, run := range r.runs {
		if p.beyond(run.Start) {
			continue
		}
		from, to := p.x(run.Start), p.x(run.End)
		g := group{run, from, to, run.End, 1, run.End - run.Start}
		if n := len(all); n > 0 && all[n-1].joins(g, r.job < 0) {
			all[n-1].add(g)
			continue
		}
		all = append(all, g)
	}
	return all
}

// joins reports whether the next group looks as if it were of this one. In the row of several jobs
// whatever touches does.
func (g group) joins(next group, several bool) bool {
	if several {
		return next.from < g.to+apart
	}
	narrow := g.runs > 1 || g.to-g.from < small
	return narrow && next.from < g.to+apart && next.to-next.from < small
}

func (g *group) add(next group) {
	g.to = max(g.to, next.to)
	g.until = max(g.until, next.until)
	g.runs += next.runs
	g.work += next.work
}

func (p *picture) group(r row, g group, y, high float64) {
	switch {
	case g.runs > 1:
		length := g.until - g.first.Start
		share := min(float64(g.work)/float64(max(length, 1)), 1)
		title := fmt.Sprintf("%s: %s, %s", r.name, count(g.runs, "run"),
			p.span(plan.Span{From: g.first.Start, To: g.until}))
		if g.work > 0 {
			title += ", " + short(g.work) + " of work"
		}
		p.pen.shade(g.from, y, max(g.to-g.from, 2), high, 2, "many", 0.3+0.7*share, title)
	case g.work == 0:
		p.pen.rect(g.from-1, y, 2.4, high, 1, "moment", p.story(g.first))
	default:
		p.pen.rect(g.from, y, max(g.to-g.from, 1.6), high, min(2.5, (g.to-g.from)/2), "run",
			p.story(g.first))
	}
}
