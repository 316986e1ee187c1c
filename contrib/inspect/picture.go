package inspect

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"
)

// The pictures are SVG, drawn here and not by the templates: there is a lot of them. Nothing gets
// into them but numbers, and text through escape.

func escape(s fmt.Stringer) string { return template.HTMLEscapeString(s.String()) }

// lateClass returns the style of a lateness.
func lateClass(d span) string {
	switch t := time.Duration(d); {
	case t < time.Millisecond:
		return "l0"
	case t < 10*time.Millisecond:
		return "l1"
	case t < 100*time.Millisecond:
		return "l2"
	case t < time.Second:
		return "l3"
	}
	return "l4"
}

// The strip's measures: a bin's width, the ground on which the bars stand, and the highest of them.
const (
	binPixels = 4
	ground    = 50
	highest   = 46
)

// Picture draws the strip.
func (t *strip) Picture() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d 60" preserveAspectRatio="none" aria-hidden="true">`,
		allBins*binPixels)
	fmt.Fprintf(&b, `<path class="ground" d="M0 %d.5H%d"/>`, ground, allBins*binPixels)
	fmt.Fprintf(&b, `<path class="now" d="M%d 0V60"/>`, binsBack*binPixels+binPixels/2)
	var most uint64 = 1
	for i := range t.Bins {
		most = max(most, t.Bins[i].Runs, t.Bins[i].Planned)
	}
	for i := range t.Bins {
		t.draw(&b, i, most)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func (t *strip) draw(b *strings.Builder, i int, most uint64) {
	x := &t.Bins[i]
	if x.empty() {
		return
	}
	at := i * binPixels
	fmt.Fprintf(b, `<g id="b%d"><title>%s</title><rect class="all" x="%d" width="4" height="60"/>`,
		i, template.HTMLEscapeString(t.tell(i)), at)
	if x.Planned > 0 {
		column(b, "plan", at, x.Planned, most)
	}
	if x.Runs > 0 {
		column(b, lateClass(x.Late), at, x.Runs, most)
	}
	if x.Failures+x.Expired > 0 {
		fmt.Fprintf(b, `<rect class="bad" x="%d" y="52" width="3" height="7"/>`, at)
	}
	if x.Together > t.Workers {
		fmt.Fprintf(b, `<rect class="many" x="%d" y="52" width="3" height="7"/>`, at)
	}
	b.WriteString("</g>")
}

// empty reports whether there is nothing in a bin.
func (x *bin) empty() bool { return x.Runs+x.Expired+x.Planned == 0 }

// column draws a bar, whose height grows with the logarithm of n, so that few show beside many.
func column(b *strings.Builder, class string, at int, n, most uint64) {
	h := max(4, int(highest*math.Log1p(float64(n))/math.Log1p(float64(most))))
	fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="3" height="%d"/>`, class, at, ground-h, h)
}

// tell says in words what is in a bin.
func (t *strip) tell(i int) string {
	x := &t.Bins[i]
	from := t.From.Add(time.Duration(i) * binWidth)
	words := []string{fmt.Sprintf("%s to %s", from.Format("15:04:05"),
		from.Add(binWidth).Format("15:04:05 MST"))}
	if x.Runs > 0 {
		words = append(words, fmt.Sprintf("%s, the latest %v late: %v, run %s, took %v",
			numbered(x.Runs, "run"), x.Late, x.Name, count(x.Number), x.Took))
	}
	if x.Failures > 0 {
		words = append(words, count(x.Failures)+" failed")
	}
	if x.Skipped > 0 {
		words = append(words, count(x.Skipped)+" skipped")
	}
	if x.Expired > 0 {
		words = append(words, count(x.Expired)+" expired")
	}
	if x.Planned > 0 {
		words = append(words, fmt.Sprintf("%s planned, %v first", numbered(x.Planned, "run"), x.First))
	}
	if x.Together > t.Workers {
		words = append(words, fmt.Sprintf("%d at the same moment for %s", x.Together,
			numbered(uint64(t.Workers), "worker")))
	}
	return strings.Join(words, "; ")
}

// Says sums the strip up.
func (t *strip) Says() string {
	var sum bin
	for _, b := range t.Bins {
		sum.Runs += b.Runs
		sum.Failures += b.Failures
		sum.Skipped += b.Skipped
		sum.Expired += b.Expired
		sum.Planned += b.Planned
		sum.Late = max(sum.Late, b.Late)
	}
	lost := count(sum.Failures) + " failed"
	if sum.Skipped > 0 {
		lost += ", " + count(sum.Skipped) + " skipped"
	}
	if sum.Expired > 0 {
		lost += ", " + count(sum.Expired) + " expired"
	}
	says := fmt.Sprintf("Ten minutes back: %s, %s, the latest %v late. Ten ahead: %s planned",
		numbered(sum.Runs, "run"), lost, sum.Late, numbered(sum.Planned, "run"))
	if t.Until.Before(t.end()) {
		says += ", as far as " + t.Until.Format("15:04:05 MST")
	}
	if t.Cut > 0 {
		says += ", not all of " + numbered(uint64(t.Cut), "task") + " on a calendar"
	}
	if t.Together.Before(t.Until) {
		says += "; what starts at the same moment is known as far as " + t.Together.Format("15:04:05 MST")
	}
	return says + "."
}

// Told are the bins in words in which there is something.
func (t *strip) Told() (told []string) {
	for i := range t.Bins {
		if !t.Bins[i].empty() {
			told = append(told, t.tell(i))
		}
	}
	return told
}

func numbered(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return count(n) + " " + what + "s"
}

// Spark draws how late the last runs were.
func (r row) Spark() template.HTML {
	if len(r.Lately) == 0 {
		return ""
	}
	var worst span
	for _, d := range r.Lately {
		worst = max(worst, d)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="spark" viewBox="0 0 64 16" role="img" aria-label="late %s at most `+
		`in the last %s">`, escape(worst), numbered(uint64(len(r.Lately)), "run"))
	for i, d := range r.Lately {
		// A decade is three pixels, from a microsecond on.
		h := 1 + min(15, int(3*math.Log10(1+float64(d)/1e3)))
		fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="3" height="%d"/>`, lateClass(d),
			4*(i+16-len(r.Lately)), 16-h, h)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// Picture draws the parts side by side, over the whole width.
func (l *lateness) Picture() template.HTML { return l.Beside(l.Total) }

// Beside draws the parts side by side, to the scale in which the longest of several takes the whole
// width.
func (l *lateness) Beside(longest span) template.HTML {
	if l.Total <= 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<svg class="parts" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">`)
	at := 0.0
	for _, p := range l.Parts {
		w := 1000 * float64(p.Time) / float64(max(longest, l.Total))
		fmt.Fprintf(&b, `<rect class="w-%s" x="%.1f" width="%.1f" height="10"><title>%s</title></rect>`,
			p.What, at, w, template.HTMLEscapeString(p.Time.String()+" "+p.Reason()))
		at += w
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
