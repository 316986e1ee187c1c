package executor_test

import (
	"context"
	"errors"
	"expvar"
	"fmt"
	"log/slog"
	"os"
	"runtime/trace"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
)

// Nobody is refused here, but a number that grows tells that the pool is too small.
func ExampleStats_blocked() {
	pool := executor.NewPool(1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
	defer pool.Close()
	gate := make(chan struct{})
	task := func(context.Context) error { <-gate; return nil }
	for range 3 {
		go func() { _ = pool.Execute(task) }()
	}
	for pool.Stats().Blocked < 2 {
		time.Sleep(time.Millisecond)
	}
	fmt.Println(pool.Stats().Busy, "runs,", pool.Stats().Blocked, "wait to submit theirs")
	for close(gate); pool.Stats().Completed < 3; {
		time.Sleep(time.Millisecond)
	}
	// Output: 1 runs, 2 wait to submit theirs
}

// All that tells how a pool is, switched on.
func ExampleWatch() {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 10 * time.Second})
	_ = recorder.Start()
	defer recorder.Stop()

	// WARN executor: late 412ms poll#17: workers 398ms (import-1 9.2s, import-2 3.1s), wake 14ms, gc 3ms
	pool := executor.NewScheduledPool(4, executor.Name("jobs"), executor.Watch(insight.Config{
		History:     true,                   // the last ten minutes, and histograms
		ExplainLate: 100 * time.Millisecond, // log why a run is so late
		OnHealth:    func(h insight.Health) { slog.Info("health", "is", h.Status, "why", h.Err()) },
		OnLate:      func(insight.LateRun) { save(recorder) }, // for go tool trace
		OnLateAfter: time.Second, OnLateInterval: time.Minute,
	}))
	expvar.Publish("jobs", pool.Expvar()) // or Prometheus, or OpenTelemetry
	_, err := pool.Every(time.Minute, poll, executor.Name("poll"), executor.Expect(
		insight.SuccessWithin(3*time.Minute), insight.StartWithin(time.Second, 0.99)))

	fmt.Println(pool.Insight().Health().Status, err)
	pool.Close()
	// Output: ok <nil>
}

func poll(context.Context) error { return nil }

func save(recorder *trace.FlightRecorder) {
	file, err := os.CreateTemp("", "late-*.trace")
	if err != nil {
		slog.Error("no trace", "error", err)
		return
	}
	_, err = recorder.WriteTo(file)
	slog.Warn("late", "trace", file.Name(), "error", errors.Join(err, file.Close()))
}

// Two observers of all that becomes of tasks. What Began returns is the context of the run.
func ExampleObserve() {
	pool := executor.NewPool(1, executor.Observe(executor.Observer{
		Submitted: func(r executor.Run) { fmt.Println("submitted", r.Name) },
		Began: func(ctx context.Context, r executor.Run) context.Context {
			return context.WithValue(ctx, observedID{}, "7")
		},
		Ended: func(ctx context.Context, r executor.Run, err error) {
			fmt.Println("request", ctx.Value(observedID{}), "ended:", err)
		},
	}, executor.Observer{
		Rejected: func(r executor.Run, err error) { fmt.Println(err) },
	}))
	f, err := pool.Submit(poll, executor.Name("poll"))
	if err == nil {
		_, err = f.Get(context.Background())
	}
	pool.Close()
	_, _ = pool.Submit(poll, executor.Name("poll"))
	fmt.Println(err)
	// Output:
	// submitted poll
	// request 7 ended: <nil>
	// submitted poll
	// executor: task "poll": pool is shut down
	// <nil>
}

type observedID struct{}
