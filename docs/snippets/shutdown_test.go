package snippets

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

func refresh(context.Context) error { return nil }

func run(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	pool := executor.NewScheduledPool(4, executor.Name("jobs"))
	if _, err := pool.Every(time.Minute, refresh, executor.Name("refresh")); err != nil {
		return err
	}
	return pool.Run(ctx, 20*time.Second) // until the signal, and then 20 s for what is due
}

func TestRunUntilTheSignal(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.NoError(t, run(ctx))
}

func Example_report() {
	pool := executor.NewScheduledPool(1)
	_, err := pool.Schedule(time.Hour, refresh, executor.Name("save"))
	if err != nil {
		panic(err)
	}
	if _, err := pool.AtFixedRate(time.Hour, time.Hour, refresh, executor.Name("refresh")); err != nil {
		panic(err)
	}
	func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		report, err := pool.CloseContext(ctx)
		for _, lost := range report.Dropped {
			if !lost.Periodic {
				fmt.Println("never ran:", lost.Name)
			}
		}
		for _, stuck := range report.Running {
			fmt.Println("still running:", stuck.Name)
		}
		if err != nil {
			panic(err)
		}
	}()
	// Output: never ran: save
}

func TestAsInJava(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		begun := time.Now()
		require.NoError(t, pool.Execute(func(ctx context.Context) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}))
		func() {
			pool.Shutdown() // accepts nothing more
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := pool.AwaitTermination(ctx); err != nil {
				never := pool.ShutdownNow() // ends the contexts of what runs, and returns what does not
				fmt.Println(len(never), "tasks did not run")
			}
		}()
		require.Equal(t, time.Minute, time.Since(begun))
		<-pool.Terminated()
	})
}
