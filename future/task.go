package future

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
)

// Task is a function together with the future of its result: java.util.concurrent's FutureTask. What
// executors call a task is the function alone.
// It is safe for concurrent use and must not be copied; make one with [NewTask]. An executor's
// Submit is the usual way to run one; Run is the way to do it by hand.
type Task[V any] struct {
	future Future[V]
	fn     Func[V]
}

// NewTask returns a task that calls fn. One allocation, its future included. It panics if fn is
// nil.
func NewTask[V any](fn Func[V]) *Task[V] {
	if fn == nil {
		panic("future: NewTask of a nil function")
	}
	return &Task[V]{fn: fn}
}

// Future returns the read side.
func (t *Task[V]) Future() *Future[V] { return &t.future }

// Run calls the function and settles the future with its outcome, a panic or Goexit included.
// It does nothing if the task is settled or running. The context of the body derives from ctx
// (context.Background if nil), ends when the future is cancelled, and ends with the run.
func (t *Task[V]) Run(ctx context.Context) { t.run(ctx, false) }

// RunAndReset calls the function without keeping its value, and makes the task ready for another
// call: it is how a periodic task is run. It reports whether there may be another: false, with the
// future settled, if the body failed or the future was cancelled meanwhile; false without a call if
// the task is settled or running.
func (t *Task[V]) RunAndReset(ctx context.Context) bool { return t.run(ctx, true) }

func (t *Task[V]) run(ctx context.Context, again bool) (reset bool) {
	c := t.future.cell()
	if !c.Begin() {
		t.strip() // in case it was cancelled before it could run
		return false
	}
	var value V
	err := error(ErrGoexit) // until the body says otherwise
	defer func() {          // also when the body calls Goexit
		c.Exit()
		if again && err == nil && c.Reset() {
			reset = true
			return
		}
		if !again && c.Phase() == cell.Running {
			t.future.core().SetValue(value)
		}
		c.Finish(err)
		t.strip()
	}()
	Invoke(c.Enter(ctx), func(ctx context.Context) (err error) {
		value, err = t.fn(ctx)
		return err
	}, &err)
	return false
}

// strip forgets the function once it will not be called any more.
func (t *Task[V]) strip() {
	if t.future.cell().Strip() {
		t.fn = nil
	}
}
