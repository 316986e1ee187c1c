package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	svg "github.com/ajstarks/svgo/float"
)

// The picture is measured in pixels. It has a title, a lane for each system, an axis, and a legend.
const (
	plotWidth   = 980
	plotLeft    = 190 // where lanes begin; the names stand before that
	plotRight   = plotWidth - 30
	plotTop     = 50
	laneHeight  = 58
	runHeight   = 32 // of the marks of runs, above those of the clock
	clockHeight = 6
	axisRoom    = 48
	legendRoom  = 40
)

const textStyle = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;font-size:14px;fill:#222"

// Colours that people with any colour vision can tell apart.
const (
	clockColor = "#909090"
	runColor   = "#0072b2"
	lateColor  = "#d53e00"
	stallColor = "#f2d080"
)

// plot draws the runs of each system, one lane each.
type plot struct {
	*svg.SVG
	scenario
	lanes int
}

// drawPlot writes the runs of each system as an SVG.
func drawPlot(w io.Writer, sc scenario, systems []system) error {
	to := &errWriter{w: w}
	p := plot{svg.New(to), sc, len(systems)}
	height := p.axis() + axisRoom + legendRoom
	p.Startview(plotWidth, height, 0, 0, plotWidth, height)
	p.Rect(0, 0, plotWidth, height, "fill:white")
	p.Gstyle(textStyle)
	p.Text(plotWidth/2, 28, fmt.Sprintf("One job every %v, of which run %d stalls for %v",
		sc.period, sc.stalled, sc.stall), "text-anchor:middle;font-size:17px")
	for i, s := range systems {
		p.drawLane(s, plotTop+float64(i)*laneHeight)
	}
	p.drawAxis()
	p.drawLegend(p.axis() + axisRoom + legendRoom/2)
	p.Gend()
	p.End()
	return to.err
}

// axis returns the height of the axis.
func (p plot) axis() float64 { return plotTop + float64(p.lanes)*laneHeight }

// x returns where a moment of the comparison is.
func (p plot) x(at time.Duration) float64 {
	return plotLeft + (plotRight-plotLeft)*at.Seconds()/p.window().Seconds()
}

func (p plot) drawLane(s system, top float64) {
	p.Text(plotLeft-14, top+runHeight*0.7, s.Name, "text-anchor:end")
	var clock, inTime, late []float64
	for i := range p.periods() {
		clock = append(clock, p.x(time.Duration(i+1)*p.period))
	}
	for _, m := range s.Runs {
		at := p.x(m.Started)
		if m.took() >= p.period {
			p.Rect(at, top, p.x(m.Ended)-at, runHeight, "fill:"+stallColor)
		}
		if m.late() >= p.period {
			late = append(late, at)
		} else {
			inTime = append(inTime, at)
		}
	}
	p.strokes(clock, top+runHeight+4, clockHeight, clockColor)
	p.strokes(inTime, top, runHeight, runColor)
	p.strokes(late, top, runHeight, lateColor)
}

// strokes draws vertical lines as one path, which keeps the file small.
func (p plot) strokes(xs []float64, top, height float64, color string) {
	var path strings.Builder
	for _, x := range xs {
		fmt.Fprintf(&path, "M%.1f %.1fv%.1f", x, top, height)
	}
	if len(xs) > 0 {
		p.Path(path.String(), "fill:none;stroke:"+color)
	}
}

// drawAxis draws the axis of time, with about eight labels, and nine ticks between two of them.
func (p plot) drawAxis() {
	y := p.axis()
	p.Line(plotLeft, y, plotRight, y, "stroke:#222")
	step := roundStep(p.length / 8)
	for i := 0; time.Duration(i)*step/10 <= p.length; i++ {
		at := time.Duration(i) * step / 10
		long := 3.0
		if i%10 == 0 {
			long = 6
			label := strconv.FormatFloat(at.Seconds(), 'g', -1, 64)
			p.Text(p.x(at), y+20, label, "text-anchor:middle")
		}
		p.Line(p.x(at), y, p.x(at), y+long, "stroke:#222")
	}
	p.Text((plotLeft+plotRight)/2, y+38, "seconds since the start", "text-anchor:middle")
}

// drawLegend says what the marks mean, side by side.
func (p plot) drawLegend(y float64) {
	x := 30.0
	entry := func(text string, mark func(x float64)) {
		mark(x)
		p.Text(x+22, y+5, text)
		x += (plotWidth - 40) / 4
	}
	stroke := func(color string) func(x float64) {
		return func(x float64) { p.strokes([]float64{x + 8}, y-8, 16, color) }
	}
	entry("a run begins", stroke(runColor))
	entry("a period late or more", stroke(lateColor))
	entry("the run that stalls", func(x float64) { p.Rect(x, y-8, 16, 16, "fill:"+stallColor) })
	entry("the clock: every period", stroke(clockColor))
}

// errWriter keeps the first error, as the drawing does not tell of any.
type errWriter struct {
	w   io.Writer
	err error
}

func (w *errWriter) Write(data []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(data)
	w.err = err
	return n, err
}
