package bulk_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
)

func ExampleNewCompletionService() {
	pool := executor.NewPool(2)
	defer pool.Close()
	pages := bulk.NewCompletionService[string](pool)

	shown := make(chan struct{})
	pages.Submit(func(context.Context) (string, error) { <-shown; return "the large page", nil })
	pages.Submit(func(context.Context) (string, error) { return "the small page", nil })
	for f := range pages.All(context.Background()) { // in the order in which they end
		page, _ := f.Get(context.Background())
		fmt.Println(page)
		if page == "the small page" {
			close(shown)
		}
	}
	fmt.Println(pages.Outstanding())
	// Output:
	// the small page
	// the large page
	// 0
}

func ExampleNewGroup() {
	pool := executor.NewPool(2)
	defer pool.Close()
	backup := bulk.NewGroup(context.Background(), pool)

	copying := make(chan struct{})
	backup.Go(func(ctx context.Context) error {
		close(copying)
		<-ctx.Done() // it would copy for hours
		fmt.Println("copying stopped:", context.Cause(ctx))
		return ctx.Err()
	})
	backup.Go(func(context.Context) error {
		<-copying
		return errors.New("disk full")
	})
	fmt.Println("backup:", backup.Wait()) // for both to end
	fmt.Println("verify:", backup.Go(func(context.Context) error { return nil }))
	// Output:
	// copying stopped: disk full
	// backup: disk full
	// verify: future: cancelled: disk full
}
