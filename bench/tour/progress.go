package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far the comparison is: on a terminal a bar that moves, elsewhere a plain line
// now and then.
type progress struct {
	out   io.Writer
	bar   *progressbar.ProgressBar // nil for plain lines
	names []string
	total time.Duration
	next  time.Duration // when the next plain line is due
}

func newProgress(out io.Writer, total time.Duration, names []string) *progress {
	p := &progress{out: out, names: names, total: total, next: total / 4}
	if isTerminal(out) {
		p.bar = progressbar.NewOptions64(total.Milliseconds(),
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(15),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionShowDescriptionAtLineEnd(),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionThrottle(lookEvery/2), // one drawing each time, not two
		)
	}
	return p
}

// at is told by the comparison how far it is.
func (p *progress) at(elapsed time.Duration, runs []int) {
	if p.bar != nil {
		p.bar.Describe(p.counts(runs))
		p.bar.Set64(min(elapsed, p.total-time.Millisecond).Milliseconds())
		return
	}
	if elapsed < p.next {
		return
	}
	p.next += p.total / 4
	fmt.Fprintf(p.out, "comparing, %.1fs of %.1fs; runs so far: %s\n",
		elapsed.Seconds(), p.total.Seconds(), p.counts(runs))
}

// end removes the bar, so that what is printed next begins on a clean line.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

func (p *progress) counts(runs []int) string {
	var b strings.Builder
	for i, n := range runs {
		if i > 0 {
			b.WriteString("  ")
		}
		fmt.Fprintf(&b, "%s %d", p.names[i], n)
	}
	return b.String()
}
