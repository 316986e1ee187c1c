package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

func Example() {
	pool := executor.NewScheduledPool(2)
	defer pool.Close()

	ticks, _ := pool.Every(time.Millisecond, func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		fmt.Println("tick", run.Number)
		return nil
	}, executor.MaxRuns(3))
	ticks.Get(context.Background())

	answer, _ := executor.Schedule(pool, time.Millisecond, func(context.Context) (int, error) { return 6 * 7, nil })
	fmt.Println(answer.Get(context.Background()))
	// Output:
	// tick 1
	// tick 2
	// tick 3
	// 42 <nil>
}

func ExamplePool_Execute() {
	pool := executor.NewScheduledPool(1)
	done := make(chan struct{})
	err := pool.Execute(func(context.Context) error {
		fmt.Println("ran")
		close(done)
		return nil
	})
	<-done
	pool.Close()
	fmt.Println(err, pool.Execute(func(context.Context) error { return nil }))
	// Output:
	// ran
	// <nil> executor: pool is shut down
}

func ExamplePool_Submit() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	f, _ := pool.Submit(func(context.Context) error { panic("out of paper") }, executor.Name("print"))
	_, err := f.Get(context.Background())
	var p *future.PanicError
	if errors.As(err, &p) {
		fmt.Println("the task panicked:", p.Value)
	}
	fmt.Println(f.State())
	// Output:
	// the task panicked: out of paper
	// failed
}

func ExampleSubmit() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	length, _ := executor.Submit(pool, func(context.Context) (int, error) { return len("punctual"), nil })
	fmt.Println(length.Get(context.Background()))
	// Output: 8 <nil>
}

func ExampleScheduledPool_Schedule() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	reminder, _ := pool.Schedule(time.Hour, func(context.Context) error { return nil })

	_, err := reminder.GetTimeout(time.Millisecond) // the wait ends, the task does not
	fmt.Println(err, "-", reminder.State())

	fmt.Println(reminder.Cancel(), reminder.State(), pool.Stats().Queued)
	// Output:
	// future: not settled after 1ms - pending
	// true cancelled 0
}

func ExampleSchedule() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	start := time.Now()
	late, _ := executor.Schedule(pool, 5*time.Millisecond, func(context.Context) (time.Duration, error) {
		return time.Since(start), nil
	})
	took, _ := late.Get(context.Background())
	fmt.Println("never early:", took >= 5*time.Millisecond)
	// Output: never early: true
}

func ExampleScheduledPool_ScheduleAt() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	at := time.Now().Add(time.Hour)
	f, _ := pool.ScheduleAt(at, func(context.Context) error { return nil })
	next, _ := f.Next()
	fmt.Println("planned for the time given:", next.Equal(at))
	// Output: planned for the time given: true
}

func ExampleScheduledPool_Every() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	f, _ := pool.Every(10*time.Millisecond, func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		if run.Number == 1 {
			time.Sleep(45 * time.Millisecond) // the runs after 20, 30, 40 and 50 ms have to wait
			return nil
		}
		fmt.Println("run", run.Number, "stands for others:", run.Missed > 0)
		return nil
	}, executor.MaxRuns(2))
	f.Get(context.Background())
	// Output: run 2 stands for others: true
}

func ExampleScheduledPool_AtFixedRate() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	f, _ := pool.AtFixedRate(0, time.Millisecond, func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		if run.Number == 1 {
			time.Sleep(3500 * time.Microsecond) // three runs are missed
			return nil
		}
		fmt.Println("run", run.Number, "missed", run.Missed > 0)
		return nil
	}, executor.CatchUp(executor.Skip), executor.MaxRuns(2))
	f.Get(context.Background())
	// Output: run 2 missed true
}

func ExampleScheduledPool_WithFixedDelay() {
	pool := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)))
	defer pool.Close()
	attempts := 0
	poll, _ := pool.WithFixedDelay(0, time.Millisecond, func(context.Context) error {
		if attempts++; attempts == 3 {
			return errors.New("server gone")
		}
		return nil
	}, executor.FailurePolicy(executor.StopSeries)) // it would go on
	_, err := poll.Get(context.Background()) // the series has ended, and says why
	fmt.Println(attempts, err)
	// Output: 3 server gone
}

func ExampleTimeout() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	f, _ := pool.Submit(func(ctx context.Context) error {
		<-ctx.Done()
		fmt.Println("in the task:", context.Cause(ctx))
		return ctx.Err()
	}, executor.Timeout(time.Millisecond))
	<-f.Stopped()
	_, err := f.Get(context.Background())
	fmt.Println(errors.Is(err, future.ErrTimeout), errors.Is(err, context.DeadlineExceeded))
	// Output:
	// in the task: executor: timed out after 1ms
	// true true
}

func ExamplePool_CloseContext() {
	pool := executor.NewScheduledPool(1)
	pool.Schedule(time.Hour, func(context.Context) error { return nil }, executor.Name("tomorrow's report"))
	pool.Submit(func(context.Context) error { time.Sleep(time.Millisecond); return nil })

	report, err := pool.CloseContext(context.Background())
	for _, p := range report.Dropped {
		fmt.Println("never started:", p.Name)
	}
	fmt.Println(err, pool.Stats().State)
	// Output:
	// never started: tomorrow's report
	// <nil> terminated
}

func ExamplePool_ShutdownNow() {
	pool := executor.NewScheduledPool(1)
	started := make(chan struct{})
	running, _ := pool.Submit(func(ctx context.Context) error {
		close(started)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	<-started
	pool.Submit(func(context.Context) error { return nil }, executor.Name("next"))

	for _, p := range pool.ShutdownNow() {
		fmt.Println("handed back:", p.Name)
	}
	_, err := running.Get(context.Background())
	fmt.Println(errors.Is(err, executor.ErrShutdown))
	// Output:
	// handed back: next
	// true
}

func ExampleScheduledFuture_Next() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	f, _ := pool.AtFixedRate(time.Hour, time.Hour, func(context.Context) error { return nil })
	next, planned := f.Next()
	fmt.Println(planned, time.Until(next) > 59*time.Minute, f.Delay() > 59*time.Minute, f.Periodic(), f.Runs())
	// Output: true true true true 0
}
