package debounce_test

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/debounce"
)

// Three changes are saved at once, when they have stopped for a while; the fourth before the end.
func ExampleNew() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()

	text := ""
	saves, err := debounce.New(pool, debounce.Wait{Quiet: 50 * time.Millisecond, Most: time.Second},
		func(context.Context) error {
			fmt.Printf("saved %q\n", text)
			return nil
		}, executor.Name("save"))
	if err != nil {
		panic(err)
	}
	for _, key := range []string{"a", "b", "c"} {
		text += key
		if err := saves.Call(); err != nil {
			panic(err)
		}
	}
	if err := saves.Flush(context.Background()); err != nil {
		panic(err)
	}
	text += "d"
	if err := saves.Call(); err != nil {
		panic(err)
	}
	fmt.Println("closing:", saves.Close(context.Background()))
	// Output:
	// saved "abc"
	// saved "abcd"
	// closing: <nil>
}

// Flush is for moments at which everything has to be saved, such as before a document is sent.
func ExampleDebouncer_Flush() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	indexes, err := debounce.New(pool, debounce.Wait{Quiet: time.Minute},
		func(context.Context) error {
			fmt.Println("indexed")
			return nil
		})
	if err != nil {
		panic(err)
	}
	if err := indexes.Call(); err != nil {
		panic(err)
	}
	fmt.Println("flushed:", indexes.Flush(context.Background()))
	fmt.Println("flushed:", indexes.Flush(context.Background()), "at once")
	// Output:
	// indexed
	// flushed: <nil>
	// flushed: <nil> at once
}
