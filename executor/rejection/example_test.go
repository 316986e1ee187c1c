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
