package main

import (
	"fmt"
	"image/color"
	"io"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	plotWidth    = 26 * vg.Centimeter
	plotHeight   = 11 * vg.Centimeter
	legendHeight = 1 * vg.Centimeter
	plotMargin   = 3 * vg.Millimeter
)

// legendEntry is what one kind of mark means.
type legendEntry struct {
	text string
	mark plot.Thumbnailer
}

// drawPlot writes the runs of each system, one lane each, as an SVG.
func drawPlot(w io.Writer, sc scenario, systems []system) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("One job every %v, of which run %d stalls for %v",
		sc.period, sc.stalled, sc.stall)
	p.Title.Padding = vg.Millimeter
	p.X.Label.Text = "seconds since the start"
	p.X.Tick.Marker = plot.ConstantTicks(secondTicks(sc.length))
	p.Y.Tick.Marker = plot.ConstantTicks(laneTicks(systems))
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	useSans(p)
	var legend []legendEntry
	for i, s := range systems {
		legend = drawLane(p, sc, s, float64(len(systems)-1-i))
	}
	p.X.Min, p.X.Max = 0, sc.window().Seconds()
	p.Y.Min, p.Y.Max = -0.6, float64(len(systems))-0.4

	svg := vgsvg.New(plotWidth, plotHeight)
	page := draw.Crop(draw.New(svg), plotMargin, -plotMargin, plotMargin, -plotMargin)
	drawLegend(page, legend)
	p.Draw(draw.Crop(page, 0, 0, legendHeight, 0))
	_, err := svg.WriteTo(w)
	return err
}

// drawLane draws one system, with the middle of its lane at y, and returns what the marks mean.
func drawLane(p *plot.Plot, sc scenario, s system, y float64) []legendEntry {
	// Colours that people with any colour vision can tell apart.
	grey, blue := color.RGBA{0x90, 0x90, 0x90, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}
	red, sand := color.RGBA{0xd5, 0x3e, 0x00, 0xff}, color.RGBA{0xf2, 0xd0, 0x80, 0xff}
	line := func(c color.Color) draw.LineStyle { return draw.LineStyle{Color: c, Width: 0.9} }

	clock := strokes{low: y - 0.36, high: y - 0.26, style: line(grey)}
	for i := range sc.periods() {
		clock.at = append(clock.at, (time.Duration(i+1) * sc.period).Seconds())
	}
	inTime := strokes{low: y - 0.2, high: y + 0.36, style: line(blue)}
	late := strokes{low: y - 0.2, high: y + 0.36, style: line(red)}
	stall := block{low: y - 0.2, high: y + 0.36, fill: sand}
	for _, m := range s.Runs {
		at := m.Started.Seconds()
		if m.took() >= sc.period {
			stall.from, stall.to = at, m.Ended.Seconds()
			p.Add(stall)
		}
		if m.late() >= sc.period {
			late.at = append(late.at, at)
		} else {
			inTime.at = append(inTime.at, at)
		}
	}
	p.Add(clock, inTime, late)
	return []legendEntry{
		{"a run begins", inTime},
		{"a period late or more", late},
		{"the run that stalls", stall},
		{"the clock: every period", clock},
	}
}

// drawLegend draws the entries side by side along the bottom of c.
func drawLegend(c draw.Canvas, entries []legendEntry) {
	width := (c.Max.X - c.Min.X) / vg.Length(max(len(entries), 1))
	for i, e := range entries {
		l := plot.NewLegend()
		l.TextStyle.Font.Variant, l.TextStyle.Font.Size = "Sans", vg.Points(11)
		l.Left, l.ThumbnailWidth = true, 5*vg.Millimeter
		l.Add(e.text, e.mark)
		left := width * vg.Length(i)
		l.Draw(draw.Crop(c, left, left+width-(c.Max.X-c.Min.X), 0, 0))
	}
}

func useSans(p *plot.Plot) {
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font,
	} {
		f.Variant = "Sans"
	}
}

// laneTicks names the lanes. A viewer may have wider letters than those measured here, so the names
// end in room to spare.
func laneTicks(systems []system) (ticks []plot.Tick) {
	for i, s := range systems {
		y := float64(len(systems) - 1 - i)
		ticks = append(ticks, plot.Tick{Value: y, Label: s.Name + "     "})
	}
	return ticks
}

// secondTicks has about six labels, and nine ticks between two of them.
func secondTicks(length time.Duration) (ticks []plot.Tick) {
	step := roundStep(length / 8)
	for i := 0; time.Duration(i)*step/10 <= length; i++ {
		at := (time.Duration(i) * step / 10).Seconds()
		label := ""
		if i%10 == 0 {
			label = strconv.FormatFloat(at, 'g', -1, 64)
		}
		ticks = append(ticks, plot.Tick{Value: at, Label: label})
	}
	return ticks
}
