// Package submitter gives tasks to any Submitter of package executor. One of this module says by
// its [Way] how: task and future are one allocation then, and the pool knows who waits for the
// task. Any other one is foreign, and is given an errand.
package submitter

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Submitter is the interface of that name in package executor, whose TaskOption is O.
type Submitter[O run.TaskOption] interface {
	Execute(task engine.Task, opts ...O) error
	Submit(task engine.Task, opts ...O) (*future.Future[struct{}], error)
}

// Native is a Submitter of this module. Its method has an internal result, so that there are no
// others, but for types that embed one.
type Native interface{ Native() Way }

// LaneOption is an option of serial executors.
type LaneOption interface{ Lane() engine.LaneOption }

// Way is how a native Submitter reaches its pool.
type Way struct {
	Self any          // the Submitter itself; a type that embeds it is another
	Pool *engine.Pool // runs the tasks; nil for no way
	Lane *engine.Lane // the serial executor; nil for none
	Key  Key          // has the lane instead, if it is there only while it has tasks; else nil
}

// Key is one of many lanes.
type Key interface {
	Enter() *engine.Lane  // keeps the lane until Leave
	Leave(l *engine.Lane) // ends what Enter has begun
}

// Of returns the way of p, or none if p is foreign. A type that embeds a native one has its method
// too, but its own Submit must not be bypassed; Self tells the two apart.
func Of(p any) Way {
	if n, ok := p.(Native); ok {
		if w := n.Native(); w.Self == p {
			return w
		}
	}
	return Way{}
}

// IsForeign reports whether there is no way.
func (w Way) IsForeign() bool { return w.Pool == nil }

// Give submits the task of c. If there is no room, it waits until ctx ends, if wait says so, or
// else asks the policy of the pool.
func Give[O run.TaskOption](
	ctx context.Context, wait bool, w Way, c *cell.Cell, task engine.Task, opts []O,
) error {
	return enter(w, engine.Submission{Cell: c, Task: task}, opts, func(s engine.Submission) error {
		return w.Pool.Door.Submit(ctx, wait, s)
	})
}

// GiveReported is Give, without a wait, of a task whose failures the error handler is to get as
// well, as nobody need look at its future.
func GiveReported[O run.TaskOption](
	ctx context.Context, w Way, c *cell.Cell, task engine.Task, opts []O,
) error {
	s := engine.Submission{Cell: c, Task: task, Reports: true}
	return enter(w, s, opts, func(s engine.Submission) error {
		return w.Pool.Door.Submit(ctx, false, s)
	})
}

// Execute submits a task without a future.
func Execute[O run.TaskOption](w Way, task engine.Task, opts []O) error {
	s := engine.Submission{Cell: new(cell.Cell), Task: task, Reports: true}
	return enter(w, s, opts, func(s engine.Submission) error {
		return w.Pool.Door.Submit(context.Background(), false, s)
	})
}

// Schedule submits the task of c to run after the delay.
func Schedule[O run.TaskOption](
	w Way, delay time.Duration, c *cell.Cell, task engine.Task, opts []O,
) error {
	return enter(w, engine.Submission{Cell: c, Task: task}, opts, func(s engine.Submission) error {
		return w.Pool.Door.Schedule(delay, s)
	})
}

// enter calls submit with a complete submission, whose lane is kept meanwhile.
func enter[O run.TaskOption](
	w Way, s engine.Submission, opts []O, submit func(engine.Submission) error,
) error {
	if err := Resolve(w.Pool, &s, opts); err != nil {
		return err
	}
	s.Lane = w.Lane
	if w.Key != nil {
		s.Lane = w.Key.Enter()
		defer w.Key.Leave(s.Lane)
	}
	return submit(s)
}

// Resolve completes a submission: it checks the task, and evaluates its options, if there are any.
func Resolve[O run.TaskOption](p *engine.Pool, s *engine.Submission, opts []O) error {
	switch {
	case s.Task == nil:
		return Misused(p, opts, run.ErrNilTask)
	case len(opts) == 0: // the engine has the defaults
		return nil
	}
	o, err := run.Resolve(&p.Runs().Settings, opts)
	if err != nil {
		return Misused(p, opts, err)
	}
	s.Options = &o
	return nil
}

// Misused returns the error of a submission with a bad argument: it names pool and task.
func Misused[O run.TaskOption](p *engine.Pool, opts []O, err error) error {
	return run.Misused(&p.Runs().Reporter, opts, err)
}
