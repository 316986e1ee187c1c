package future

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
)

// Task is a function together with the future of its result: java.util.concurrent's FutureTask. It
// is made by [NewTask], is safe for concurrent use, and must not be copied. Most programs submit a
// function to an executor instead; a Task is for running one by hand. Package executor uses the
// word for the function alone.
type Task[V any] struct {
	future Future[V]
	fn     Func[V]
}

// NewTask returns a task that calls fn. It is one allocation, its future included. NewTask panics
// if fn is nil.
func NewTask[V any](fn Func[V]) *Task[V] {
	if fn == nil {
		panic("future: NewTask of a nil function")
	}
	return &Task[V]{fn: fn}
}

// Future returns the read side.
func (t *Task[V]) Future() *Future[V] { return &t.future }

// Run calls the function and settles the future with its outcome, which may be a panic or Goexit.
// It does nothing if the task is settled or running. The context of the body derives from ctx, or
// from context.Background if ctx is nil; it ends when the future is cancelled, and when the run
// ends.
func (t *Task[V]) Run(ctx context.Context) { t.run(ctx, false) }

// RunAndReset calls the function, drops its value, and makes the task ready for another call: that
// is how a periodic task runs. It reports whether the task may be called again. It returns false,
// with the future settled, if the body failed or the future was cancelled meanwhile; and false
// without calling the function if the task is settled or running.
func (t *Task[V]) RunAndReset(ctx context.Context) bool { return t.run(ctx, true) }

// run is Run, or RunAndReset if again is true.
func (t *Task[V]) run(ctx context.Context, again bool) (reset bool) {
	c := t.future.cell()
	// A task cancelled before its first run still holds its function.
	if !c.Begin() {
		t.strip()
		return false
	}
	var value V
	err := error(ErrGoexit) // what it stays if the body calls Goexit
	defer func() {          // runs after Goexit too
		c.Exit()
		if again && err == nil && c.Reset() {
			reset = true
			return
		}
		// The value of a run that was cut short is dropped, so the future need not keep it.
		if !again && c.Phase() == cell.Running {
			(*cell.Core[V])(&t.future).SetValue(value)
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

// strip drops the function once it will not be called any more, so that a future that is kept does
// not keep what its task held on to.
func (t *Task[V]) strip() {
	if t.future.cell().Strip() {
		t.fn = nil
	}
}
