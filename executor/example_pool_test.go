package executor_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

func ExampleNewPool() {
	pool := executor.NewPool(1,
		executor.MaximumSize(2),
		executor.Queue(queue.Bounded(1)),
		executor.OnRejection(rejection.CallerRuns))
	defer pool.Close()

	begun, release := make(chan struct{}, 3), make(chan struct{})
	long := func(context.Context) error { begun <- struct{}{}; <-release; return nil }
	pool.Execute(long) // starts a worker
	<-begun
	pool.Execute(long) // waits
	pool.Execute(long) // is more than may wait, so another worker starts
	<-begun
	s := pool.Stats()
	fmt.Println(s.Workers, "workers,", s.Queued, "waiting")

	pool.Execute(func(context.Context) error {
		fmt.Println("run by its submitter, as there is no room")
		return nil
	})
	fmt.Println("submitted")
	close(release)
	// Output:
	// 2 workers, 1 waiting
	// run by its submitter, as there is no room
	// submitted
}

func ExamplePool_SubmitContext() {
	pool := executor.NewPool(1, executor.Queue(queue.HandOff()))
	defer pool.Close()
	release := make(chan struct{})
	pool.Execute(func(context.Context) error { <-release; return nil })

	greet := func(context.Context) error { fmt.Println("hello"); return nil }
	hurry, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := pool.SubmitContext(hurry, greet)
	fmt.Println(errors.Is(err, executor.ErrRejected), errors.Is(err, context.DeadlineExceeded))

	close(release)
	f, err := pool.SubmitContext(context.Background(), greet) // waits for the worker
	f.Get(context.Background())
	fmt.Println(err)
	// Output:
	// true true
	// hello
	// <nil>
}

func ExamplePriority() {
	pool := executor.NewPool(1, executor.Queue(queue.Priority()))
	begun, release := make(chan struct{}), make(chan struct{})
	pool.Execute(func(context.Context) error { close(begun); <-release; return nil })
	<-begun

	treat := func(patient string, urgency int) {
		pool.Submit(func(context.Context) error { fmt.Println(patient); return nil }, executor.Priority(urgency))
	}
	treat("a check-up", -1)
	treat("a cold", 0)
	treat("a broken leg", 5)
	treat("a cough", 0)
	treat("a heart attack", 10)
	close(release)
	pool.Close() // waits until all have run
	// Output:
	// a heart attack
	// a broken leg
	// a cold
	// a cough
	// a check-up
}

func ExampleInvokeAll() {
	pool := executor.NewPool(2)
	defer pool.Close()

	var lengths []future.Func[int]
	for _, word := range []string{"late", "", "punctual"} {
		lengths = append(lengths, func(context.Context) (int, error) {
			if word == "" {
				return 0, errors.New("no word")
			}
			return len(word), nil
		})
	}
	futures, err := executor.InvokeAll(context.Background(), pool, lengths...)
	fmt.Println(err) // the failure of one is not that of all
	for _, f := range futures {
		fmt.Println(f.Get(context.Background()))
	}
	// Output:
	// <nil>
	// 4 <nil>
	// 0 no word
	// 8 <nil>
}

func ExampleInvokeAny() {
	pool := executor.NewPool(3)
	defer pool.Close()

	broken := func(context.Context) (string, error) { return "", errors.New("not found") }
	slow := func(ctx context.Context) (string, error) {
		<-ctx.Done() // it is cancelled as soon as another has an answer
		return "", ctx.Err()
	}
	quick := func(context.Context) (string, error) { return "from the near mirror", nil }
	fmt.Println(executor.InvokeAny(context.Background(), pool, slow, broken, quick))
	// Output: from the near mirror <nil>
}
