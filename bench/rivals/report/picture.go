package report

import (
	"bytes"
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	nameWidth   = 4 * vg.Centimeter
	panelWidth  = 10 * vg.Centimeter // one figure
	rowHeight   = 0.6 * vg.Centimeter
	aroundRows  = 3 * vg.Centimeter // axis and title
	pageMargin  = 3 * vg.Millimeter
	titleHeight = 1.3 * vg.Centimeter
)

// drawable reports whether there is anything to be seen.
func (w *Workload) drawable() bool { return len(w.ranking()) > 0 }

// ranking returns the results that have figures, the least first.
func (w *Workload) ranking() []*Result {
	ranked := slices.DeleteFunc(slices.Clone(w.Results), func(r *Result) bool { return len(r.Summary) == 0 })
	first := w.Figures[0].Name
	slices.SortStableFunc(ranked, func(a, b *Result) int {
		x, y := a.Summary[first], b.Summary[first]
		if x == nil || y == nil {
			return cmp.Compare(boolToInt(x == nil), boolToInt(y == nil))
		}
		return cmp.Compare(x.Median, y.Median)
	})
	return ranked
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// draw returns an SVG with a panel for each figure, in which each system has a row.
// That sizes are smaller than its title says must stand there, too.
func (w *Workload) draw(quick bool) ([]byte, error) {
	ranked := w.ranking()
	svg := vgsvg.New(
		nameWidth+panelWidth*vg.Length(len(w.Figures)),
		aroundRows+rowHeight*vg.Length(len(ranked)))
	key := "medians, from the least to the most of all rounds; in blue: Punctual"
	if quick {
		key += "; quick, with smaller sizes"
	}
	if err := w.paint(draw.New(svg), ranked, key); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_, err := svg.WriteTo(&out)
	return withFallback(out.Bytes()), err
}

func (w *Workload) paint(c draw.Canvas, ranked []*Result, key string) error {
	panels := make([]*plot.Plot, len(w.Figures))
	for i, f := range w.Figures {
		p, err := newPanel(f, ranked, i == 0)
		if err != nil {
			return err
		}
		panels[i] = p
	}
	page := draw.Crop(c, pageMargin, -pageMargin, pageMargin, -pageMargin)
	title, small := panels[0].Title.TextStyle, panels[0].X.Tick.Label
	title.XAlign, title.YAlign = draw.XLeft, draw.YTop
	small.XAlign, small.YAlign = draw.XLeft, draw.YTop
	page.FillText(title, vg.Point{X: page.Min.X, Y: page.Max.Y}, w.Title)
	page.FillText(small, vg.Point{X: page.Min.X, Y: page.Max.Y - 6*vg.Millimeter}, key)
	below := draw.Crop(page, 0, 0, 0, -titleHeight)
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: vg.Centimeter}
	for i, canvas := range plot.Align([][]*plot.Plot{panels}, tiles, below)[0] {
		panels[i].Draw(canvas)
	}
	return nil
}

// withFallback names fonts of the same widths, for viewers without the one that was measured with.
func withFallback(svg []byte) []byte {
	const measured = "font-family:Liberation Sans"
	return bytes.ReplaceAll(svg, []byte(measured), []byte(measured+",Arial,Helvetica,sans-serif"))
}

func useSans(p *plot.Plot) {
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font,
	} {
		f.Variant = "Sans"
	}
}
