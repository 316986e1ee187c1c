package bulk_test

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
)

// The second replica is asked only because the first does not answer within 10 ms.
func ExampleInvokeAnyHedged() {
	pool := executor.NewPool(4)
	defer pool.Close()
	slow := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	quick := func(context.Context) (string, error) { return "from the second replica", nil }
	answer, err := bulk.InvokeAnyHedged(context.Background(), pool, 10*time.Millisecond, slow, quick)
	fmt.Println(answer, err)
	// Output: from the second replica <nil>
}

// What the two pools do is taken in one order.
func ExampleCompletionService_SubmitTo() {
	disk, network := executor.NewPool(1), executor.NewPool(8)
	defer disk.Close()
	defer network.Close()
	s := bulk.NewCompletionService[string](disk)
	_, _ = s.Submit(func(context.Context) (string, error) {
		time.Sleep(20 * time.Millisecond)
		return "read", nil
	})
	_, _ = s.SubmitTo(network, func(context.Context) (string, error) { return "fetched", nil })
	for f := range s.All(context.Background()) {
		fmt.Println(f.Get(context.Background()))
	}
	// Output:
	// fetched <nil>
	// read <nil>
}
