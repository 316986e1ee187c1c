package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/series"
)

// entry is a way through the door of a loop: from outside by the intake, or from inside straight
// onto the agenda. Both make the same promises.
type entry struct {
	*door
	inside bool
}

// executed is a task without a future.
type executed struct {
	link
	own cell.Cell
}

// submitted is a task for now, with its future.
type submitted[V any] struct {
	link
	future future.Future[V]
}

// scheduled is a task for later, or a periodic one, with its future.
type scheduled[V any] struct {
	link
	future executor.ScheduledFuture[V] // wraps own
	own    future.Future[V]
}

// newSubmitted returns the link of a task and its future in one allocation. All tasks without
// options share one plan.
func newSubmitted[V any](d *door) *submitted[V] {
	n := new(submitted[V])
	n.cell = (*cell.Core[V])(&n.future).Cell()
	n.cell.Plan = d.submitted.Cells()
	return n
}

func newScheduled[V any](d *door) *scheduled[V] {
	n := new(scheduled[V])
	ref := (*cell.Core[V])(&n.own).Ref()
	n.future.Future, n.future.Handle = &n.own, executor.Handle(ref)
	n.cell = ref.Cell()
	n.cell.Plan = d.submitted.Cells()
	return n
}

// execute lets in a task without a future. Its plan sends failures to the error handler, as there
// is no future to ask.
func (e entry) execute(
	delay time.Duration, task executor.Task, opts []executor.TaskOption,
) error {
	n := new(executed)
	n.cell = &n.own
	n.own.Plan = e.executed.Cells()
	if err := e.prepare(n.cell, task, opts); err != nil {
		return err
	}
	if pl := planOf(n.cell); pl != e.executed { // the plan is its own
		pl.Reports = true
	}
	now := e.loop.clock.Now()
	return e.enter(&n.link, planOf(n.cell).First(clock.Later(now, delay)), now)
}

