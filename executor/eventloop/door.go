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

// door is the way by which tasks enter a loop: through the intake from outside, or from inside
// straight onto the agenda. Both ways make the same promises.
type door struct {
	loop   *Loop
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
func newSubmitted[V any](l *Loop) *submitted[V] {
	n := new(submitted[V])
	n.cell = (*cell.Core[V])(&n.future).Cell()
	n.cell.Plan = l.submitted.Cells()
	return n
}

func newScheduled[V any](l *Loop) *scheduled[V] {
	n := new(scheduled[V])
	ref := (*cell.Core[V])(&n.own).Ref()
	n.future.Future, n.future.Handle = &n.own, executor.Handle(ref)
	n.cell = ref.Cell()
	n.cell.Plan = l.submitted.Cells()
	return n
}

// execute lets in a task without a future. Its plan sends failures to the error handler, as there
// is no future to ask.
func (d door) execute(
	delay time.Duration, task executor.Task, opts []executor.TaskOption,
) error {
	n := new(executed)
	n.cell = &n.own
	n.own.Plan = d.loop.executed.Cells()
	if err := d.loop.prepare(n.cell, task, opts); err != nil {
		return err
	}
	if pl := planOf(n.cell); pl != d.loop.executed { // the plan is its own
		pl.Reports = true
	}
	now := d.loop.clock.Now()
	return d.enter(&n.link, planOf(n.cell).First(clock.Later(now, delay)), now)
}

func (d door) submit(
	task executor.Task, opts []executor.TaskOption,
) (*future.Future[struct{}], error) {
	n := newSubmitted[struct{}](d.loop)
	if err := d.enterNow(&n.link, task, opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

func (d door) schedule(
	delay time.Duration, task executor.Task, opts []executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	n := newScheduled[struct{}](d.loop)
	if err := d.enterAfter(&n.link, delay, task, opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

func (d door) scheduleAt(
	at time.Time, task executor.Task, opts []executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	n := newScheduled[struct{}](d.loop)
	if err := d.loop.prepare(n.cell, task, opts); err != nil {
		return nil, err
	}
	if pl := planOf(n.cell); pl.WallClock {
		return d.enterOnWall(n, func() (int64, error) { return d.loop.runs.SetTime(pl, at), nil })
	}
	if err := d.enterAt(&n.link, d.loop.runs.OwnTime(planOf(n.cell), at)); err != nil {
		return nil, err
	}
	return &n.future, nil
}

// enterAt lets in a task that is to run at a time of the loop's clock, which may have passed.
func (d door) enterAt(n *link, own int64) error {
	now, pl := d.loop.clock.Now(), planOf(n.cell)
	when := pl.First(max(own, now))
	if own < now {
		pl.Belated(now - own)
	}
	return d.enter(n, when, now)
}

// repeat schedules a series: at a fixed rate or with a fixed delay.
func (d door) repeat(
	initial, every time.Duration, beat run.Beat, task executor.Task, opts []executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	o, period, err := run.ResolveSeries(&d.loop.runs.Settings, every, beat, opts)
	if err = refused(task, &o, err); err != nil {
		return nil, d.loop.misused(opts, err)
	}
	pl := d.loop.newPlan(o)
	pl.Period = period
	if err := d.loop.runs.CheckBounds(pl, initial); err != nil {
		return nil, err
	}
	n := newScheduled[struct{}](d.loop)
	n.cell.Plan, n.cell.Body = pl.Cells(), task
	now := d.loop.clock.Now()
	if err := d.enter(&n.link, pl.First(clock.Later(now, initial)), now); err != nil {
		return nil, err
	}
	return &n.future, nil
}

// onCalendar schedules a series on a calendar.
func (d door) onCalendar(
	calendar executor.Calendar, task executor.Task, opts []executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	o, err := run.ResolveCalendar(&d.loop.runs.Settings, opts)
	if err = refused(task, &o, err); err == nil && calendar == nil {
		err = run.Invalid("nil calendar")
	}
	if err != nil {
		return nil, d.loop.misused(opts, err)
	}
	pl := d.loop.newPlan(o)
	n := newScheduled[struct{}](d.loop)
	n.cell.Plan, n.cell.Body = pl.Cells(), task
	return d.enterOnWall(n, func() (int64, error) { return d.loop.runs.SetCalendar(pl, calendar) })
}

// enterOnWall lets in a task that waits on the wall clock.
func (d door) enterOnWall(
	n *scheduled[struct{}], plan func() (when int64, err error),
) (*executor.ScheduledFuture[struct{}], error) {
	l := d.loop
	l.mu.Lock()
	if l.stage == running {
		l.runs.WatchLocked((*host)(l))
	}
	l.mu.Unlock()
	err := l.runs.EnterOnWall(n.cell, planOf(n.cell), plan, func(when int64) error {
		return d.enterAt(&n.link, when)
	})
	if err != nil {
		return nil, err
	}
	return &n.future, nil
}

// enterNow lets in a task that is to run as soon as possible.
func (d door) enterNow(n *link, task executor.Task, opts []executor.TaskOption) error {
	if err := d.loop.prepare(n.cell, task, opts); err != nil {
		return err
	}
	now := d.loop.clock.Now()
	return d.enter(n, now, now)
}

// enterAfter lets in a task that is to run once, after a delay.
func (d door) enterAfter(
	n *link, delay time.Duration, task executor.Task, opts []executor.TaskOption,
) error {
	if err := d.loop.prepare(n.cell, task, opts); err != nil {
		return err
	}
	now := d.loop.clock.Now()
	return d.enter(n, planOf(n.cell).First(clock.Later(now, delay)), now)
}

// prepare validates a submission and gives c its body and, if there are options, by default or by
// itself, a plan of its own.
func (l *Loop) prepare(c *cell.Cell, task executor.Task, opts []executor.TaskOption) error {
	c.Body = task
	if task != nil && len(opts) == 0 && l.runs.Defaults == nil {
		return nil
	}
	o, err := run.Resolve(&l.runs.Settings, opts)
	if err = refused(task, &o, err); err != nil {
		return l.misused(opts, err)
	}
	c.Plan = l.newPlan(o).Cells()
	return nil
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
func (l *Loop) misused(opts []executor.TaskOption, err error) error {
	return run.Misused(&l.runs.Reporter, opts, err)
}

// enter is the one way into a loop, for a task that is due at when. Once it has pushed the link the
// loop owns the task, which may have run and ended before push returns.
func (d door) enter(n *link, when, now int64) error {
	l, c := d.loop, n.cell
	pl := planOf(c)
	let := func() error {
		if err := l.runs.RefuseLate(pl, executor.ErrRejected); err != nil {
			l.rejected.Add(1)
			return err
		}
		return d.let(n, when, now)
	}
	if !l.runs.Observed && !pl.Expected() {
		return let()
	}
	return l.runs.Admit(c, pl, time.Duration(when-now), let, func() { l.rejected.Add(1) })
}

// let is enter without the checks before.
func (d door) let(n *link, when, now int64) error {
	l, c := d.loop, n.cell
	pl := planOf(c)
	c.When = when
	if pl.BeginWithin > 0 {
		pl.SetDue(when)
	}
	if entered := d.inside && l.place(n, now) || !d.inside && l.intake.push(n); !entered {
		l.rejected.Add(1)
		return l.runs.ShutDown(pl.Name)
	}
	delay.At(delay.LoopPushed)
	l.signal(when)
	if pl.BeginWithin > 0 {
		l.mu.Lock()
		l.runs.LimitLocked(c, pl)
		l.mu.Unlock()
	}
	l.runs.Follow(c, pl)
	return nil
}

// place puts a task on the agenda, behind all that have come before it. It reports false if the
// loop is shut down.
func (l *Loop) place(n *link, now int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage >= draining {
		return false
	}
	// What was pushed before comes first: the order of arrival decides between equal times.
	l.collectLocked()
	l.enqueueLocked(n, now)
	return true
}
