package executor_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Nobody holds a future of these tasks, so a failure goes to the error handler, with the name.
func ExamplePool_Execute_options() {
	pool := executor.NewPool(1, executor.ErrorHandler(
		func(_ context.Context, run executor.Run, err error) { fmt.Println(run.Name, "failed:", err) }))
	defer pool.Close()
	_ = pool.Execute(func(context.Context) error {
		return errors.New("no such host")
	}, executor.Name("ping"), executor.Timeout(time.Second))
	// Output: ping failed: no such host
}

// A task for later that nobody will ask about again needs no future.
func ExampleScheduledPool_ExecuteAfter() {
	pool := executor.NewScheduledPool(1)
	done := make(chan struct{})
	_ = pool.ExecuteAfter(10*time.Millisecond, func(context.Context) error {
		fmt.Println("the session is forgotten")
		close(done)
		return nil
	}, executor.Name("forget"))
	<-done
	_ = pool.Close()
	// Output: the session is forgotten
}
