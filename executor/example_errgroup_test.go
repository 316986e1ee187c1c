package executor_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/punctual-go/punctual/executor"
)

// A pool lives beside the other parts of a service: whichever part fails first ends the context of
// the group, upon which the pool gets a grace period for what is running.
func Example_errgroup() {
	pool := executor.NewScheduledPool(2, executor.Name("jobs"))
	_, err := pool.Schedule(time.Hour, func(context.Context) error { return nil },
		executor.Name("hourly report"))
	if err != nil {
		fmt.Println(err)
		return
	}

	group, ctx := errgroup.WithContext(context.Background())
	group.Go(func() error {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		report, err := pool.CloseContext(grace)
		fmt.Println("dropped:", report.Dropped[0].Name)
		return err
	})
	group.Go(func() error { // stands for a server
		return errors.New("listen: address already in use")
	})
	fmt.Println(group.Wait())
	// Output:
	// dropped: hourly report
	// listen: address already in use
}
