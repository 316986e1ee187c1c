package executor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Nobody is refused here, but a number that grows tells that the pool is too small.
func ExampleStats_blocked() {
	pool := executor.NewPool(1, executor.HandOff(), executor.OnRejection(executor.Block))
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
