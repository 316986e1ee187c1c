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

// ErrTask is the error of bodies that fail.
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

// Seven is a function with a result, 7.
func Seven(context.Context) (int, error) { return 7, nil }

// Sleep returns a body that takes d and ignores its context.
func Sleep(d time.Duration) executor.Task {
	return func(context.Context) error {
		time.Sleep(d)
		return nil
	}
}

// Pause returns a body that takes d, or less if its context ends, and succeeds either way.
func Pause(d time.Duration) executor.Task {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return nil
	}
}

// InTurn returns a body that does what the first of the given ones does in its first run, what the
// second does in its second, and so on. When none are left it repeats the last.
func InTurn(bodies ...executor.Task) executor.Task {
	var runs atomic.Int64
	return func(ctx context.Context) error {
		return bodies[min(int(runs.Add(1)), len(bodies))-1](ctx)
	}
}

// Typed returns task as a function with the result 42, or nil if task is nil.
func Typed(task executor.Task) future.Func[int] {
	if task == nil {
		return nil
	}
	return func(ctx context.Context) (int, error) { return 42, task(ctx) }
}

// Gate holds tasks until it is opened. The end of the test opens it.
type Gate struct {
	Opened chan struct{}
	once   sync.Once
}

// NewGate returns a closed gate.
func NewGate(t *testing.T) *Gate {
	g := &Gate{Opened: make(chan struct{})}
	t.Cleanup(g.Open)
	return g
}

// Open lets everything go on that the gate holds.
func (g *Gate) Open() { g.once.Do(func() { close(g.Opened) }) }

// Hold is a body that waits for the gate and ignores its context.
func (g *Gate) Hold(context.Context) error {
	<-g.Opened
	return nil
}

// Heed is a body that waits for the gate or the end of its context.
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

// Faults are all faults, and for comparison one that is none.
var Faults = []Fault{
	{"fine", func() {}},
	{"panic", func() { panic(ErrTask) }},
	{"nil panic", func() { panic(nil) }},
	{"goexit", runtime.Goexit},
}

// Decorator counts its calls, and the runs of the tasks it has made.
type Decorator struct{ Calls, Runs atomic.Int32 }

// Decorate is an argument for [executor.Decorate].
func (d *Decorator) Decorate(task executor.Task) executor.Task {
	d.Calls.Add(1)
	return func(ctx context.Context) error {
		d.Runs.Add(1)
		return task(ctx)
	}
}
