// Package executor has as much of the real one as the fixes need.
package executor

import (
	"context"
	"time"
)

type (
	ScheduledPool          struct{}
	ScheduledFuture[V any] struct{ _ V }
	TaskOption             interface{}
	CatchUpPolicy          int
	Task                   = func(context.Context) error
)

func (*ScheduledPool) Every(
	period time.Duration, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	return nil, nil
}

func (*ScheduledPool) AtFixedRate(
	initial, period time.Duration, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	return nil, nil
}

func (*ScheduledPool) WithFixedDelay(
	initial, delay time.Duration, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	return nil, nil
}

func (*ScheduledPool) Close() error { return nil }

func (*ScheduledFuture[V]) Cancel() bool             { return false }
func (*ScheduledFuture[V]) Stopped() <-chan struct{} { return nil }

func WithContext(ctx context.Context) TaskOption { return nil }

const Coalesce CatchUpPolicy = 1

func CatchUp(p CatchUpPolicy) TaskOption { return nil }
