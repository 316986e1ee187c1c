package executor_test

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/punctual-go/punctual/executor"
)

// A pool is one of the services of a program: all end when the context does, here after 10 ms, or
// when one of them fails.
func ExamplePool_Run() {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer stop() // in a program it is signal.NotifyContext that makes ctx
	pool := executor.NewScheduledPool(2)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return pool.Run(ctx, 5*time.Second) })
	fmt.Println(g.Wait(), pool.Stats().State)
	// Output: <nil> terminated
}
