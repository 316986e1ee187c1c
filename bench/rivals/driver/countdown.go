package driver

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// countdown waits for a number of runs, and knows when the last of them ended.
type countdown struct {
	left atomic.Int64
	end  time.Time // set before over is closed
	over chan struct{}
}

// newCountdown returns a countdown of n runs; one of none waits until it is told by left how many.
func newCountdown(n int) *countdown {
	c := &countdown{over: make(chan struct{})}
	c.left.Store(int64(n))
	return c
}

// done counts one run.
func (c *countdown) done() {
	if c.left.Add(-1) == 0 {
		c.end = time.Now()
		close(c.over)
	}
}

// wait waits until all have run.
func (c *countdown) wait(ctx context.Context) error {
	select {
	case <-c.over:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return lost{c.left.Load(), patience}
		}
		return context.Cause(ctx)
	}
}
