package engine

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/series"
)

// Overview: there is one door, admit. Before it, prepare has given the task its plan. In it,
//
//	admitTold    the tap hears of the task before it can begin, and if it is refused after all
//	enter        to run now: through the inbox, without the pool's lock, if there is no limit; else
//	             under the lock, and if there is no room, the submitter waits or the policy decides
//	enterTimed   for a time of its own: no policy is asked
//
// What they do under the lock is in admission.go.

// SetPolicy changes what becomes of tasks for which there is no room.
func (d *Door) SetPolicy(policy Policy) { d.pool.policy.Store(&policy) }

// admit is the door: it makes c, which has been prepared, a task of the pool, or says why not.
func (d *Door) admit(c *cell.Cell, pl *plan, w way) error {
	switch {
	case d.pool.runs.Observed || pl.told:
		return d.admitTold(c, pl, w)
	case w.timed:
		return d.enterTimed(c, pl, w)
	}
	return d.enter(c, pl, w)
}

// admitTold is admit for a task that the tap is told of before it can begin, or that ends with a
// context.
func (d *Door) admitTold(c *cell.Cell, pl *plan, w way) error {
	p := d.pool
	accept := func() error {
		if err := p.runs.RefuseLate(&pl.Plan, ErrRejected); err != nil {
			return d.refuse(c, err)
		}
		if w.timed {
			return d.enterTimed(c, pl, w)
		}
		return d.enter(c, pl, w)
	}
	if p.runs.Observed || pl.Expected() {
		refused := func() { _ = d.refuse(c, nil) }
		offered := accept
		accept = func() error { return p.runs.Admit(c, &pl.Plan, w.in(p), offered, refused) }
	}
	if err := accept(); err != nil {
		return err
	}
	p.runs.Follow(c, &pl.Plan)
	return nil
}

// post puts a task into the inbox without the pool's lock, and wakes a worker if none would look
// there by itself.
//
// A bare task of a scheduled pool gets a time only if there is another to compare it with, or
// somebody wants to know it: reading the clock would be most of its cost. Without a time, a task
// precedes every timed task that is submitted after it.
func (d *Door) post(t runqueue.Slot) error {
	p := d.pool
	e := runqueue.Entry{Slot: t}
	if !p.plain && (e.Cell != nil || d.timed.Load() || p.watched.Load()) {
		e.When = p.clock.Now()
	}
	told, open := p.waiting.inbox.Put(e)
	if told {
		delay.At(delay.TaskPosted)
		p.Crew.call()
	}
	if !open {
		return d.refusal(nameOf(t.Cell), ErrShutdown)
	}
	return nil
}

// enter queues c to run as soon as possible. If there is no room it waits, or else asks the policy.
func (d *Door) enter(c *cell.Cell, pl *plan, w way) error {
	p := d.pool
	if w.wait && w.ctx != nil && cell.HasEnded(w.ctx) {
		return d.refuse(c, cell.Joined(ErrRejected, cell.EndOf(w.ctx)))
	}
	if p.plain {
		c.When = p.clock.Now() // a scheduled pool reads it later, where the order is decided
	}
	// A task of a serial executor takes the lock, as does one with a name of its own: whether it
	// may be queued depends on others. One that may wait for a limited time needs a timer.
	if p.waiting.inbox != nil && pl.strand == nil && !pl.Unique && pl.BeginWithin == 0 {
		return d.post(runqueue.Slot{Cell: c})
	}
	if w.ctx == nil {
		w.ctx = context.Background()
	}
	if err := d.acceptLocking(w.ctx, w.wait, c); err != nil {
		return d.refuse(c, err)
	}
	return nil
}

// acceptLocking is enter without the inbox. A policy, a user's WorkQueue, or a task that the
// caller runs may panic or end the goroutine. Unless the task has been accepted by then, it is
// refused.
func (d *Door) acceptLocking(ctx context.Context, wait bool, c *cell.Cell) (err error) {
	returned := false
	defer func() {
		if !returned && !d.pool.runs.Accepted(c) {
			_ = d.refuse(c, nil)
		}
	}()
	if err = d.tryAccept(c); err == ErrSaturated {
		if wait {
			err = d.waitForRoom(ctx, c)
		} else {
			err = d.reject(ctx, *d.pool.policy.Load(), c)
		}
	}
	returned = true
	return err
}

