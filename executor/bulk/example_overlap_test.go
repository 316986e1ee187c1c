package bulk_test

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
)

// A report is due every 20 ms, and the first takes longer: others run beside it, and what two at a
// time cannot take is skipped.
func ExampleNewOverlap() {
	pool := executor.NewScheduledPool(4)
	defer pool.Close()

	first, last := make(chan struct{}), make(chan struct{})
	reports, err := bulk.NewOverlap(pool, 2, bulk.SkipNew, func(ctx context.Context) error {
		switch due, _ := bulk.DueFrom(ctx); due.Number {
		case 1:
			<-first
		case 2:
			fmt.Println("the second ends beside the first")
			close(first)
			close(last)
		}
		return nil
	}, executor.Timeout(time.Minute))
	if err != nil {
		panic(err)
	}
	_, err = pool.Every(20*time.Millisecond, reports.Task, executor.Name("report"))
	if err != nil {
		panic(err)
	}
	<-last
	// Output: the second ends beside the first
}
