package executor

import (
	"fmt"
	"math"
	"time"
)

// NewFixedPool returns a pool of n workers with an unbounded queue: what Executors.newFixedThreadPool
// makes in Java. It panics if n < 1.
func NewFixedPool(n int, opts ...Option) *Pool {
	return NewPool(atLeastOne(n), opts...)
}

// NewCachedPool returns a pool that starts a worker for every task that finds none idle, without bounds,
// and has them end after a minute without work: Executors.newCachedThreadPool. [MaximumSize] bounds it;
// then tasks beyond are refused.
func NewCachedPool(opts ...Option) *Pool {
	return NewPool(0, append([]Option{HandOff(), MaximumSize(math.MaxInt), KeepAlive(time.Minute)}, opts...)...)
}

// NewSinglePool returns a pool of one worker, which runs tasks in order of submission, one at a time:
// they may share state without locks, as long as a task that waits for another, which then runs in
// its place, leaves the state fit for that.
// Its sizes cannot be changed: SetCoreSize and SetMaximumSize fail, and MaximumSize is ignored. It is
// Executors.newSingleThreadExecutor. For many sequences of tasks, a [Serial] each over one pool is
// cheaper than a pool each.
func NewSinglePool(opts ...Option) *Pool {
	return NewPool(1, append(opts[:len(opts):len(opts)], option(fixSizes))...)
}

// NewSingleScheduledPool returns a scheduled pool of one worker, whose sizes cannot be changed:
// Executors.newSingleThreadScheduledExecutor.
func NewSingleScheduledPool(opts ...Option) *ScheduledPool {
	return NewScheduledPool(1, append(opts[:len(opts):len(opts)], option(fixSizes))...)
}

func fixSizes(s *settings) { s.sizesFixed, s.maximum = true, 1 }

func atLeastOne(n int) int {
	if n < 1 {
		panic(fmt.Sprintf("executor: fixed pool of %d workers", n))
	}
	return n
}
