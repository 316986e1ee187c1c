package fallback

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Future is a future whose value is another one if its task is too late. The methods of the
// embedded future are those of the task: Cancel cancels it, Stopped tells when its body has
// returned, and State tells that a task that was too late has failed. A Future holds nothing but
// its two fields, and is safe for concurrent use.
type Future[V any] struct {
	*future.Future[V]
	value V
}

// New returns a view of f that has value in place of the error of a task that was too late. If the
// task has no time limit, value is of no use. Nor is it for a series, whose runs may be late: one
// that [executor.FailurePolicy] ends for that has failed. New panics if f is nil.
func New[V any](f *future.Future[V], value V) *Future[V] {
	if f == nil {
		panic("fallback: nil future")
	}
	return &Future[V]{f, value}
}

// Get is Get of the task's future, but that it returns the value of the fallback, and no error,
// from the moment on at which the task is too late. The end of ctx ends the wait, as usual.
func (f *Future[V]) Get(ctx context.Context) (V, error) {
	v, err := f.Future.Get(ctx)
	return f.or(v, err)
}

// GetTimeout is [Future.Get] with a time limit for the wait. That is none of the task, so after it
// there is an error that matches [future.ErrTimeout].
func (f *Future[V]) GetTimeout(d time.Duration) (V, error) {
	v, err := f.Future.GetTimeout(d)
	return f.or(v, err)
}

// Poll returns what [Future.Get] returns, and true, if the task has ended, or is too late.
func (f *Future[V]) Poll() (future.Result[V], bool) {
	r, settled := f.Future.Poll()
	if settled {
		r.Value, r.Err = f.or(r.Value, r.Err)
	}
	return r, settled
}

// TooLate reports whether the task was too late, so that the value is that of the fallback. The
// error of the task says why; the embedded future has it.
func (f *Future[V]) TooLate() bool {
	c := submitter.CellOf(f.Future)
	if c.Phase() != cell.Failed {
		return false
	}
	if c.Plan == nil {
		return foreignTooLate(c)
	}
	h, ok := c.Plan.Host.(interface{ PlanOf(c *cell.Cell) *run.Plan })
	return ok && h.PlanOf(c).CameTooLate(c.Err())
}

// or returns the outcome of the task, or the fallback in its place.
func (f *Future[V]) or(v V, err error) (V, error) {
	if err != nil && f.TooLate() {
		return f.value, nil
	}
	return v, err
}

// foreignTooLate is TooLate for the task of a Submitter of another package, and of none. What has
// failed without its own doing was failed by that, with an error of its pool.
func foreignTooLate(c *cell.Cell) bool {
	err := c.Err()
	return !c.Full() &&
		(cell.Matches(err, future.ErrTimeout) || cell.Matches(err, executor.ErrExpired))
}
