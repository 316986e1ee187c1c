package future

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Func is the function of a task with a result.
type Func[V any] = func(ctx context.Context) (V, error)

// Result is the outcome of a settled future. A body that returned both a value and an error has
// both here.
type Result[V any] struct {
	Value V
	Err   error
}

// Future is the read side of a task or promise. It is safe for concurrent use and must not be
// copied. The zero Future is pending until it is cancelled.
type Future[V any] cell.Core[V]

func (f *Future[V]) cell() *cell.Cell { return (*cell.Core[V])(f).Cell() }

// Get waits until the future is settled and returns its outcome. If ctx ends first, Get returns the
// error of ctx, joined with its cause if that is a different error. That ends the wait, not the
// task. A settled future returns its outcome even if ctx has ended. A nil ctx never ends. A task
// that waits for its own future gets [ErrSelfWait] at once.
//
// The error is nil if the task succeeded, the error of the task if it failed, and one that matches
// [ErrCancelled] and the reason, if any, if it was cancelled. If the body returned both a value and
// an error, Get returns both.
func (f *Future[V]) Get(ctx context.Context) (V, error) {
	if err := f.cell().Wait(ctx); err != nil {
		var none V
		return none, err
	}
	return f.outcome()
}

// GetTimeout is [Future.Get] with a time limit d, after which it returns an error that matches
// [ErrTimeout]. If d is zero or negative, it does not wait. A task that waits for its own future
// gets [ErrSelfWait] at once.
func (f *Future[V]) GetTimeout(d time.Duration) (V, error) {
	if err := f.cell().WaitFor(d); err != nil {
		var none V
		return none, err
	}
	if !f.cell().Phase().Settled() {
		var none V
		return none, notSettled(f.cell().Subject(), d)
	}
	return f.outcome()
}

// Poll returns the outcome and true if the future is settled, and otherwise the zero Result and
// false. It never waits.
func (f *Future[V]) Poll() (Result[V], bool) {
	if !f.cell().Phase().Settled() {
		return Result[V]{}, false
	}
	v, err := f.outcome()
	return Result[V]{v, err}, true
}

// Done returns a channel that is closed when the future is settled. It is made on first use; every
// call returns the same one.
func (f *Future[V]) Done() <-chan struct{} { return f.cell().Done() }

// Stopped returns a channel that is closed when the future is settled and no body of its task is
// running any more. After a cancellation that is when the body has returned.
func (f *Future[V]) Stopped() <-chan struct{} { return f.cell().Stopped() }

// State returns the state of the future at this moment.
func (f *Future[V]) State() State { return State(f.cell().Phase()) }

// Cancel settles the future as cancelled and reports whether this call did so. Of all calls of
// Cancel, CancelCause and Stop at most one returns true, and none once the task has ended. A task
// that has not begun never begins, and leaves the queue of its pool at once. A body that is
// running has its context cancelled, even if an earlier Stop let it run on; whether it takes notice
// is up to the body.
func (f *Future[V]) Cancel() bool { return f.cell().Cancel(nil, ErrCancelled, true) }

// CancelCause is [Future.Cancel] with a reason: the error of Get matches cause as well as
// [ErrCancelled], and context.Cause of the body's context is cause. A nil cause makes it Cancel.
func (f *Future[V]) CancelCause(cause error) bool {
	if cause == nil {
		return f.Cancel()
	}
	return f.cell().Cancel(CancelledError(cause), cause, true)
}

// Stop is [Future.Cancel] except that a running body keeps its context and may finish; its result
// is dropped. It is Java's cancel(false).
func (f *Future[V]) Stop() bool { return f.cell().Cancel(nil, ErrCancelled, false) }

// Withdraw is [Future.Cancel] for a task that has not begun, and leaves any other alone. So after
// true the body is never called, and after false it has been, or the task has ended; as with Stop
// of a time.Timer. Of a periodic task, and of one that is tried again, the first run counts.
func (f *Future[V]) Withdraw() bool { return f.cell().Withdraw() }

// String returns the state and, if the future failed or was cancelled, the error.
func (f *Future[V]) String() string {
	switch phase := f.cell().Phase(); {
	case phase == cell.Failed, phase == cell.Cancelled:
		return fmt.Sprintf("future(%v: %v)", f.State(), f.err())
	default:
		return fmt.Sprintf("future(%v)", f.State())
	}
}

// outcome returns the result of a settled future. The value counts only if the runner itself
// settled the cell: after a cancellation or a timeout the body may still be about to write it.
func (f *Future[V]) outcome() (V, error) {
	if f.cell().Full() {
		return (*cell.Core[V])(f).Value(), f.err()
	}
	var none V
	return none, f.err()
}

// err returns the error of a settled future. The cell keeps none for a plain cancellation.
func (f *Future[V]) err() error {
	if err := f.cell().Err(); err != nil {
		return err
	}
	if f.cell().Phase() == cell.Cancelled {
		return ErrCancelled
	}
	return nil
}
