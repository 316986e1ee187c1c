package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
)

// The results have the order of the elements, whichever is done first.
func ExampleMap() {
	pool := executor.NewPool(4)
	defer pool.Close()
	titles, err := bulk.Map(context.Background(), pool, []string{"go", "java"},
		func(_ context.Context, name string) (string, error) { return strings.ToUpper(name), nil })
	fmt.Println(titles, err)
	// Output: [GO JAVA] <nil>
}

// At most two members are in flight. A third has to wait for its turn, or to do without.
func ExampleGroup_SetLimit() {
	pool := executor.NewPool(4)
	defer pool.Close()
	g := bulk.NewGroup(context.Background(), pool)
	g.SetLimit(2)
	nap := func(context.Context) error { time.Sleep(10 * time.Millisecond); return nil }
	_, _ = g.Go(nap), g.Go(nap)
	fmt.Println(errors.Is(g.TryGo(nap), executor.ErrSaturated))
	fmt.Println(g.Go(nap), g.Wait())
	// Output:
	// true
	// <nil> <nil>
}

// What is not a task of the group can end with it all the same, and end it.
func ExampleGroup_Context() {
	pool := executor.NewPool(1)
	defer pool.Close()
	g := bulk.NewGroup(context.Background(), pool)
	over := context.AfterFunc(g.Context(), func() { /* close the connection */ })
	defer over()
	_ = g.Go(func(ctx context.Context) error { <-ctx.Done(); return nil })
	g.Cancel(errors.New("the user has left"))
	fmt.Println(g.Wait(), "-", context.Cause(g.Context()))
	// Output: the user has left - the user has left
}

// The first error cancels the rest, and is returned.
func ExampleMap_firstError() {
	pool := executor.NewPool(2)
	defer pool.Close()
	load := func(_ context.Context, id int) (string, error) {
		if id == 3 {
			return "", fmt.Errorf("no user %d", id)
		}
		return fmt.Sprint("user ", id), nil
	}

	_, err := bulk.Map(context.Background(), pool, []int{1, 2, 3, 4}, load)
	fmt.Println(err)
	// Output:
	// no user 3
}
