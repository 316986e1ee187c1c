package executor_test

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/punctual-go/punctual/executor"
)

// stack is a queue that gives the newest task first.
type stack []executor.Queued

func (s *stack) Push(t executor.Queued) { *s = append(*s, t) }
func (s *stack) Len() int               { return len(*s) }

func (s *stack) Pop() executor.Queued {
	if len(*s) == 0 {
		return nil
	}
	top := (*s)[len(*s)-1]
	s.Remove(top)
	return top
}

func (s *stack) Remove(t executor.Queued) bool {
	i := slices.Index(*s, t)
	if i < 0 {
		return false
	}
	*s = slices.Delete(*s, i, i+1)
	return true
}

func (s *stack) All() iter.Seq[executor.Queued] {
	return func(yield func(executor.Queued) bool) {
		for _, t := range slices.Backward(*s) {
			if !yield(t) {
				return
			}
		}
	}
}

func ExampleCustomQueue() {
	newestFirst := executor.CustomQueue(func() executor.WorkQueue { return new(stack) })
	pool := executor.NewPool(1, newestFirst)

	begun, release := make(chan struct{}), make(chan struct{})
	pool.Execute(func(context.Context) error { close(begun); <-release; return nil })
	<-begun
	for _, name := range []string{"old", "newer", "newest"} {
		pool.Submit(func(context.Context) error { fmt.Println(name); return nil }, executor.Name(name))
	}
	for _, waiting := range pool.Queued() {
		fmt.Println("waiting:", waiting.Name)
	}
	close(release)
	pool.Close() // waits until all have run
	// Output:
	// waiting: newest
	// waiting: newer
	// waiting: old
	// newest
	// newer
	// old
}
