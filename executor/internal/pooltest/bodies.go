package pooltest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// ErrTask is what bodies fail with.
var ErrTask = errors.New("task failed")

// Nothing is a body that does nothing.
func Nothing(context.Context) error { return nil }

// Fail is a body that fails with [ErrTask].
func Fail(context.Context) error { return ErrTask }

// Panic is a body that panics.
func Panic(context.Context) error { panic("panic in a task") }

// Goexit is a body that ends its goroutine.
func Goexit(context.Context) error {
	runtime.Goexit()
	return nil
}

// Seven is a function with a result.
func Seven(context.Context) (int, error) { return 7, nil }

// Sleep is a body of the given length that does not heed its context.
func Sleep(d time.Duration) executor.Task {
	return func(context.Context) error {
		time.Sleep(d)
		return nil
	}
}

// Pause is a body of the given length that ends early with its context, and succeeds.
func Pause(d time.Duration) executor.Task {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return nil
	}
}

// InTurn is a body that ends as the given ones do, run by run, and in the end again and again as
// the last.
func InTurn(bodies ...executor.Task) executor.Task {
	var runs atomic.Int64
	return func(ctx context.Context) error {
		return bodies[min(int(runs.Add(1)), len(bodies))-1](ctx)
	}
}

// Typed returns task as a function with a result, which is 42. That of nil is nil.
func Typed(task executor.Task) future.Func[int] {
	if task == nil {
		return nil
	}
	return func(ctx context.Context) (int, error) { return 42, task(ctx) }
}

// Gate holds tasks until it is opened, at the latest when the test ends.
type Gate struct {
	Opened chan struct{}
	once   sync.Once
}

// NewGate returns a gate that is closed.
func NewGate(t *testing.T) *Gate {
	g := &Gate{Opened: make(chan struct{})}
	t.Cleanup(g.Open)
	return g
}

// Open lets all go on that the gate holds.
func (g *Gate) Open() { g.once.Do(func() { close(g.Opened) }) }

// Hold is a body that does not heed its context.
func (g *Gate) Hold(context.Context) error {
	<-g.Opened
	return nil
}

// Heed is a body that ends with its context.
func (g *Gate) Heed(ctx context.Context) error {
	select {
	case <-g.Opened:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Fault is a way for user code to go wrong.
type Fault struct {
	Name string
	Do   func()
}

// Faults are all of them, and that all is well.
var Faults = []Fault{
	{"fine", func() {}},
	{"panic", func() { panic(ErrTask) }},
	{"nil panic", func() { panic(nil) }},
	{"goexit", runtime.Goexit},
}

// Decorator counts its calls, and the runs of what it has made.
type Decorator struct{ Calls, Runs atomic.Int32 }

// Decorate is for [executor.Decorate].
func (d *Decorator) Decorate(task executor.Task) executor.Task {
	d.Calls.Add(1)
	return func(ctx context.Context) error {
		d.Runs.Add(1)
		return task(ctx)
	}
}
