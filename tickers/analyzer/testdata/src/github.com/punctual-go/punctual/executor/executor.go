// Package executor has as much of the real one as the fixes need.
package executor

import (
	"context"
	"time"
)

type (
	ScheduledPool   struct{}
	ScheduledFuture struct{}
	TaskOption      interface{}
	CatchUpPolicy   int
	Task            = func(context.Context) error
)

func (*ScheduledPool) AtFixedRate(initial, period time.Duration, t Task, o ...TaskOption) (*ScheduledFuture, error) {
	return nil, nil
}

func (*ScheduledPool) WithFixedDelay(initial, delay time.Duration, t Task, o ...TaskOption) (*ScheduledFuture, error) {
	return nil, nil
}

func WithContext(ctx context.Context) TaskOption { return nil }

const Coalesce CatchUpPolicy = 1

func CatchUp(CatchUpPolicy) TaskOption { return nil }
