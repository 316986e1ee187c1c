package rejection_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
)

func ExampleTask_Wait() {
	patience := 5 * time.Millisecond
	patient := func(t *rejection.Task) error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		err := t.Wait(ctx)
		if errors.Is(err, executor.ErrSaturated) {
			fmt.Println("no room for", t.Name(), "within", patience)
		}
		return err
	}
	pool := executor.NewPool(1, executor.Queue(queue.HandOff()), executor.OnRejection(patient))
	defer pool.Close()
	release := make(chan struct{})
	report := func(context.Context) error { <-release; return nil }

	pool.Submit(report, executor.Name("January"))
	_, err := pool.Submit(report, executor.Name("February"))
	fmt.Println(err)
	close(release)
	// Output:
	// no room for February within 5ms
	// executor: task "February": pool is saturated: context deadline exceeded
}

// full is a pool whose worker is held until release is called, and whose one place in the queue is
// taken by a task named "older".
func full(policy rejection.Policy) (pool *executor.Pool, release func()) {
	pool = executor.NewPool(1, executor.Queue(queue.Bounded(1)), executor.OnRejection(policy))
	begun, end := make(chan struct{}), make(chan struct{})
	pool.Execute(func(context.Context) error { close(begun); <-end; return nil })
	<-begun
	pool.Execute(say("older"))
	return pool, func() { close(end); pool.Close() } // waits until all have run
}

func say(text string) executor.Task {
	return func(context.Context) error { fmt.Println(text); return nil }
}

func ExampleAbort() {
	pool, release := full(rejection.Abort) // the default
	fmt.Println(pool.Execute(say("newer")))
	release()
	// Output:
	// executor: pool is saturated
	// older
}

func ExampleCallerRuns() {
	pool, release := full(rejection.CallerRuns)
	fmt.Println(pool.Execute(say("newer, on the goroutine of its submitter")))
	release()
	// Output:
	// newer, on the goroutine of its submitter
	// <nil>
	// older
}

func ExampleDiscard() {
	pool, release := full(rejection.Discard)
	newer, err := pool.Submit(say("newer"))
	fmt.Println(err, newer.State())
	release()
	// Output:
	// <nil> cancelled
	// older
}

func ExampleDiscardOldest() {
	pool, release := full(rejection.DiscardOldest)
	fmt.Println(pool.Execute(say("newer")))
	release()
	// Output:
	// <nil>
	// newer
}

func ExampleBlock() {
	pool := executor.NewPool(1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
	slow := func(context.Context) error { time.Sleep(20 * time.Millisecond); return nil }
	begun := time.Now()
	pool.Execute(slow)
	pool.Execute(slow) // waits for the worker, and so does its submitter
	fmt.Println(time.Since(begun) >= 20*time.Millisecond)
	pool.Close()
	// Output: true
}
