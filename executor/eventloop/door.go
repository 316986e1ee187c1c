package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/series"
)

// door is a way for tasks to come to a loop: by the intake, or from inside straight to the agenda.
type door struct {
	loop   *Loop
	inside bool
}

// executed is a task without a future.
type executed struct {
	link
	own cell.Cell
}

// submitted is a task for now with its future.
type submitted[V any] struct {
	link
	future future.Future[V]
}

// scheduled is a task with a time, or several, with its future.
type scheduled[V any] struct {
	link
	future executor.ScheduledFuture[V] // of own
	own    future.Future[V]
}

func newSubmitted[V any](l *Loop) *submitted[V] {
	n := new(submitted[V])
	n.cell = future.CellOf(&n.future)
	n.cell.Plan = l.submitted.Cells()
	return n
}

func newScheduled[V any](l *Loop) *scheduled[V] {
	n := new(scheduled[V])
	n.future.Future = &n.own
	n.cell = future.CellOf(&n.own)
	n.cell.Plan = l.submitted.Cells()
	return n
}

func (d door) execute(task executor.Task) error {
	if task == nil {
		return executor.ErrNilTask
	}
	n := new(executed)
	n.cell = &n.own
	n.own.Plan, n.own.Body = d.loop.executed.Cells(), task
	now := d.loop.clock.Now()
	return d.enter(&n.link, now, now)
}

func (d door) submit(task executor.Task, opts []executor.TaskOption) (*future.Future[struct{}], error) {
	n := newSubmitted[struct{}](d.loop)
	if err := d.enterNow(&n.link, task, opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

func (d door) schedule(delay time.Duration, task executor.Task, opts []executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	n := newScheduled[struct{}](d.loop)
	if err := d.enterAfter(&n.link, delay, task, opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

func (d door) scheduleAt(at time.Time, task executor.Task, opts []executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	n := newScheduled[struct{}](d.loop)
	if err := d.loop.prepare(n.cell, task, opts); err != nil {
		return nil, err
	}
	now, when := d.loop.clock.Now(), d.loop.clock.At(at)
	if err := d.enter(&n.link, planOf(n.cell).First(max(when, now)), now); err != nil {
		return nil, err
	}
	return &n.future, nil
}

// repeat schedules a series of the given sign.
func (d door) repeat(initial, every time.Duration, sign int64, task executor.Task, opts []executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	o, period, err := executor.ResolveSeries(every, sign, task, opts)
	if err != nil {
		return nil, err
	}
	pl := d.loop.newPlan(o)
	pl.Period = period
	n := newScheduled[struct{}](d.loop)
	n.cell.Plan, n.cell.Body = pl.Cells(), task
	now := d.loop.clock.Now()
	if err := d.enter(&n.link, pl.First(clock.Later(now, initial)), now); err != nil {
		return nil, err
	}
	return &n.future, nil
}

func (d door) fixedRate(initial, period time.Duration, task executor.Task, opts []executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return d.repeat(initial, period, series.FixedRate, task, opts)
}

func (d door) fixedDelay(initial, delay time.Duration, task executor.Task, opts []executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return d.repeat(initial, delay, series.FixedDelay, task, opts)
}

// enterNow is the way in for a task to run at once.
func (d door) enterNow(n *link, task executor.Task, opts []executor.TaskOption) error {
	if err := d.loop.prepare(n.cell, task, opts); err != nil {
		return err
	}
	now := d.loop.clock.Now()
	return d.enter(n, now, now)
}

// enterAfter is the way in for a task to run once, later.
func (d door) enterAfter(n *link, delay time.Duration, task executor.Task, opts []executor.TaskOption) error {
	if err := d.loop.prepare(n.cell, task, opts); err != nil {
		return err
	}
	now := d.loop.clock.Now()
	return d.enter(n, planOf(n.cell).First(clock.Later(now, delay)), now)
}

// prepare validates a submission and gives c its body and plan.
func (l *Loop) prepare(c *cell.Cell, task executor.Task, opts []executor.TaskOption) error {
	if task == nil {
		return executor.ErrNilTask
	}
	c.Body = task
	if len(opts) == 0 {
		return nil
	}
	o, err := executor.ResolveOptions(opts)
	if err != nil {
		return err
	}
	c.Plan = l.newPlan(o).Cells()
	return nil
}

// enter is the one way to the loop, for a task due at the given time. From the push on, the task is the
// loop's.
func (d door) enter(n *link, when, now int64) error {
	l := d.loop
	n.cell.When = when
	if entered := d.inside && l.place(n, now) || !d.inside && l.intake.push(n); !entered {
		l.rejected.Add(1)
		return l.runs.ShutDown(planOf(n.cell).Name)
	}
	delay.At(delay.LoopPushed)
	l.signal(when)
	return nil
}

// place puts a task on the agenda, after all that have come before it. It reports false if the loop is shut
// down.
func (l *Loop) place(n *link, now int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage >= draining {
		return false
	}
	l.collect()
	l.enlist(n, now)
	return true
}
