package executor

import (
	"fmt"
	"math"
	"time"
)

// NewFixedPool returns a pool of n workers with an unbounded queue, like Java's
// Executors.newFixedThreadPool. It panics if n < 1.
func NewFixedPool(n int, opts ...Option) *Pool {
	return NewPool(atLeastOne(n), opts...)
}

// NewCachedPool returns a pool that starts a worker for every task that finds none idle, without
// limit, and lets workers end after a minute without work, like Java's
// Executors.newCachedThreadPool. [MaximumSize] sets a limit; tasks beyond it are up to the
// rejection policy.
func NewCachedPool(opts ...Option) *Pool {
	cached := []Option{HandOff(), MaximumSize(math.MaxInt), KeepAlive(time.Minute)}
	return NewPool(0, append(cached, opts...)...)
}

// NewSinglePool returns a pool of one worker, which runs tasks one at a time in the order of
// submission, like Java's Executors.newSingleThreadExecutor. Its tasks may share state without
// locks, but a task that waits for another lets that one run in its place, and must leave the state
// fit for it. The sizes are fixed: SetCoreSize and SetMaximumSize fail, and MaximumSize is ignored.
//
// For many sequences of tasks, one pool with a [Serial] for each sequence costs less than a pool
// for each.
func NewSinglePool(opts ...Option) *Pool {
	return NewPool(1, append(opts[:len(opts):len(opts)], option(fixSizes))...)
}

// NewSingleScheduledPool returns a scheduled pool of one worker whose sizes are fixed, like Java's
// Executors.newSingleThreadScheduledExecutor.
func NewSingleScheduledPool(opts ...Option) *ScheduledPool {
	return NewScheduledPool(1, append(opts[:len(opts):len(opts)], option(fixSizes))...)
}

// fixSizes comes after the caller's options, so that it overrides their MaximumSize.
func fixSizes(s *settings) { s.SizesFixed, s.Maximum = true, 1 }

func atLeastOne(n int) int {
	if n < 1 {
		panic(fmt.Sprintf("executor: fixed pool of %d workers", n))
	}
	return n
}
