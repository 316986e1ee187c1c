package draw

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// pen writes the elements of an SVG.
type pen struct{ out *bufio.Writer }

func newPen(w io.Writer) *pen { return &pen{bufio.NewWriterSize(w, 1<<16)} }

func (p *pen) flush() error { return p.out.Flush() }

// style has the colours, for either kind of reader. People with any colour vision can tell them
// apart.
const style = `
svg{background:#fcfcfb;font-family:Inter,"Helvetica Neue","Liberation Sans",Arial,"DejaVu Sans",sans-serif}
text{fill:#1c2024}
.muted{fill:#687076}
.mono{fill:#687076;font-family:ui-monospace,"SF Mono","Liberation Mono","DejaVu Sans Mono",monospace}
.end{text-anchor:end}.middle{text-anchor:middle}.strong{font-weight:600}.plain{font-weight:400}
.paper{fill:#fcfcfb}
.band{fill:#000;fill-opacity:.025}
.hour{stroke:#000;stroke-opacity:.07}.day{stroke:#000;stroke-opacity:.3}.base{stroke:#000;stroke-opacity:.25}
.run{fill:#2f6fb7}.many{fill:#2f6fb7}.moment{fill:#2f6fb7}
.wait{fill:url(#hatch)}.own{fill:url(#own)}.stripe{stroke:#d9480f}.self{stroke:#868e96}
.area{fill:#2f6fb7;fill-opacity:.22;stroke:#2f6fb7;stroke-width:1}.mass{fill:#2f6fb7;fill-opacity:.6}.full{stroke:#687076;stroke-dasharray:3 3}
.clash{fill:none;stroke:#d9480f;stroke-width:1.5}.crash{fill:#d9480f}.alarm{fill:#c2410c}
.clock{stroke:#7048e8;stroke-dasharray:4 3;stroke-width:1.25}.clocked{fill:#7048e8}
@media(prefers-color-scheme:dark){
svg{background:#15181c}text{fill:#e6e8eb}.muted,.mono{fill:#949ba3}.paper{fill:#15181c}
.band{fill:#fff;fill-opacity:.03}
.hour{stroke:#fff;stroke-opacity:.08}.day{stroke:#fff;stroke-opacity:.34}.base{stroke:#fff;stroke-opacity:.3}
.run,.many,.moment{fill:#6ea8ec}.area{fill:#6ea8ec;stroke:#6ea8ec}.mass{fill:#6ea8ec}.full{stroke:#949ba3}
.stripe,.clash{stroke:#ff8f4d}.crash{fill:#ff8f4d}.alarm{fill:#ff9f66}.self{stroke:#7d858d}
.clock{stroke:#b197fc}.clocked{fill:#b197fc}
}
`

func (p *pen) begin(width, height float64) {
	fmt.Fprintf(p.out,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g">`,
		width, height, width, height)
	fmt.Fprintf(p.out, "\n<style>%s</style>\n<defs>", style)
	fmt.Fprint(p.out, `<pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" `,
		`patternTransform="rotate(45)"><path class="stripe" d="M1 0V5" stroke-width="1.6"/></pattern>`,
		`<pattern id="own" width="3" height="3" patternUnits="userSpaceOnUse">`,
		`<path class="self" d="M1 0V3" stroke-width="1.4"/></pattern>`)
	fmt.Fprintf(p.out, "</defs>\n"+`<rect class="paper" width="%g" height="%g"/>`+"\n", width,
		height)
}

func (p *pen) end() { fmt.Fprint(p.out, "</svg>\n") }

// text writes a text in one or several classes.
func (p *pen) text(x, y float64, class string, size float64, text string) {
	fmt.Fprintf(p.out, `<text x="%.5g" y="%.6g" class="%s" font-size="%.3g">%s</text>`+"\n",
		x, y, class, size, escaped(text))
}

// figure writes a figure, and more about it in small letters.
func (p *pen) figure(x, y float64, class, figure, more string) {
	fmt.Fprintf(p.out,
		`<text x="%.5g" y="%.6g" class="%s" font-size="19">%s<tspan class="plain muted" dx="10" `+
			`font-size="12">%s</tspan></text>`+"\n", x, y, class, escaped(figure), escaped(more))
}

// titled writes a text that is cut, and shows all of it when pointed at.
func (p *pen) titled(x, y float64, class string, size float64, text string, letters int) {
	if cut(text, letters) == text {
		p.text(x, y, class, size, text)
		return
	}
	fmt.Fprintf(p.out,
		`<text x="%.5g" y="%.6g" class="%s" font-size="%.3g"><title>%s</title>%s</text>`+"\n",
		x, y, class, size, escaped(text), escaped(cut(text, letters)))
}

// rect draws a rectangle, with a title if that is not "".
func (p *pen) rect(x, y, w, h, round float64, class, title string) {
	p.shade(x, y, w, h, round, class, 1, title)
}

// shade draws a rectangle that is more or less opaque.
func (p *pen) shade(x, y, w, h, round float64, class string, opacity float64, title string) {
	fmt.Fprintf(p.out, `<rect x="%.6g" y="%.6g" width="%.5g" height="%.4g" class="%s"`, x, y, w, h,
		class)
	if round > 0 {
		fmt.Fprintf(p.out, ` rx="%.2g"`, round)
	}
	if opacity < 1 {
		fmt.Fprintf(p.out, ` fill-opacity="%.2g"`, opacity)
	}
	if title == "" {
		fmt.Fprint(p.out, "/>\n")
		return
	}
	fmt.Fprintf(p.out, "><title>%s</title></rect>\n", escaped(title))
}

func (p *pen) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(p.out, `<path d="M%.6g %.6gL%.6g %.6g" class="%s"/>`+"\n", x1, y1, x2, y2, class)
}

func (p *pen) path(d, class, title string) {
	if title == "" {
		fmt.Fprintf(p.out, `<path d="%s" class="%s"/>`+"\n", d, class)
		return
	}
	fmt.Fprintf(p.out, `<path d="%s" class="%s"><title>%s</title></path>`+"\n", d, class,
		escaped(title))
}

// escaped returns a text as XML may have it.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
