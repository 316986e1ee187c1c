package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far the run is: on a terminal a bar that moves, elsewhere a plain line for
// each workload.
type progress struct {
	mu  sync.Mutex
	out io.Writer
	bar *progressbar.ProgressBar // nil for plain lines
}

func newProgress(out io.Writer, p plan, terminal bool) *progress {
	if !terminal {
		return &progress{out: out}
	}
	var total time.Duration
	for _, w := range p.workloads {
		total += w.round() * time.Duration((w.rounds+1)*len(w.contenders))
	}
	return &progress{out: out, bar: progressbar.NewOptions64(total.Milliseconds(),
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetWidth(20),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(true),
	)}
}

// isTerminal reports whether w understands control codes.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// round guesses how long one takes, for the bar to move evenly: the time that it waits, and half a
// microsecond for each task.
func (p planned) round() time.Duration {
	s := p.params
	waiting := s["for_ms"] + s["settle_ms"] + 3*s["lead_ms"]/2
	tasks := s["pending"] + s["n"] + s["ops"]*max(s["width"], 1) + s["batch"]*s["batches"]
	return time.Duration(waiting)*time.Millisecond + time.Duration(tasks)*time.Microsecond/2 + 50*time.Millisecond
}

// begin is told of each workload.
func (p *progress) begin(w planned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Describe(w.Name)
		return
	}
	fmt.Fprintf(p.out, "%s: %d systems, %d rounds\n", w.Name, len(w.contenders), w.rounds)
}

// done is told of each round, and of each that has warmed up.
func (p *progress) done(w planned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Add64(w.round().Milliseconds())
	}
}

// note shows what must not wait.
func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintln(p.out, strings.TrimSpace(text))
}

// end removes the bar, so that what is printed next begins on a clean line.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
