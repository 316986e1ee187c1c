package runlog_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/runlog"
)

func Example() {
	log := slog.New(runlog.Handler(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	runs := runlog.New(runlog.Config{})
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"), executor.Observe(runs.Observer()))

	_ = jobs.Execute(func(ctx context.Context) error {
		tables := []string{"users", "orders"}
		for i, table := range tables {
			runlog.Progress(ctx, int64(i), int64(len(tables)), table)
			log.InfoContext(ctx, "copied", "table", table, "rows", 1000)
		}
		return nil
	}, executor.Name("copy"))
	jobs.Close() // waits for it

	for _, run := range runs.Runs("jobs", "copy") {
		fmt.Println("run", run.Number, "was at", run.Progress.Done, "of", run.Progress.Total)
		for _, line := range run.Lines {
			fmt.Println(line.Level, line)
		}
	}
	// Output:
	// run 1 was at 1 of 2
	// INFO copied table=users rows=1000
	// INFO copied table=orders rows=1000
}
