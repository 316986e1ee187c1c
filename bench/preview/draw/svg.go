package draw

import (
	"io"
	"time"
	"unicode/utf8"
)

// The picture is measured in pixels:
//
//	title                                    the window, the zone, the workers
//	figures                                  the sums
//	strip of busy workers, with brackets     where runs wait for one
//	hours
//	row ── runs
//	row ── runs
//	legend, remarks
const (
	width      = 1280
	margin     = 32
	right      = width - margin
	gutter     = 14 // between columns of text
	titleTop   = 30
	figuresTop = 92
	stripTop   = 168
	stripHigh  = 56
	hoursHigh  = 28 // of the axis
	daysHigh   = 16 // more, if there are several
	mostLabel  = 26 // letters of the name of a job
	mostWhen   = 22 // letters of its line
	longRows   = 24 // more than so many have the hours below them, too
)

// SVG writes the chart as a picture, which follows the colours of its reader, light or dark.
func (c *Chart) SVG(w io.Writer) error {
	p := &picture{Chart: c, pen: newPen(w), rows: c.rows()}
	p.layout()
	p.draw()
	return p.pen.flush()
}

// picture is a chart being drawn.
type picture struct {
	*Chart
	pen  *pen
	rows []row

	left           float64 // where time begins
	when, estimate float64 // where lines and estimates stand: the latter end there
	rowHigh        float64
	rowsTop        float64
	facts          []string
}

// layout finds places for everything.
func (p *picture) layout() {
	name, line, long := 0, 0, 0
	for _, r := range p.rows {
		name = max(name, min(utf8.RuneCountInString(r.name), mostLabel))
		line = max(line, min(utf8.RuneCountInString(r.line), mostWhen))
		long = max(long, utf8.RuneCountInString(r.estimate))
	}
	switch n := len(p.rows); {
	case n <= 12:
		p.rowHigh = 32
	case n <= 40:
		p.rowHigh = 23
	case n <= 100:
		p.rowHigh = 18
	default:
		p.rowHigh = 14
	}
	font := p.font()
	p.when = margin + max(float64(name)*font*0.58, 90) + gutter
	letter := p.small() * 0.61
	p.estimate = p.when + float64(line)*letter + gutter + float64(max(long, 2))*letter
	p.left = p.estimate + gutter + 4
	p.rowsTop = stripTop + stripHigh + hoursHigh
	if p.days() {
		p.rowsTop += daysHigh
	}
	p.facts = p.remarks()
}

// font returns the size of the names of jobs; small that of lines.
func (p *picture) font() float64  { return min(13, p.rowHigh*0.72) }
func (p *picture) small() float64 { return min(11.5, p.rowHigh*0.66) }

// bottom returns where the rows end.
func (p *picture) bottom() float64 { return p.rowsTop + float64(len(p.rows))*p.rowHigh }

// height returns that of the picture.
func (p *picture) height() float64 { return p.bottom() + 74 + 20*float64(len(p.facts)) }

// x returns where an instant is, in the window or at its edge.
func (p *picture) x(at time.Duration) float64 {
	share := float64(at) / float64(p.length())
	return p.left + (right-p.left)*min(max(share, 0), 1)
}

func (p *picture) draw() {
	p.pen.begin(width, p.height())
	p.heading()
	p.figures()
	p.grid()
	p.strip()
	p.axis()
	for i, r := range p.rows {
		p.label(r, p.rowsTop+float64(i)*p.rowHigh)
		p.runs(r, p.rowsTop+float64(i)*p.rowHigh)
	}
	p.clocks()
	if len(p.rows) > longRows {
		p.hoursBelow()
	}
	p.legend(p.bottom() + 34)
	for i, text := range p.facts {
		p.pen.text(margin, p.bottom()+64+20*float64(i), "muted", 12.5, text)
	}
	p.pen.end()
}

// remarks are the facts that the figures do not tell.
func (p *picture) remarks() (all []string) {
	all = p.keepUp()
	for _, x := range p.changes() {
		all = append(all, "clocks: "+x.sentence())
	}
	if n := p.Sums.Unknown; n > 0 {
		all = append(all, noEstimate(n))
	}
	return append(all, p.missing()...)
}
