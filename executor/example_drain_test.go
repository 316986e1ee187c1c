package executor_test

import (
	"context"
	"fmt"

	"github.com/punctual-go/punctual/executor"
)

// What nobody wants any more is dropped, and the pool goes on.
func ExamplePool_Drain() {
	pool := executor.NewPool(1)
	defer pool.Close()
	began, gate := make(chan struct{}), make(chan struct{})
	_ = pool.Execute(func(context.Context) error { close(began); <-gate; return nil })
	<-began
	page, _ := pool.Submit(func(context.Context) error { return nil }, executor.Name("page 1"))
	for _, dropped := range pool.Drain() {
		fmt.Println(dropped.Name)
	}
	_, err := page.Get(context.Background())
	fmt.Println(err)
	close(gate)
	// Output:
	// page 1
	// future: cancelled: executor: task "page 1": task was drained
}
