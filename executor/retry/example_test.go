package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// What a server answers says whether to try again, and when.
func Example() {
	pool := executor.NewPool(1)
	defer pool.Close()
	answers := []error{
		errors.New("connection refused"),
		retry.After(errors.New("too many requests"), 2*time.Millisecond),
		retry.Permanent(errors.New("no such account")),
	}
	push := func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		return answers[run.Attempt-1]
	}

	f, _ := pool.Submit(push, executor.Retry(5, retry.Backoff{Base: time.Millisecond}))
	_, err := f.Get(context.Background())
	fmt.Println(err, "after", pool.Stats().Retries, "retries")
	// Output:
	// no such account after 2 retries
}
