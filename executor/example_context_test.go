package executor_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/punctual-go/punctual/executor"
)

// requestID is the key under which a server keeps the number of a request.
type requestID struct{}

// The task knows the values of the request that it works for, and stops when that goes away.
func ExampleWithContext() {
	pool := executor.NewPool(1)
	defer pool.Close()

	request, leave := context.WithCancelCause(
		context.WithValue(context.Background(), requestID{}, "r-17"))
	defer leave(nil)
	started := make(chan struct{})
	report, err := executor.Submit(pool, func(ctx context.Context) (string, error) {
		fmt.Println("working for", ctx.Value(requestID{}))
		close(started)
		<-ctx.Done()
		return "", ctx.Err()
	}, executor.WithContext(request))
	if err != nil {
		fmt.Println(err)
		return
	}

	<-started
	leave(errors.New("the client has hung up"))
	_, err = report.Get(context.Background())
	fmt.Println(err)
	// Output:
	// working for r-17
	// future: cancelled: the client has hung up
}

// The task outlives the request, but its log lines and traces still belong to it.
func ExampleWithValues() {
	pool := executor.NewScheduledPool(1)

	request, leave := context.WithCancel(
		context.WithValue(context.Background(), requestID{}, "r-17"))
	defer leave()
	cleanup, err := pool.Schedule(0, func(ctx context.Context) error {
		fmt.Println("cleaning up after", ctx.Value(requestID{}), ctx.Err())
		return nil
	}, executor.WithValues(request))
	if err != nil {
		fmt.Println(err)
		return
	}
	leave()
	_, _ = cleanup.Get(context.Background())
	_ = pool.Close()
	// Output: cleaning up after r-17 <nil>
}
