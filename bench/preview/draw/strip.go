package draw

import (
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/bench/preview/plan"
)

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
		return fmt.Sprintf("%s waits %s for a worker, from %s on", name, short(m.worst.Wait),
			p.clock(r.Ready))
	}
	return fmt.Sprintf("%s for a worker; the worst is %s, %s from %s on", verb(m.runs, "run",
		"waits", "wait"),
		name, short(m.worst.Wait), p.clock(r.Ready))
}

// tint colours the times of collisions over all rows, as deeply as they are close together. Where
// they are nearly everywhere that would tell nothing.
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
