package fallback_test

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/fallback"
)

func Example() {
	pool := executor.NewPool(2)
	defer pool.Close()
	quote := func(ctx context.Context) (string, error) {
		<-ctx.Done() // a service that does not answer
		return "", ctx.Err()
	}
	f, err := executor.Submit(pool, quote, executor.Timeout(10*time.Millisecond))
	if err != nil {
		return
	}
	price := fallback.New(f, "the price of yesterday")
	fmt.Println(price.Get(context.Background()))
	fmt.Println(price.TooLate())
	// Output:
	// the price of yesterday <nil>
	// true
}
