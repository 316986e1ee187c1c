package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
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

// The wait doubles from attempt to attempt, up to Max. In a bubble it is exact.
func ExampleBackoff() {
	synctest.Test(new(testing.T), func(*testing.T) {
		pool := executor.NewPool(1)
		defer pool.Close()
		begun := time.Now()
		push := func(context.Context) error {
			fmt.Println("attempt after", time.Since(begun))
			return errors.New("no answer")
		}
		f, _ := pool.Submit(push, executor.Retry(5, retry.Backoff{
			Base: time.Second, Max: 5 * time.Second, Spread: retry.NoSpread,
		}))
		_, err := f.Get(context.Background())
		fmt.Println(err)
	})
	// Output:
	// attempt after 0s
	// attempt after 1s
	// attempt after 3s
	// attempt after 7s
	// attempt after 12s
	// no answer
}

// A server says when to come again.
func ExampleAfter() {
	synctest.Test(new(testing.T), func(*testing.T) {
		pool := executor.NewPool(1)
		defer pool.Close()
		begun := time.Now()
		call := func(ctx context.Context) error {
			fmt.Println("called after", time.Since(begun))
			if run, _ := executor.RunFrom(ctx); run.Attempt == 1 {
				return retry.After(errors.New("too many requests"), 30*time.Second)
			}
			return nil
		}
		f, _ := pool.Submit(call, executor.Retry(3, retry.Backoff{Base: time.Second}))
		f.Get(context.Background())
	})
	// Output:
	// called after 0s
	// called after 30s
}

// Another attempt would fail as well.
func ExamplePermanent() {
	pool := executor.NewPool(1)
	defer pool.Close()
	login := func(context.Context) error { return retry.Permanent(errors.New("wrong password")) }
	f, _ := pool.Submit(login, executor.Retry(5, retry.Backoff{Base: time.Second}))
	_, err := f.Get(context.Background())
	fmt.Println(err, "-", pool.Stats().Retries, "retries")
	// Output: wrong password - 0 retries
}
