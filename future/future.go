package future

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Func is the one shape of a task with a result.
type Func[V any] = func(ctx context.Context) (V, error)

// Result is the outcome of a settled future.
type Result[V any] struct {
	Value V
	Err   error
}

// Future is the read side of a task or promise. It is safe for concurrent use; it must not be
// copied. The zero Future is pending for ever, or until cancelled.
type Future[V any] cell.Core[V]

func (f *Future[V]) core() *cell.Core[V] { return (*cell.Core[V])(f) }
func (f *Future[V]) cell() *cell.Cell    { return f.core().Cell() }

// Get waits until the future is settled and returns its outcome. When ctx ends first Get returns
// its error, with its cause if that is another; that ends the wait, never the task. On a settled future Get returns the outcome
// whatever ctx says. A nil ctx never ends. A run that waits for its own future, with its own
// context, gets [ErrSelfWait] at once.
//
// The error is nil for success, what the task returned for failure, [ErrCancelled] (with the
// reason) for cancellation. A body that returned a value with an error gets both delivered.
func (f *Future[V]) Get(ctx context.Context) (V, error) {
	if err := f.cell().Wait(ctx); err != nil {
		var none V
		return none, err
	}
	return f.outcome()
}

// GetTimeout is Get with a limit of d, after which it returns an error that matches [ErrTimeout]. With
// d <= 0 it does not wait.
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

// Poll returns the outcome if the future is settled. It never waits.
func (f *Future[V]) Poll() (Result[V], bool) {
	if !f.cell().Phase().Settled() {
		return Result[V]{}, false
	}
	v, err := f.outcome()
	return Result[V]{v, err}, true
}

// Done returns a channel that is closed when the future is settled. It is made on first use.
func (f *Future[V]) Done() <-chan struct{} { return f.cell().Done() }

// Stopped returns a channel that is closed when the future is settled and no body of its task is
// running any more: after a cancellation, when the body has really returned.
func (f *Future[V]) Stopped() <-chan struct{} { return f.cell().Stopped() }

// State returns where the future stands.
func (f *Future[V]) State() State { return State(f.cell().Phase()) }

// Cancel settles the future as cancelled and reports whether this call did; of all calls of
// Cancel, CancelCause and Stop exactly one returns true, and none once the task has ended. A task
// that has not begun never begins, and leaves its queue at once. A running body has its context
// cancelled, also one that an earlier Stop left running; whether it heeds that is up to it.
func (f *Future[V]) Cancel() bool { return f.cell().Cancel(nil, ErrCancelled, true) }

// CancelCause is Cancel with a reason: the error of Get matches it as well as [ErrCancelled], and
// context.Cause of the body's context returns it. A nil cause is Cancel.
func (f *Future[V]) CancelCause(cause error) bool {
	if cause == nil {
		return f.Cancel()
	}
	return f.cell().Cancel(CancelledError(cause), cause, true)
}

// Stop is Cancel that leaves a running body to finish in peace; its result is dropped. It is
// Java's cancel(false).
func (f *Future[V]) Stop() bool { return f.cell().Cancel(nil, ErrCancelled, false) }

// String tells the state and, when failed or cancelled, why.
func (f *Future[V]) String() string {
	switch phase := f.cell().Phase(); {
	case phase == cell.Failed, phase == cell.Cancelled:
		return fmt.Sprintf("future(%v: %v)", f.State(), f.err())
	default:
		return fmt.Sprintf("future(%v)", f.State())
	}
}

// outcome returns the result of a settled future.
func (f *Future[V]) outcome() (V, error) {
	if f.cell().Full() {
		return f.core().Value(), f.err()
	}
	var none V
	return none, f.err()
}

func (f *Future[V]) err() error {
	if err := f.cell().Err(); err != nil {
		return err
	}
	if f.cell().Phase() == cell.Cancelled {
		return ErrCancelled
	}
	return nil
}
