package submitter

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Call is a function that has been given to a Submitter.
type Call[V any] struct {
	Future *future.Future[V]        // of the result; there before the Submitter is asked
	Behind *future.Future[struct{}] // of a foreign Submitter; else nil
}

// Awaited returns the cell of the future to wait for. A foreign one may know better who waits.
func (c *Call[V]) Awaited() *cell.Cell {
	if c.Behind != nil {
		return CellOf(c.Behind)
	}
	return CellOf(c.Future)
}

// Submit gives fn to p, of which w is the way, and waits for room if wait says so and p can.
func Submit[V any, O run.TaskOption](
	c *Call[V], ctx context.Context, wait bool, p Submitter[O], w Way, fn future.Func[V], opts []O,
) (err error) {
	switch {
	case fn == nil && !w.IsForeign():
		return Misused(w.Pool, opts, run.ErrNilTask)
	case fn == nil:
		return run.ErrNilTask
	case !w.IsForeign():
		c.Future = new(future.Future[V])
		return Give(ctx, wait, w, CellOf(c.Future), Bind(c.Future, fn), opts)
	}
	e := newErrand(fn)
	c.Future = e.task.Future()
	c.Behind, err = giveErrand(ctx, wait, p, e, opts)
	return err
}

// CellOf returns the part of f that does not depend on the type of its value.
func CellOf[V any](f *future.Future[V]) *cell.Cell { return (*cell.Core[V])(f).Cell() }

// Bind returns fn as a body that stores its value in f.
func Bind[V any](f *future.Future[V], fn future.Func[V]) func(context.Context) error {
	return (*cell.Core[V])(f).Bind(fn)
}

// EndOf returns the error of ctx, with its cause, or nil if ctx has not ended.
func EndOf(ctx context.Context) error {
	if !cell.HasEnded(ctx) {
		return nil
	}
	return cell.EndOf(ctx)
}
