package draw

import (
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/bench/preview/plan"
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
	return fmt.Sprintf("worst %s, %s from %s on", cut(p.Plan.Jobs[r.Job].Name, 22), short(w.Wait), p.clock(r.Ready))
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
			p.pen.rect(margin-8, p.rowsTop+float64(i)*p.rowHigh, right-margin+16, p.rowHigh, 3, "band", "")
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

// tint colours the times of collisions over all rows, as deeply as they are close together. Where they
// are nearly everywhere that would tell nothing.
func (p *picture) tint() {
	whole := time.Duration(0)
	for _, c := range p.Sums.Collisions {
		whole += c.Length()
	}
	if whole > p.length()*2/5 {
		return
	}
	for _, m := range p.clashes() {
		share := float64(m.waited) / float64(m.until-m.since)
		p.pen.shade(m.from, stripTop, m.to-m.from, p.bottom()-stripTop, 0, "crash", 0.09*share, "")
	}
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

// strip draws how many workers are busy.
func (p *picture) strip() {
	base := float64(stripTop + stripHigh)
	level := func(busy int) float64 {
		return base - float64(stripHigh-14)*float64(busy)/float64(p.Plan.Workers)
	}
	p.pen.text(margin, (base+level(p.Plan.Workers))/2+5, "", 13, "workers busy")
	full := level(p.Plan.Workers)
	p.pen.line(p.left, full, right, full, "full")
	p.pen.text(p.left-6, full+4, "muted end", 11, number(p.Plan.Workers))
	p.pen.text(p.left-6, base+1, "muted end", 11, "0")
	class := "area"
	if len(p.Sums.Steps) > int(right-p.left)/2 {
		class = "mass"
	}
	p.pen.path(p.area(base, level), class, "")
	for _, m := range p.clashes() {
		y := full - 7
		p.pen.path(fmt.Sprintf("M%.6g %.5gv-5H%.6gv5", m.from, y, m.to), "clash", m.title)
	}
}

// area returns the outline of the busy workers. Steps of the same pixel are drawn as the highest.
func (p *picture) area(base float64, level func(int) float64) string {
	var d strings.Builder
	fmt.Fprintf(&d, "M%.6g %.5g", p.left, base)
	y := base
	for i := 0; i < len(p.Sums.Steps); {
		s := p.Sums.Steps[i]
		if s.At >= p.length() {
			break
		}
		x, last, high := p.x(s.At), s.Busy, s.Busy
		for i++; i < len(p.Sums.Steps) && p.x(p.Sums.Steps[i].At) < x+0.4; i++ {
			last = p.Sums.Steps[i].Busy
			high = max(high, last)
		}
		if level(high) == y && last == high {
			continue
		}
		fmt.Fprintf(&d, "H%.6gV%.5g", x, level(high))
		if last != high {
			fmt.Fprintf(&d, "H%.6gV%.5g", x+0.4, level(last))
		}
		y = level(last)
	}
	fmt.Fprintf(&d, "H%dV%.5gZ", right, base)
	return d.String()
}

// mark is a collision, or several that are too close to each other to be told apart.
type mark struct {
	from, to float64
	runs     int
	worst    plan.Collision
	title    string

	since, until, waited time.Duration
}

// clashes returns the marks of the collisions.
func (p *picture) clashes() (all []mark) {
	for _, c := range p.Sums.Collisions {
		if c.From >= p.length() {
			break
		}
		from, to := p.x(c.From), max(p.x(c.To), p.x(c.From)+1.5)
		if n := len(all); n == 0 || from > all[n-1].to+1.5 {
			all = append(all, mark{from: from, worst: c, since: c.From})
		}
		m := &all[len(all)-1]
		m.to, m.until = max(m.to, to), c.To
		m.waited += c.Length()
		m.runs += c.Runs
		if c.Wait > m.worst.Wait {
			m.worst = c
		}
		m.title = p.clash(*m)
	}
	return all
}

// clash tells a mark in a line.
func (p *picture) clash(m mark) string {
	r := p.Plan.Runs[m.worst.Worst]
	name := p.Plan.Jobs[r.Job].Name
	if m.runs == 1 {
		return fmt.Sprintf("%s waits %s for a worker, from %s on", name, short(m.worst.Wait), p.clock(r.Ready))
	}
	return fmt.Sprintf("%s for a worker; the worst is %s, %s from %s on", verb(m.runs, "run", "waits", "wait"),
		name, short(m.worst.Wait), p.clock(r.Ready))
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
	entry("starts, and takes nobody knows how long", 3, func() { p.pen.rect(x, y-6, 2.4, 12, 1, "moment", "") })
	entry("many runs", 24, func() { p.pen.shade(x, y-6, 24, 12, 2, "many", 0.45, "") })
}

// beyond reports whether an instant is not in the window.
func (p *picture) beyond(at time.Duration) bool { return at >= p.length() }
