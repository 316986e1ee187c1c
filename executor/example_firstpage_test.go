package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/queue"
)

// Two workers serve all jobs: those that are due later wait in the queue, without a goroutine.
func ExampleNewScheduledPool() {
	pool := executor.NewScheduledPool(2, executor.Name("jobs"))
	defer pool.Close()
	say := func(text string) executor.Task {
		return func(context.Context) error { fmt.Println(text); return nil }
	}

	now, _ := pool.Submit(say("hello"))
	now.Get(context.Background())
	reminder, _ := pool.Schedule(20*time.Millisecond, say("time for tea"))
	reminder.Get(context.Background())
	// Output:
	// hello
	// time for tea
}

// Close waits for what runs and what is due, and drops what is due later.
func ExamplePool_Close() {
	pool := executor.NewScheduledPool(1)
	pool.Execute(func(context.Context) error { fmt.Println("saved"); return nil })
	report, _ := pool.Schedule(time.Hour, func(context.Context) error { return nil })

	fmt.Println(pool.Close())
	_, err := report.Get(context.Background())
	fmt.Println(errors.Is(err, executor.ErrShutdown))
	// Output:
	// saved
	// <nil>
	// true
}

// A run can ask which one it is, when it was due, and how many others it stands for. The second one
// is late, as the first has lasted for three minutes and a half. In a bubble that is exact.
func ExampleRunFrom() {
	synctest.Test(new(testing.T), func(*testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		begun := time.Now()
		backup := func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			fmt.Println(run.Name, run.Number, "due after", run.Scheduled.Sub(begun), "and", run.Missed, "missed")
			time.Sleep(3*time.Minute + 30*time.Second)
			return nil
		}
		f, _ := pool.Every(time.Minute, backup, executor.Name("backup"), executor.MaxRuns(2))
		f.Get(context.Background())
	})
	// Output:
	// backup 1 due after 1m0s and 0 missed
	// backup 2 due after 4m0s and 2 missed
}

// A name is in errors, logs, metrics and profiles, and can be looked up.
func ExampleName() {
	pool := executor.NewPool(1, executor.Name("imports"))
	defer pool.Close()
	begun, release := make(chan struct{}), make(chan struct{})
	pool.Execute(func(context.Context) error { close(begun); <-release; return nil }, executor.Name("orders"))
	<-begun

	orders, found := pool.Lookup("orders")
	fmt.Println(orders.Name(), found)
	fmt.Println(pool.Running()[0].Name, "is running")
	close(release)
	// Output:
	// orders true
	// orders is running
}

// The future of a series with a last run settles when that has ended.
func ExampleMaxRuns() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	ping := func(context.Context) error { fmt.Println("ping"); return nil }

	pings, _ := pool.Every(time.Millisecond, ping, executor.MaxRuns(3))
	_, err := pings.Get(context.Background())
	fmt.Println(pings.Runs(), err)
	// Output:
	// ping
	// ping
	// ping
	// 3 <nil>
}

// Nobody waits for the future of this task. The health of the pool tells that it has failed.
func ExampleExpect() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	sync := func(context.Context) error { return errors.New("no route to host") }

	f, _ := pool.Schedule(0, sync, executor.Name("sync"), executor.Expect(insight.SuccessWithin(time.Minute)))
	<-f.Stopped()
	health := pool.Insight().Health()
	fmt.Println(health.Status, health.Tasks[0].Name)
	// Output: degraded sync
}

// The first run, at 10 s, lasts for 37 s. What follows depends on the policy. In a bubble the times
// are exact.
func ExampleCatchUp() {
	follow := func(policy executor.CatchUpPolicy) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		begun := time.Now()
		series, _ := pool.Every(10*time.Second, func(ctx context.Context) error {
			fmt.Print(" ", time.Since(begun))
			if run, _ := executor.RunFrom(ctx); run.Number == 1 {
				time.Sleep(37 * time.Second)
			}
			return nil
		}, executor.CatchUp(policy), executor.MaxRuns(5))
		series.Get(context.Background())
		fmt.Println()
	}
	synctest.Test(new(testing.T), func(*testing.T) {
		follow(executor.Burst)    // each period gets its run
		follow(executor.Coalesce) // one run for all that were missed
		follow(executor.Skip)     // none
	})
	// Output:
	//  10s 47s 47s 47s 50s
	//  10s 47s 50s 1m0s 1m10s
	//  10s 50s 1m0s 1m10s 1m20s
}

// The caller waits for room until its own context ends, and then for the result.
func ExampleSubmitContext() {
	pool := executor.NewPool(1, executor.Queue(queue.Bounded(1)))
	defer pool.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	sum, err := executor.SubmitContext(ctx, pool, func(context.Context) (int, error) { return 20 + 22, nil })
	if err != nil {
		fmt.Println("no room:", err)
		return
	}
	fmt.Println(sum.Get(ctx))
	// Output: 42 <nil>
}

// What a pool logs goes to the default logger, unless another is named.
func ExampleLogger() {
	plain := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	pool := executor.NewScheduledPool(1, executor.Name("jobs"), executor.Logger(plain))
	defer pool.Close()
	poll, _ := pool.Every(time.Millisecond, func(context.Context) error { return errors.New("no answer") },
		executor.Name("poll"), executor.MaxRuns(1))
	poll.Get(context.Background())
	// Output: level=ERROR msg="executor: run of a periodic task failed" pool=jobs task=poll run=1 error="no answer" streak=1
}
