package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows a line for each mutant, and on a terminal a bar below.
type progress struct {
	mu  sync.Mutex
	out io.Writer
	bar *progressbar.ProgressBar // nil for lines only
}

func newProgress(out io.Writer, mutants int) *progress {
	p := &progress{out: out}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.bar = progressbar.NewOptions(mutants,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(20),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionUseANSICodes(true),
		)
		_ = p.bar.RenderBlank()
	}
	return p
}

// done is told of each mutant.
func (p *progress) done(r result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.out, "%-14s %-8s %6.1f s", r.ID, r.Outcome, r.Seconds)
	if r.Outcome == killed {
		fmt.Fprintf(p.out, "  %s", r.by())
	}
	fmt.Fprintln(p.out)
	if p.bar != nil {
		_ = p.bar.Add(1)
	}
}

// end removes the bar, so that what is printed next begins on a clean line.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
