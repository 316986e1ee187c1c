package main

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// strokes draws a vertical line for each moment, in the lane of one system.
type strokes struct {
	at        []float64 // seconds
	low, high float64   // ends of each line, in lanes
	style     draw.LineStyle
}

// Plot draws all lines as one path, which keeps the file small.
func (s strokes) Plot(c draw.Canvas, p *plot.Plot) {
	if len(s.at) == 0 {
		return
	}
	x, y := p.Transforms(&c)
	var path vg.Path
	for _, at := range s.at {
		path.Move(vg.Point{X: x(at), Y: y(s.low)})
		path.Line(vg.Point{X: x(at), Y: y(s.high)})
	}
	c.SetLineStyle(s.style)
	c.Stroke(path)
}

// Thumbnail draws one line, for the legend.
func (s strokes) Thumbnail(c *draw.Canvas) {
	mid := (c.Min.X + c.Max.X) / 2
	c.StrokeLine2(s.style, mid, c.Min.Y, mid, c.Max.Y)
}

// block draws a filled span of time in the lane of one system.
type block struct {
	from, to  float64 // seconds
	low, high float64 // in lanes
	fill      color.Color
}

// Plot fills the span.
func (b block) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.FillPolygon(b.fill, []vg.Point{
		{X: x(b.from), Y: y(b.low)}, {X: x(b.to), Y: y(b.low)},
		{X: x(b.to), Y: y(b.high)}, {X: x(b.from), Y: y(b.high)},
	})
}

// Thumbnail fills the space in the legend.
func (b block) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.fill, []vg.Point{
		c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y},
	})
}
