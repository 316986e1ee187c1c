package future_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/future"
)

func ExampleNewTask() {
	t := future.NewTask(func(context.Context) (string, error) { return "done", nil })
	go t.Run(context.Background())
	fmt.Println(t.Future().Get(context.Background()))
	// Output: done <nil>
}

func ExampleTask_RunAndReset() {
	n := 0
	t := future.NewTask(func(context.Context) (int, error) { n++; return n, nil })
	fmt.Println(t.RunAndReset(context.Background()), t.RunAndReset(context.Background()), t.Future().State())
	t.Run(context.Background())
	fmt.Println(t.Future().Get(context.Background()))
	// Output:
	// true true pending
	// 3 <nil>
}

func ExamplePromise() {
	p := future.NewPromise[int]()
	go p.Complete(7)
	v, _ := p.Future().Get(context.Background())
	fmt.Println(v, p.Complete(8), p.Fail(errors.New("too late")))
	// Output: 7 false false
}

func ExampleFuture_GetTimeout() {
	p := future.NewPromise[int]()
	_, err := p.Future().GetTimeout(time.Millisecond)
	fmt.Println(err, errors.Is(err, context.DeadlineExceeded))
	// Output: future: not settled after 1ms true
}

func ExampleFuture_CancelCause() {
	p := future.NewPromise[int]()
	p.Future().CancelCause(errors.New("user left"))
	_, err := p.Future().Get(context.Background())
	fmt.Println(err, errors.Is(err, future.ErrCancelled), errors.Is(err, context.Canceled))
	// Output: future: cancelled: user left true true
}

func ExampleThen() {
	text := future.Then(future.Of(21), func(v int) (string, error) { return fmt.Sprint(2 * v), nil })
	fmt.Println(text.Get(context.Background()))
	// Output: 42 <nil>
}

func ExampleAll() {
	values, err := future.All(context.Background(), future.Of(1), future.Of(2), future.Of(3))
	fmt.Println(values, err)
	// Output: [1 2 3] <nil>
}

func ExampleAny() {
	v, err := future.Any(context.Background(), future.Failed[int](errors.New("no route")), future.Of(2))
	fmt.Println(v, err)
	// Output: 2 <nil>
}

func ExampleCompleted() {
	slow, quick := future.NewPromise[string](), future.NewPromise[string]()
	quick.Complete("quick")
	for i, r := range future.Completed(context.Background(), slow.Future(), quick.Future()) {
		fmt.Println(i, r.Value)
		slow.Complete("slow")
	}
	// Output:
	// 1 quick
	// 0 slow
}
