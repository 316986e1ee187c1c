package eventloop_test

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// The tasks of a loop share what only they touch, without locks.
func Example() {
	loop := eventloop.New()
	defer loop.Close()

	level := 0
	filling, _ := loop.AtFixedRate(0, time.Millisecond, func(context.Context) error {
		level++
		return nil
	}, executor.MaxRuns(3))
	filling.Get(context.Background())

	read, _ := eventloop.Submit(loop, func(context.Context) (int, error) { return level, nil })
	fmt.Println(read.Get(context.Background()))
	// Output:
	// 3 <nil>
}

// A task schedules by its turn, and what it cancels by it is gone at once.
func ExampleLoop_Turn() {
	loop := eventloop.New()
	defer loop.Close()

	var timeout *executor.ScheduledFuture[struct{}]
	loop.Execute(func(ctx context.Context) error {
		turn, _ := loop.Turn(ctx)
		var err error
		timeout, err = turn.Schedule(time.Minute, func(context.Context) error {
			fmt.Println("too late")
			return nil
		})
		return err
	})
	answer, _ := loop.Submit(func(ctx context.Context) error {
		turn, _ := loop.Turn(ctx)
		fmt.Println("an answer, in time:", turn.Cancel(timeout))
		return nil
	})
	answer.Get(context.Background())
	fmt.Println(loop.Stats().Queued, "left")
	// Output:
	// an answer, in time: true
	// 0 left
}

// One goroutine runs all tasks of a loop, in order.
func ExampleNew() {
	loop := eventloop.New(executor.Name("orders"))
	var orders []string // only tasks of the loop touch it
	for _, order := range []string{"tea", "milk", "sugar"} {
		loop.Execute(func(context.Context) error { orders = append(orders, order); return nil })
	}
	loop.Close() // waits until they have run
	fmt.Println(orders)
	// Output: [tea milk sugar]
}
