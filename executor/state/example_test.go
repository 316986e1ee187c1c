package state_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/state"
	"github.com/punctual-go/punctual/timer/cron"
)

// A service that was down at three in the night makes up for the report when it starts.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	report := func(context.Context) error { return nil }

	service := func() (err error) {
		runs, err := state.Open(filepath.Join(dir, "runs"), state.Config{})
		if err != nil {
			return err
		}
		defer runs.Close() // after the pool
		pool := executor.NewScheduledPool(2, executor.Name("jobs"))
		defer pool.Close()
		_, err = pool.On(cron.MustParse("0 3 * * *"), report,
			executor.Name("report"), runs.SinceLast(24*time.Hour))
		return err
	}
	fmt.Println(service())
	// Output: <nil>
}

// The last run is known from a table of the service's own, so nothing else is to keep it.
func ExampleSince() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	invoiced := time.Now().Add(-time.Hour - 150*time.Second)

	done := make(chan struct{})
	_, err := pool.Every(time.Minute, func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		fmt.Println("for", run.Scheduled.Sub(invoiced).Round(time.Second), "which stands for", run.Missed, "more")
		close(done)
		return nil
	}, state.Since(invoiced, time.Hour), executor.MaxRuns(1))
	if err != nil {
		panic(err)
	}
	<-done
	// Output:
	// for 1h2m0s which stands for 61 more
}
