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

func (*ScheduledPool) On(
	when interface{ Next(time.Time) time.Time }, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	return nil, nil
}

func NewScheduledPool(core int) *ScheduledPool { return nil }

func (*ScheduledPool) Close() error { return nil }
func (*ScheduledPool) Shutdown()    {}

func (*ScheduledFuture[V]) Cancel() bool             { return false }
func (*ScheduledFuture[V]) Stopped() <-chan struct{} { return nil }

func WithContext(ctx context.Context) TaskOption { return nil }

const (
	Burst CatchUpPolicy = iota
	Coalesce
	Skip
)

type ErrorPolicy int

const Continue ErrorPolicy = 1

func FailurePolicy(p ErrorPolicy) TaskOption { return nil }
func Name(name string) TaskOption            { return nil }

func CatchUp(p CatchUpPolicy) TaskOption { return nil }
