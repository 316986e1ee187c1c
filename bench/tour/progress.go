package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cheggaaa/pb/v3"
)

// progress shows how far the comparison is: on a terminal a bar that moves, elsewhere a plain line
// now and then.
type progress struct {
	out   io.Writer
	bar   *pb.ProgressBar // nil for plain lines
	names []string
	total time.Duration
	next  time.Duration // when the next plain line is due
}

func newProgress(out io.Writer, total time.Duration, names []string) *progress {
	p := &progress{out: out, names: names, total: total, next: total / 4}
	if isTerminal(out) {
		p.bar = pb.ProgressBarTemplate(`{{bar .}} {{string . "counts"}}`).New(int(total.Milliseconds()))
		p.bar.SetWriter(out).SetWidth(columns(out)).Set(pb.CleanOnFinish, true)
		p.bar.Set(pb.Static, true).Set(pb.Terminal, true).Start() // it is drawn by at alone
	}
	return p
}

// at is told by the comparison how far it is.
func (p *progress) at(elapsed time.Duration, runs []int) {
	if p.bar != nil {
		p.bar.Set("counts", p.counts(runs)).SetCurrent(elapsed.Milliseconds()).Write()
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
		p.bar.Finish()
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
