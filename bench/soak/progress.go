package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far the soak is: on a terminal a bar that moves, elsewhere a line now and
// then.
type progress struct {
	mu     sync.Mutex
	out    io.Writer
	bar    *progressbar.ProgressBar // nil for lines
	began  time.Time
	told   time.Time
	share  float64       // of all rows, done
	rows   int           // how many there are
	length time.Duration // of a soak that goes by the time
	did    int64
}

// shares is how fine the bar is.
const shares = 10_000

func newProgress(out io.Writer, s *schedule, length time.Duration) *progress {
	p := &progress{out: out, began: time.Now(), told: time.Now(), rows: len(s.rows), length: length}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.bar = progressbar.NewOptions(shares,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(30),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionUseANSICodes(true),
		)
	}
	return p
}

// add is told that operations of a row have been done.
func (p *progress) add(r *row, ops int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.did += ops
	p.share += float64(ops) / float64(r.target) / float64(p.rows)
	share := p.share
	if p.length > 0 {
		share = float64(time.Since(p.began)) / float64(p.length)
	}
	share = min(share, 1)
	if p.bar != nil {
		_ = p.bar.Set(int(share * shares))
		return
	}
	if time.Since(p.told) < 10*time.Second {
		return
	}
	p.told = time.Now()
	fmt.Fprintf(p.out, "%v: %.1f %%, %s operations\n", time.Since(p.began).Round(time.Second), 100*share, grouped(p.did))
}

// end removes the bar, so that what is printed next begins on a clean line.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