func (e entry) submit(
	task executor.Task, opts []executor.TaskOption,
) (*future.Future[struct{}], error) {
	n := newSubmitted[struct{}](e.door)
	if err := e.enterNow(&n.link, task, opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

func (e entry) schedule(
	delay time.Duration, task executor.Task, opts []executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	n := newScheduled[struct{}](e.door)
	if err := e.enterAfter(&n.link, delay, task, opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

func (e entry) scheduleAt(
	at time.Time, task executor.Task, opts []executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	n := newScheduled[struct{}](e.door)
	if err := e.prepare(n.cell, task, opts); err != nil {
		return nil, err
	}
	if pl := planOf(n.cell); pl.WallClock {
		return e.enterOnWall(n, func() (int64, error) { return e.loop.runs.SetTime(pl, at), nil })
	}
	if err := e.enterAt(&n.link, e.loop.runs.OwnTime(planOf(n.cell), at)); err != nil {
		return nil, err
	}
	return &n.future, nil
}

// enterAt lets in a task that is to run at a time of the loop's clock, which may have passed.
func (e entry) enterAt(n *link, own int64) error {
	now, pl := e.loop.clock.Now(), planOf(n.cell)
	when := pl.First(max(own, now))
	if own < now {
		pl.Belated(now - own)
	}
	return e.enter(n, when, now)
}

// repeat schedules a series: at a fixed rate or with a fixed delay.
func (e entry) repeat(
	initial, every time.Duration, beat run.Beat, task executor.Task, opts []executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	o, period, err := run.ResolveSeries(&e.loop.runs.Settings, every, beat, opts)
	if err = refused(task, &o, err); err != nil {
		return nil, e.misused(opts, err)
	}
	pl := e.newPlan(o)
	pl.Period = period
	if err := e.loop.runs.CheckBounds(pl, initial); err != nil {
		return nil, err
	}
	n := newScheduled[struct{}](e.door)
	n.cell.Plan, n.cell.Body = pl.Cells(), task
	now := e.loop.clock.Now()
	if err := e.enter(&n.link, pl.First(clock.Later(now, initial)), now); err != nil {
		return nil, err
	}
	return &n.future, nil
}

// onCalendar schedules a series on a calendar.
func (e entry) onCalendar(
	calendar executor.Calendar, task executor.Task, opts []executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	o, err := run.ResolveCalendar(&e.loop.runs.Settings, opts)
	if err = refused(task, &o, err); err == nil && calendar == nil {
		err = run.Invalid("nil calendar")
	}
	if err != nil {
		return nil, e.misused(opts, err)
	}
	pl := e.newPlan(o)
	n := newScheduled[struct{}](e.door)
	n.cell.Plan, n.cell.Body = pl.Cells(), task
	return e.enterOnWall(n, func() (int64, error) { return e.loop.runs.SetCalendar(pl, calendar) })
}

// enterOnWall lets in a task that waits on the wall clock.
func (e entry) enterOnWall(
	n *scheduled[struct{}], plan func() (when int64, err error),
) (*executor.ScheduledFuture[struct{}], error) {
	l := e.loop
	l.mu.Lock()
	if l.life.stage == running {
		l.runs.WatchLocked()
	}
	l.mu.Unlock()
	err := l.runs.EnterOnWall(n.cell, planOf(n.cell), plan, func(when int64) error {
		return e.enterAt(&n.link, when)
	})
	if err != nil {
		return nil, err
	}
	return &n.future, nil
}

// enterNow lets in a task that is to run as soon as possible.
func (e entry) enterNow(n *link, task executor.Task, opts []executor.TaskOption) error {
	if err := e.prepare(n.cell, task, opts); err != nil {
		return err
	}
	now := e.loop.clock.Now()
	return e.enter(n, now, now)
}

// enterAfter lets in a task that is to run once, after a delay.
func (e entry) enterAfter(
	n *link, delay time.Duration, task executor.Task, opts []executor.TaskOption,
) error {
	if err := e.prepare(n.cell, task, opts); err != nil {
		return err
	}
	now := e.loop.clock.Now()
	return e.enter(n, planOf(n.cell).First(clock.Later(now, delay)), now)
}

// prepare validates a submission and gives c its body and, if there are options, by default or by
// itself, a plan of its own.
func (d *door) prepare(c *cell.Cell, task executor.Task, opts []executor.TaskOption) error {
	c.Body = task
	if task != nil && len(opts) == 0 && d.loop.runs.Defaults == nil {
		return nil
	}
	o, err := run.Resolve(&d.loop.runs.Settings, opts)
	if err = refused(task, &o, err); err != nil {
		return d.misused(opts, err)
	}
	c.Plan = d.newPlan(o).Cells()
	return nil
}

func (d *door) newPlan(o series.Options) *run.Plan {
	pl := new(run.Plan)
	d.loop.runs.Init(pl, o, pl)
	return pl
}

// refused returns an error if the task is nil, or its options have one, or it is to be unique: a
// loop does not find tasks by name.
func refused(task executor.Task, o *series.Options, err error) error {
	switch {
	case task == nil:
		return executor.ErrNilTask
	case err == nil && o.Unique:
		return run.Invalid("an event loop knows no unique tasks")
	}
	return err
}

// misused adds the names of loop and task to the error of a submission with a bad argument.
func (d *door) misused(opts []executor.TaskOption, err error) error {
	return run.Misused(&d.loop.runs.Reporter, opts, err)
}

// enter is the one way into a loop, for a task that is due at when. Once it has pushed the link the
// loop owns the task, which may have run and ended before push returns.
func (e entry) enter(n *link, when, now int64) error {
	l, c := e.loop, n.cell
	pl := planOf(c)
	let := func() error {
		if err := l.runs.RefuseLate(pl, executor.ErrRejected); err != nil {
			e.rejected.Add(1)
			return err
		}
		return e.let(n, when, now)
	}
	if !l.runs.Observed && !pl.Expected() {
		return let()
	}
	return l.runs.Admit(c, pl, time.Duration(when-now), let, func() { e.rejected.Add(1) })
}

// let is enter without the checks before.
func (e entry) let(n *link, when, now int64) error {
	l, c := e.loop, n.cell
	pl := planOf(c)
	c.When = when
	if pl.BeginWithin > 0 {
		pl.SetDue(when)
	}
	ws := &l.waiting
	if entered := e.inside && ws.place(n, now) || !e.inside && ws.intake.push(n); !entered {
		e.rejected.Add(1)
		return l.runs.ShutDown(pl.Name)
	}
	delay.At(delay.LoopPushed)
	l.rest.signal(when)
	if pl.BeginWithin > 0 {
		l.mu.Lock()
		l.runs.LimitLocked(c, pl)
		l.mu.Unlock()
	}
	l.runs.Follow(c, pl)
	return nil
}
