package pairs

import (
	"context"
	"log/slog"
	"runtime/pprof"
	"slices"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/runlog"
)

// runLogs has what runs log kept. Each logs as it begins, and its lines are looked for when it has
// ended, under its name and that of its pool.
var runLogs = []*definition{
	{
		Feature: Feature{Name: "runlog"},
		option: func(l *life, u *use) opts {
			kept := runlog.New(runlog.Config{Runs: 1 << 10})
			log := slog.New(runlog.Handler(nil))
			looks := executor.Observer{Ended: func(ctx context.Context, run executor.Run, _ error) {
				pool, _ := pprof.Label(ctx, "pool")
				if slices.ContainsFunc(kept.Runs(pool, run.Name), func(r runlog.Run) bool {
					return r.Run == run && r.Ended && len(r.Lines) == 1
				}) {
					l.marks.named(u.Feature, run.Name)
				}
			}}
			says := executor.Observer{
				Began: func(ctx context.Context, run executor.Run) context.Context {
					log.InfoContext(ctx, "begins", "run", run.Number)
					return nil
				},
			}
			return opts{executor.Observe(looks, kept.Observer(), says)}
		},
	},
}
