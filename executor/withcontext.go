package executor

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// WithValues makes the contexts of the task's runs also know the values of ctx, such as a trace or
// the user of a request. Neither the deadline nor the end of ctx matters: the task may outlive it.
//
// A value that ctx has comes before one that the base context of the pool has for the same key.
// [RunFrom] still returns the run of this task, even if ctx is the context of another task. The
// pprof labels of ctx are those of the runs too, except "pool" and "task", which tell where the
// task itself runs.
//
// SubmitContext, [InvokeAll], [InvokeAny] and the functions and types of package bulk do this by
// themselves with the context that they are given, unless this option or [WithContext] names
// another. WithValues(nil), which is WithValues(context.Background()), makes them carry nothing.
//
// A task with this option costs some allocations more, and as long as its future is kept, ctx is
// kept too. If ctx is the context of a task of this module, only the values are kept, not that
// task. Value of ctx is also called by the submission, and during runs when the task asks for a
// value.
//
// A [Submitter] that is not of this module gets the option as any other. What it makes of it is up
// to it; one that passes its options on to a pool need do no more.
func WithValues(ctx context.Context) TaskOption {
	if ctx == nil {
		ctx = context.Background()
	}
	return setting(func(o *series.Options) { o.Values = ctx })
}

// WithContext is [WithValues], and when ctx ends, the task is cancelled with the cause of ctx,
// whether it waits or runs: so a caller that goes away takes its work along. The future then
// matches [future.ErrCancelled] and the cause, and the context of a run in progress ends with that
// cause. A periodic task is cancelled for good. No body begins once ctx has ended. The deadline of
// ctx is not shown to the runs, but ends them.
//
// If ctx has ended before the submission, that returns an error which matches [ErrRejected] and the
// error of ctx; if ctx ends while the submitter waits for room, one that matches [ErrSaturated] and
// the error of ctx. A nil ctx never ends.
//
// Once the task has ended, in whatever way, ctx knows of it no more. A task of which only the body
// still runs, because its future was stopped or its time was up, has ended. Unless ctx is of
// package context, derives from one, or is the context of a task, each task costs a goroutine
// meanwhile. The methods of ctx are also called on goroutines of the pool, and must not panic.
//
// Given both options, the one that comes last has the values, and WithContext the end.
func WithContext(ctx context.Context) TaskOption {
	if ctx == nil {
		ctx = context.Background()
	}
	var within context.Context
	if ctx.Done() != nil {
		within = cell.Faithful(ctx)
	}
	return setting(func(o *series.Options) { o.Values, o.Within = ctx, within })
}
