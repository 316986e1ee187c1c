package runlog_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/runlog"
)

// BenchmarkLine is what a line costs: with text that goes nowhere, the same passed on by a handler
// that keeps nothing, kept as well, and kept alone; and for comparison Progress.
func BenchmarkLine(b *testing.B) {
	text := slog.NewTextHandler(io.Discard, nil)
	log := func(h slog.Handler) func(context.Context) {
		l := slog.New(h)
		return func(ctx context.Context) { l.InfoContext(ctx, "copied", "table", "users", "rows", 1000) }
	}
	for _, test := range []struct {
		name string
		kept bool
		do   func(context.Context)
	}{
		{"text", false, log(text)},
		{"passed", false, log(runlog.Handler(text))},
		{"kept and text", true, log(runlog.Handler(text))},
		{"kept", true, log(runlog.Handler(nil))},
		{"progress", true, func(ctx context.Context) { runlog.Progress(ctx, 1, 2, "rows") }},
	} {
		b.Run(test.name, func(b *testing.B) {
			var observers []executor.Observer
			if test.kept {
				observers = append(observers, runlog.New(runlog.Config{}).Observer())
			}
			p := executor.NewPool(1, executor.Name("pool"), executor.Observe(observers...))
			defer p.Close()
			f, err := p.Submit(func(ctx context.Context) error {
				b.ReportAllocs()
				for b.Loop() {
					test.do(ctx)
				}
				return nil
			}, executor.Name("task"))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = f.Get(context.Background())
		})
	}
}

// BenchmarkRun is what the observer costs a run that logs nothing.
func BenchmarkRun(b *testing.B) {
	for _, kept := range []bool{false, true} {
		b.Run(map[bool]string{false: "plain", true: "observed"}[kept], func(b *testing.B) {
			observers := []executor.Observer{{Began: func(context.Context, executor.Run) context.Context { return nil }}}
			if kept {
				observers = []executor.Observer{runlog.New(runlog.Config{}).Observer()}
			}
			p := executor.NewPool(1, executor.Name("pool"), executor.Observe(observers...))
			defer p.Close()
			b.ReportAllocs()
			for b.Loop() {
				f, err := p.Submit(func(context.Context) error { return nil }, executor.Name("task"))
				if err != nil {
					b.Fatal(err)
				}
				_, _ = f.Get(context.Background())
			}
		})
	}
}
