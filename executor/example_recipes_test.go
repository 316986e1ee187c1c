package executor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// A burst of events leads to one save, some time after the last of them, as the timer would be reset
// by hand. Package debounce does so for callers on many goroutines, and can be flushed.
func ExampleScheduledFuture_Reset_debounce() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	save := func(context.Context) error { fmt.Println("saved"); return nil }

	pending, _ := pool.Schedule(time.Hour, save)
	for range 1000 { // events
		if !pending.Reset(20 * time.Millisecond) { // it has run: the next one is another
			pending, _ = pool.Schedule(20*time.Millisecond, save)
		}
	}
	pending.Get(context.Background())
	// Output:
	// saved
}

// A replica that is not the leader leaves the work to the one that is. That is no failure, so
// nothing is tried again or slows down, and no success of this replica either.
func ExampleErrSkipped() {
	pool := executor.NewScheduledPool(1)
	leader := func() bool { return false }
	tidy := func(context.Context) error {
		if !leader() {
			return fmt.Errorf("%w: not the leader", executor.ErrSkipped)
		}
		return nil // after the work
	}

	series, _ := pool.AtFixedRate(0, time.Millisecond, tidy,
		executor.Retry(3, retry.Backoff{}), executor.MaxRuns(2))
	series.Get(context.Background())
	last, _ := series.Last()
	pool.Close()
	fmt.Println(last.Err)
	fmt.Println(pool.Stats().Runs, "runs,", pool.Stats().Skipped, "skipped,", pool.Stats().Failures, "failed")
	// Output:
	// executor: skipped: not the leader
	// 2 runs, 2 skipped, 0 failed
}

// A task whose period does not pass runs on demand only: here by its name, as by a person on the
// page of package inspect.
func ExampleHandle_Trigger_onDemand() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	const never = time.Duration(math.MaxInt64)
	done := make(chan bool)
	repair := func(context.Context) error {
		fmt.Println("repaired")
		done <- true
		return nil
	}
	_, err := pool.WithFixedDelay(never, never, repair, executor.Name("repair"), executor.Unique())
	fmt.Println(err)

	job, _ := pool.Lookup("repair")
	_, planned := job.Next()
	fmt.Println("planned:", planned)
	triggered := job.Trigger()
	<-done
	fmt.Println("triggered:", triggered)
	// Output:
	// <nil>
	// planned: false
	// repaired
	// triggered: true
}

// A task that fails is tried again, and holds no worker while it waits.
func ExampleRetry() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	push := func(ctx context.Context) error {
		if run, _ := executor.RunFrom(ctx); run.Attempt < 3 {
			return errors.New("connection refused")
		}
		return nil
	}

	pushed, _ := pool.Submit(push, executor.Retry(5, retry.Backoff{Base: time.Millisecond}))
	_, err := pushed.Get(context.Background())
	fmt.Println(err, pool.Stats().Retries)
	// Output:
	// <nil> 2
}

// A poll that fails comes less often, until it succeeds again.
func ExampleSlowDown() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	done := make(chan struct{})
	poll := func(ctx context.Context) error {
		switch run, _ := executor.RunFrom(ctx); {
		case run.Number < 3:
			return errors.New("nobody there")
		case run.Number == 3:
			close(done)
		}
		return nil
	}

	every := time.Millisecond
	pool.WithFixedDelay(0, every, poll, executor.SlowDown(2, 16*every), executor.Name("poll"))
	<-done
	fmt.Println("it is there")
	// Output:
	// it is there
}

func ExampleHandle() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	ran := make(chan struct{})
	report := func(context.Context) error { ran <- struct{}{}; return nil }
	pool.AtFixedRate(time.Hour, time.Hour, report, executor.Name("report"), executor.Unique())

	h, _ := pool.Lookup("report") // from an administrator's console
	h.Pause()
	h.Trigger() // once, whatever the plan
	<-ran
	fmt.Println(h.Kind(), h.Period(), h.Paused())
	// Output:
	// fixed rate 1h0m0s true
}

func ExampleScheduledPool_Apply() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	job := func(name string, every time.Duration) executor.Job {
		task := func(context.Context) error { return nil }
		return executor.Job{Name: name, Initial: every, Rate: every, Task: task}
	}

	pool.Apply(job("poll", time.Minute), job("clean", time.Hour))
	changes, err := pool.Apply(job("poll", time.Second), job("report", time.Hour)) // another file
	fmt.Println(changes.Added, changes.Changed, changes.Removed, err)
	// Output:
	// [report] [poll] [clean] <nil>
}

func ExampleNextIn() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	left := 3
	done := make(chan struct{})
	work := func(ctx context.Context) error {
		if left--; left > 0 {
			executor.NextIn(ctx, 0) // there is more to do: not in an hour, but now
			return nil
		}
		close(done)
		return nil
	}

	pool.WithFixedDelay(0, time.Hour, work)
	<-done
	fmt.Println(left, "left")
	// Output:
	// 0 left
}

func ExamplePace() {
	pool := executor.NewScheduledPool(4)
	defer pool.Close()
	// Of each customer at most one mail in 20 ms, in order; the workers serve others meanwhile.
	mails := serial.NewKeyed[string](pool, executor.Pace(1, 20*time.Millisecond))
	start := time.Now()
	var last *future.Future[struct{}]
	for n := range 3 {
		last, _ = mails.Submit("ann", func(context.Context) error {
			early := time.Since(start) < time.Duration(n)*20*time.Millisecond
			fmt.Println("mail", n, early)
			return nil
		})
	}
	last.Get(context.Background())
	// Output:
	// mail 0 false
	// mail 1 false
	// mail 2 false
}

// A nightly report, in the spring night in which the clocks of Berlin leave out an hour. In a
// synctest bubble it takes no time.
func ExampleScheduledPool_On() {
	berlin, _ := time.LoadLocation("Europe/Berlin")
	nightly := cron.MustParse("30 2 * * *", cron.Zone(berlin))

	// What the pool will do can be asked beforehand.
	for t := range calendar.Upcoming(nightly, time.Date(2026, 3, 28, 0, 0, 0, 0, berlin)) {
		fmt.Println(t.Format("2 January 15:04 MST"))
		if t.Day() == 30 {
			break
		}
	}

	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	report := func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		fmt.Println("the report of", run.Scheduled, "and", run.Missed, "that were missed")
		return nil
	}
	job, err := pool.On(cron.MustParse("30 2 * * *", cron.Zone(berlin)), report)
	fmt.Println(job.Periodic(), err)
	// Output:
	// 28 March 02:30 CET
	// 29 March 03:00 CEST
	// 30 March 02:30 CEST
	// true <nil>
}
