package draw

import (
	"fmt"
	"time"
)

// heading writes what the picture shows.
func (p *picture) heading() {
	p.pen.text(margin, titleTop+14, "strong", 22, p.title())
	p.pen.text(margin, titleTop+36, "muted", 13.5, fmt.Sprintf("%s · %s · %s", p.zone(),
		count(len(p.Plan.Jobs), "job"), count(p.Plan.Workers, "worker")))
}

// figures writes the sums side by side.
func (p *picture) figures() {
	s := p.Sums
	late := "none"
	if s.Late > 0 {
		late = number(s.Late)
	}
	all := []struct{ what, figure, more string }{
		{"runs", number(len(p.Plan.Runs)), ""},
		{"busy at once", fmt.Sprintf("%d of %d", s.Peak, p.Plan.Workers), p.wanted()},
		{"all workers busy", percent(s.Full, p.length()), short(s.Full)},
		{"runs that wait for a worker", late, p.worst()},
		{"longest quiet", p.longestQuiet(), ""},
	}
	x := float64(margin)
	for i, f := range all {
		class := "strong"
		if i == 3 && s.Late > 0 {
			class = "strong alarm"
		}
		p.pen.text(x, figuresTop, "muted", 12, f.what)
		p.pen.figure(x, figuresTop+24, class, f.figure, f.more)
		x += []float64{130, 190, 190, 0, 0}[i]
		if i == 3 {
			x = right - 250
		}
	}
}

// wanted tells how many workers would have been of use, if there were not so many.
func (p *picture) wanted() string {
	if p.Sums.Demand <= p.Plan.Workers {
		return ""
	}
	return fmt.Sprintf("%d wanted", p.Sums.Demand)
}

// worst tells the longest wait for a worker.
func (p *picture) worst() string {
	if len(p.Sums.Collisions) == 0 {
		return ""
	}
	w := p.Sums.Worst()
	r := p.Plan.Runs[w.Worst]
	return fmt.Sprintf("worst %s, %s from %s on", cut(p.Plan.Jobs[r.Job].Name, 22), short(w.Wait),
		p.clock(r.Ready))
}

func (p *picture) longestQuiet() string {
	if len(p.Sums.Quiet) == 0 {
		return "never"
	}
	return p.span(p.Sums.Quiet[0])
}

// grid draws what lies behind the rows: bands, hours, days, and the times of collisions.
func (p *picture) grid() {
	for i := range p.rows {
		if i%2 == 0 {
			p.pen.rect(margin-8, p.rowsTop+float64(i)*p.rowHigh, right-margin+16, p.rowHigh, 3,
				"band", "")
		}
	}
	step := p.every(26)
	for _, t := range p.ticks() {
		switch x := p.x(t.at); {
		case t.day && p.days() && t.at > 0:
			p.pen.line(x, stripTop, x, p.bottom(), "day")
		case t.hour%step == 0:
			p.pen.line(x, stripTop, x, p.bottom(), "hour")
		}
	}
	p.tint()
}

// axis writes the hours between the strip and the rows.
func (p *picture) axis() {
	top := float64(stripTop + stripHigh)
	p.pen.line(p.left, top, right, top, "base")
	step := p.every(26)
	hours, days := -1e9, -1e9
	for _, t := range p.ticks() {
		x := p.x(t.at)
		if p.days() && (t.day || t.at == 0) && x-days > 66 && right-x > 30 {
			days = x
			p.pen.text(x+4, top+15, "strong", 12, t.time.Format("Mon 2 Jan"))
		}
		if t.hour%step == 0 && (step < 24 || !p.days()) && x-hours > 16 {
			hours = x
			y := top + 16
			if p.days() {
				y = top + 31
			}
			p.pen.text(x, y, "muted middle", 11, fmt.Sprintf("%02d", t.hour))
		}
	}
}

// hoursBelow repeats the hours, as one may have scrolled far.
func (p *picture) hoursBelow() {
	last := -1e9
	for _, t := range p.ticks() {
		x := p.x(t.at)
		switch {
		case p.days() && (t.day || t.at == 0) && x-last > 66 && right-x > 30:
			p.pen.text(x+4, p.bottom()+15, "muted", 11, t.time.Format("Mon 2"))
		case !p.days() && t.hour%p.every(26) == 0 && x-last > 16:
			p.pen.text(x, p.bottom()+15, "muted middle", 11, fmt.Sprintf("%02d", t.hour))
		default:
			continue
		}
		last = x
	}
}

// clocks marks the instants at which the clocks change.
func (p *picture) clocks() {
	for _, c := range p.changes() {
		x := p.x(c.at)
		p.pen.line(x, stripTop-14, x, p.bottom(), "clock")
		p.pen.text(x, stripTop-20, "clocked middle", 11, c.text())
	}
}

// legend says what the marks mean, side by side.
func (p *picture) legend(y float64) {
	x := p.left
	entry := func(text string, w float64, mark func()) {
		mark()
		p.pen.text(x+w+8, y+4, "muted", 12, text)
		x += w + 8 + float64(len(text))*6.3 + 26
	}
	entry("runs", 24, func() { p.pen.rect(x, y-6, 24, 12, 2, "run", "") })
	entry("waits for a worker", 24, func() { p.pen.rect(x, y-6, 24, 12, 0, "wait", "") })
	entry("waits for its run before", 24, func() { p.pen.rect(x, y-6, 24, 12, 0, "own", "") })
	entry("starts, and takes nobody knows how long", 3,
		func() { p.pen.rect(x, y-6, 2.4, 12, 1, "moment", "") })
	entry("many runs", 24, func() { p.pen.shade(x, y-6, 24, 12, 2, "many", 0.45, "") })
}

// beyond reports whether an instant is not in the window.
func (p *picture) beyond(at time.Duration) bool { return at >= p.length() }