// reject lets the policy decide about c. A task of a serial executor is refused at once: most
// policies would run it out of turn, or drop others for it.
func (d *Door) reject(ctx context.Context, policy Policy, c *cell.Cell) error {
	if planOf(c).strand != nil {
		return ErrSaturated
	}
	r := &Rejection{pool: d.pool, cell: c, ctx: ctx}
	err := policy(r)
	if r.decided {
		return nil
	}
	if err == nil {
		d.discard(c)
	}
	return err
}

// Execute accepts a task without options and without a future. The fast road of a tiny task.
func (d *Door) Execute(task Task) error {
	if !d.special && d.pool.waiting.inbox != nil && !d.pool.runs.Watched {
		return d.post(runqueue.Slot{Body: task})
	}
	s := Submission{Cell: new(cell.Cell), Task: task, Reports: true}
	return d.Submit(context.Background(), false, s)
}

// Submit accepts a task to run now. If there is no room it waits until ctx ends, if wait says so,
// or else asks the policy.
func (d *Door) Submit(ctx context.Context, wait bool, s Submission) error {
	pl, err := d.prepare(ctx, s)
	if err != nil {
		return err
	}
	return d.admit(s.Cell, pl, way{ctx: ctx, wait: wait})
}

// Schedule accepts a task to run once, so long from now.
func (d *Door) Schedule(delay time.Duration, s Submission) error {
	if s.Lane != nil {
		return d.scheduleIn(delay, s)
	}
	pl, err := d.prepare(context.Background(), s)
	if err != nil {
		return err
	}
	return d.admit(s.Cell, pl, way{timed: true, delay: delay})
}

// ScheduleAt accepts a task to run once, at a time.
func (d *Door) ScheduleAt(at time.Time, s Submission) error {
	pl, err := d.prepare(context.Background(), s)
	switch {
	case err != nil:
		return err
	case pl.WallClock:
		return d.admitOnWall(s.Cell, pl, func() (int64, error) {
			return d.pool.runs.SetTime(&pl.Plan, at), nil
		})
	}
	return d.admit(s.Cell, pl, way{timed: true, dated: true, at: d.pool.runs.OwnTime(&pl.Plan, at)})
}

// Repeat accepts a series: at a fixed rate, if the period is positive, else with a fixed delay.
func (d *Door) Repeat(initial time.Duration, period int64, s Submission) error {
	p := d.pool
	body, err := d.decorated(s.Task)
	if err != nil {
		return p.runs.Misuse(s.Options.Name, err)
	}
	pl := p.newPlan(*s.Options)
	pl.Period = period
	if err := p.runs.CheckBounds(&pl.Plan, initial); err != nil {
		return err
	}
	s.Cell.Plan, s.Cell.Body = &pl.Plan.Plan, body
	return d.admit(s.Cell, pl, way{timed: true, delay: initial})
}

// On accepts a series on a calendar.
func (d *Door) On(calendar series.Calendar, s Submission) error {
	p := d.pool
	body, err := d.decorated(s.Task)
	if err != nil {
		return p.runs.Misuse(s.Options.Name, err)
	}
	pl := p.newPlan(*s.Options)
	s.Cell.Plan, s.Cell.Body = &pl.Plan.Plan, body
	return d.admitOnWall(s.Cell, pl, func() (int64, error) {
		return p.runs.SetCalendar(&pl.Plan, calendar)
	})
}

// admitOnWall admits c for the first time that plan returns, and has it follow the wall clock.
func (d *Door) admitOnWall(c *cell.Cell, pl *plan, plan func() (when int64, err error)) error {
	d.watchWall()
	return d.pool.runs.EnterOnWall(c, &pl.Plan, plan, func(when int64) error {
		return d.admit(c, pl, way{timed: true, dated: true, at: when})
	})
}

// scheduleIn schedules a task for a lane.
func (d *Door) scheduleIn(delay time.Duration, s Submission) error {
	p := d.pool
	if p.plain {
		return invalid("tasks for later need a scheduled pool")
	}
	later := s
	later.Lane = nil // it is no task of the lane yet
	pl, err := d.prepare(context.Background(), later)
	if err != nil {
		return err
	}
	pl = pl.own(p, nil)
	s.Cell.Plan = pl.Cells()
	pl.expectedBy, pl.expected = &s.Lane.strand, true
	return d.admit(s.Cell, pl, way{timed: true, delay: delay})
}

// decorated returns the task with its decorators, which is what the pool runs.
func (d *Door) decorated(task Task) (Task, error) {
	for _, decorate := range d.pool.Decorate {
		if task != nil {
			task = decorate(task)
		}
	}
	if task == nil {
		return nil, ErrNilTask
	}
	return task, nil
}
