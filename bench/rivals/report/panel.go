package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours that people with any colour vision can tell apart.
var (
	blue = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	grey = color.RGBA{0xb0, 0xb0, 0xb0, 0xff}
)

// wide is the spread from which a linear axis would hide the small ones.
const wide = 30

// newPanel draws one figure: a bar up to the median for each result, the first on top, and a line
// from the least to the most that a round has had.
func newPanel(f Figure, ranked []*Result, named bool) (*plot.Plot, error) {
	p := plot.New()
	useSans(p)
	p.X.Label.Text = f.text()
	p.X.Min, p.X.Max = scale(p, f, ranked)
	p.X.Tick.Marker = readable{p.X.Tick.Marker}
	p.Y.Min, p.Y.Max = -0.6, float64(len(ranked))-0.4
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	var names []plot.Tick
	for i, r := range ranked {
		y := float64(len(ranked) - 1 - i)
		if named {
			names = append(names, plot.Tick{Value: y, Label: r.System + "  "})
		}
		if s := r.Summary[f.Name]; s != nil {
			if err := drawRow(p, y, *s, isOwn(r.System)); err != nil {
				return nil, err
			}
		}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(names)
	return p, nil
}

// scale chooses the kind of axis of x, and its ends: there is room for a number behind the longest
// bar.
func scale(p *plot.Plot, f Figure, ranked []*Result) (low, high float64) {
	least, most := math.Inf(1), 0.0 // of medians; a logarithm knows no zero
	for _, r := range ranked {
		s := r.Summary[f.Name]
		if s == nil {
			continue
		}
		high = max(high, s.Max)
		most = max(most, s.Median)
		if s.Median > 0 {
			least = min(least, s.Median)
		}
	}
	switch {
	case high == 0:
		return 0, 1
	case most <= wide*least:
		return 0, high * 1.2
	}
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{}
	low = least / 2
	return low, high * math.Pow(high/low, 0.2)
}

// drawRow draws one bar. On a logarithmic axis it begins at the left end, and one of zero is not
// there.
func drawRow(p *plot.Plot, y float64, s Summary, own bool) error {
	const half = 0.36
	from, to := p.X.Min, max(s.Median, p.X.Min)
	bar, err := plotter.NewPolygon(plotter.XYs{{X: from, Y: y - half}, {X: to, Y: y - half}, {X: to, Y: y + half}, {X: from, Y: y + half}})
	if err != nil {
		return err
	}
	bar.LineStyle.Width, bar.Color = 0, grey
	if own {
		bar.Color = blue
	}
	least, most := max(s.Min, p.X.Min), max(s.Max, p.X.Min)
	whisker, err := plotter.NewXErrorBars(struct {
		plotter.XYs
		plotter.XErrors
	}{plotter.XYs{{X: to, Y: y}}, plotter.XErrors{{Low: to - least, High: most - to}}})
	if err != nil {
		return err
	}
	label, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: most, Y: y}}, Labels: []string{number(s.Median)}})
	if err != nil {
		return err
	}
	label.Offset.X = 2 * vg.Millimeter
	label.TextStyle[0].Font.Variant, label.TextStyle[0].YAlign = "Sans", draw.YCenter
	p.Add(bar, whisker, label)
	return nil
}

// readable are ticks with labels as in the tables.
type readable struct{ plot.Ticker }

func (r readable) Ticks(low, high float64) []plot.Tick {
	ticks := r.Ticker.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = number(ticks[i].Value)
		}
	}
	return ticks
}
