package queue_test

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
)

// stack is a queue that gives the newest task first.
type stack []queue.Task

func (s *stack) Push(t queue.Task) { *s = append(*s, t) }
func (s *stack) Len() int          { return len(*s) }

func (s *stack) Pop() queue.Task {
	if len(*s) == 0 {
		return nil
	}
	top := (*s)[len(*s)-1]
	s.Remove(top)
	return top
}

func (s *stack) Remove(t queue.Task) bool {
	i := slices.Index(*s, t)
	if i < 0 {
		return false
	}
	*s = slices.Delete(*s, i, i+1)
	return true
}

func (s *stack) All() iter.Seq[queue.Task] {
	return func(yield func(queue.Task) bool) {
		for _, t := range slices.Backward(*s) {
			if !yield(t) {
				return
			}
		}
	}
}

func ExampleCustom() {
	newestFirst := executor.Queue(queue.Custom(func() queue.WorkQueue { return new(stack) }))
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

// held is a pool of one worker, which a task holds until release is called.
func held(q queue.Queue) (pool *executor.Pool, release func()) {
	pool = executor.NewPool(1, executor.Queue(q))
	begun, end := make(chan struct{}), make(chan struct{})
	pool.Execute(func(context.Context) error { close(begun); <-end; return nil })
	<-begun
	return pool, func() { close(end); pool.Close() } // waits until all have run
}

func say(text string) executor.Task {
	return func(context.Context) error { fmt.Println(text); return nil }
}

func ExampleFIFO() {
	pool, release := held(queue.FIFO()) // the default
	pool.Execute(say("first"))
	pool.Execute(say("second"))
	release()
	// Output:
	// first
	// second
}

func ExampleBounded() {
	pool, release := held(queue.Bounded(1))
	fmt.Println(pool.Execute(say("ran")))
	fmt.Println(pool.Execute(say("never ran")))
	release()
	// Output:
	// <nil>
	// executor: pool is saturated
	// ran
}

func ExampleHandOff() {
	pool, release := held(queue.HandOff()) // a task gets a worker at once, or is refused
	fmt.Println(pool.Execute(say("never ran")))
	release()
	// Output: executor: pool is saturated
}

func ExamplePriority() {
	pool, release := held(queue.Priority())
	pool.Execute(say("newsletter"), executor.Priority(-1))
	pool.Execute(say("invoice"))
	pool.Execute(say("alarm"), executor.Priority(10))
	release()
	// Output:
	// alarm
	// invoice
	// newsletter
}
