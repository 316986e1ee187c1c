package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/punctual-go/punctual/bench/soak/drill"
	"github.com/punctual-go/punctual/internal/trust/history"
)

// replay checks a history that was kept, or does a job that was kept again and again.
func replay(ctx context.Context, o options, stdout, stderr io.Writer) (clean bool, err error) {
	text, err := os.ReadFile(o.replay)
	if err != nil {
		return false, err
	}
	var k kept
	if json.Unmarshal(text, &k) == nil && k.Job.Part != "" {
		return k.replay(ctx, o, stdout, stderr)
	}
	h, err := history.Read(o.replay)
	if err != nil {
		return false, fmt.Errorf("%s is neither a job nor a history: %w", o.replay, err)
	}
	verdict := h.Check(time.Hour)
	picture := o.replay + ".html"
	fmt.Fprintf(stdout, "%s\n%s, seed %d: %s\n", h.Describe(), h.Kind, h.Seed, verdict)
	if err := h.Visualize(picture); err != nil {
		return false, err
	}
	fmt.Fprintln(stdout, "as a picture:", picture)
	return verdict == "ok", nil
}

// replay does the job so often as the options say, or until it fails.
func (k kept) replay(ctx context.Context, o options, stdout, stderr io.Writer) (clean bool, err error) {
	b, err := build(ctx, k.Race, stderr)
	if err != nil {
		return false, err
	}
	defer b.remove()
	k.Job.Out = o.out
	for n := range o.times {
		p := &process{binary: b.plain, job: k.Job, procs: processors(k.Job.Part, n), heard: func(int64) {}}
		if k.Race {
			p.binary = b.race
		}
		if report := p.run(ctx); !report.Clean() {
			fmt.Fprintf(stdout, "replay %d has failed:\n%s\n", n+1, words(report))
			return false, nil
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	fmt.Fprintf(stdout, "%s %s, seed %d: %d replays, and nothing was wrong\n", k.Job.Part, k.Job.Kind, k.Job.Seed, o.times)
	return true, nil
}

// words are the faults of a report.
func words(r drill.Report) (text string) {
	for _, fault := range r.Faults {
		text += fault + "\n"
	}
	return text
}
