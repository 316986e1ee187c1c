package stories_test

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// task is a task of a story: what it is to do and, once it has been submitted, what there is of it.
type task struct {
	stage   *stage
	name    string
	body    body
	initial *time.Duration // before the first run of a series; nil for its period
	opts    []executor.TaskOption

	accepted atomic.Pointer[accepted] // nil before that
}

// accepted is what there is of a task that a pool has accepted.
type accepted struct {
	future *future.Future[struct{}] // nil for a task of execute
	handle executor.Handle          // of a scheduled task
}

// future returns the future of a task that has one.
func (t *task) future() *future.Future[struct{}] { return t.accepted.Load().future }

// handle returns the handle of a scheduled task.
func (t *task) handle() executor.Handle { return t.accepted.Load().handle }

// submit makes a task of the clauses and gives it to the pool in the given way. With none it is
// left to another task to submit it.
func (c *command) submit(name string, how way) {
	t := &task{stage: c.stage, name: name, opts: []executor.TaskOption{executor.Name(name)}}
	take(c, taskClauses, t)
	if c.err != nil {
		return
	}
	if how == nil {
		c.stage.tasks.Store(name, t)
		return
	}
	c.call(func() string { return t.start(how) })
}

func (c *command) submitTo(name string, lane executor.Submitter) {
	require.NotNil(c.stage.t, lane, "%s: there is no such serial", c.text)
	c.submit(name, func(t *task) (accepted, error) {
		f, err := lane.Submit(t.run(), t.opts...)
		return accepted{future: f}, err
	})
}

// start submits the task, and returns the error of that, if there is one.
func (t *task) start(how way) string {
	t.body.watched = make(chan struct{})
	defer close(t.body.watched)
	a, err := how(t)
	if err != nil {
		return result(err)
	}
	t.accepted.Store(&a)
	t.stage.tasks.Store(t.name, t)
	if a.future != nil {
		future.AfterSettled(a.future, func(r future.Result[struct{}]) {
			outcome := "succeeded"
			if r.Err != nil {
				outcome = result(r.Err)
			}
			t.stage.trace.see(t.name, other, "%s's future: %s", t.name, outcome)
		})
	}
	return ""
}

func (t *task) run() executor.Task { return t.body.task(t.stage, t.name) }

// way is a way to submit a task.
type way func(*task) (accepted, error)

func (t *task) execute() (accepted, error) {
	return accepted{}, t.stage.pool.Execute(t.run(), t.opts...)
}

func (t *task) submit() (accepted, error) {
	f, err := t.stage.pool.Submit(t.run(), t.opts...)
	return accepted{future: f}, err
}

func submitWithin(d time.Duration) way {
	return func(t *task) (accepted, error) {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		f, err := t.stage.pool.SubmitContext(ctx, t.run(), t.opts...)
		return accepted{future: f}, err
	}
}

func schedule(d time.Duration) way {
	return func(t *task) (accepted, error) {
		return scheduled(t.stage.scheduled.Schedule(d, t.run(), t.opts...))
	}
}

func scheduleIn(name string, d time.Duration) way {
	return func(t *task) (accepted, error) {
		lane := t.stage.lanes[name].(*serial.Serial)
		return scheduled(lane.Schedule(d, t.run(), t.opts...))
	}
}

func atFixedRate(period time.Duration) way {
	return func(t *task) (accepted, error) {
		p := t.stage.scheduled
		return scheduled(p.AtFixedRate(t.first(period), period, t.run(), t.opts...))
	}
}

func withFixedDelay(delay time.Duration) way {
	return func(t *task) (accepted, error) {
		p := t.stage.scheduled
		return scheduled(p.WithFixedDelay(t.first(delay), delay, t.run(), t.opts...))
	}
}

func on(calendar executor.Calendar) way {
	return func(t *task) (accepted, error) {
		return scheduled(t.stage.scheduled.On(calendar, t.run(), t.opts...))
	}
}

func scheduled(f *executor.ScheduledFuture[struct{}], err error) (accepted, error) {
	if err != nil {
		return accepted{}, err
	}
	return accepted{f.Future, f.Handle}, nil
}

// first is when a series begins.
func (t *task) first(period time.Duration) time.Duration {
	if t.initial != nil {
		return *t.initial
	}
	return period
}
