package engine

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
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
// Under the lock, what comes by the door goes the same way as what Apply adds, what a blocked
// submitter has waited for, and what a caller is to run itself:
//
//	mayAcceptLocked  the stage of the pool, and the name of the task
//	roomLocked       what it needs, unless it brings a place of its own
//	acceptedLocked   it is counted, has its name, and is found: the one place where a task becomes
//	                 one of the pool, beside the inbox
//
// If one of them refuses it, refuse counts that.
//
// Unlike the JDK, a pool never hands a new task to the worker that it starts for it. The task goes
// through the queue, and the worker takes the head, so none is overtaken.
//
// All code that brings the head forward, or makes room, ends with notifyLocked. That keeps the rule
// of package parking: if something waits and a worker is idle, one will look at the head when it is
// due.

// way is how a task comes: to run now, or at a time.
type way struct {
	ctx  context.Context // of the submission; nil for none
	wait bool            // for room, until ctx ends, whatever the policy

	timed bool
	delay time.Duration // from when the door has read the clock, unless there is a date
	dated bool          // at is set
	at    int64         // the time on the pool's clock, which may have passed
}

// in returns how long it is until the task is to run first.
func (w way) in(p *Pool) time.Duration {
	if w.dated {
		return time.Duration(w.at - p.clock.Now())
	}
	return w.delay
}

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
		p.mu.Lock()
		defer p.mu.Unlock()
		p.Crew.notifyLocked(unread)
	}
	if !open {
		return d.refusal(nameOf(t.Cell), ErrShutdown)
	}
	return nil
}

// nameOf returns the name of a task; a bare task, whose cell is nil, has none.
func nameOf(c *cell.Cell) string {
	if c == nil {
		return ""
	}
	return planOf(c).Name
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

// enterTimed queues c for the first time, to run at its time, or refuses it. No policy is asked:
// CallerRuns would run the task early, DiscardOldest drop others for one that is not due. It reads
// the clock before it locks, so that waiting for the lock does not delay the task; a time that is
// given may have passed.
func (d *Door) enterTimed(c *cell.Cell, pl *plan, w way) error {
	p := d.pool
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !d.timed.Load() {
		now = d.keepTimesLocked(now)
	}
	when := w.at
	if !w.dated {
		when = clock.Later(now, w.delay)
	}
	if c.When = pl.First(max(when, now)); when < now {
		pl.Belated(now - when)
	}
	if err := d.tryEnqueueLocked(c, now); err != nil {
		return d.refuseLocked(nameOf(c), err)
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

// refuse counts a refused submission, whose error it returns. It is called at the end of each road
// that refuses, once; only the inbox counts for itself.
func (d *Door) refuse(c *cell.Cell, err error) error {
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	return d.refuseLocked(nameOf(c), err)
}

// refuseLocked is refuse for a caller who holds the lock, and knows the name of the task.
func (d *Door) refuseLocked(name string, err error) error {
	d.pool.counts.rejected++
	return d.refusal(name, err)
}

// tryAccept queues c if there is room, and otherwise returns ErrSaturated, not yet counted.
func (d *Door) tryAccept(c *cell.Cell) error {
	p := d.pool
	p.mu.Lock()
	defer p.mu.Unlock() // even if a user's WorkQueue panics
	now := p.now()
	if !p.plain {
		now = d.keepTimesLocked(now)
		c.When = now
	}
	return d.tryEnqueueLocked(c, now)
}

// keepTimesLocked makes all tasks come with a time from here on, because one that has a time is
// about to be queued. Tasks that came without one precede it. If there may be such tasks, its time
// must not be earlier than they came, so the clock is read anew; otherwise the caller's reading is
// returned.
func (d *Door) keepTimesLocked(now int64) int64 {
	if d.timed.Load() {
		return now
	}
	d.timed.Store(true)
	return d.pool.now()
}

// mayAcceptLocked returns why c may not become a task of the pool, whatever room there is, or nil.
func (d *Door) mayAcceptLocked(c *cell.Cell) error {
	switch {
	case d.pool.Life.stage != running:
		return ErrShutdown
	case len(d.names.live.entries) > 0 && !d.names.free(c):
		return ErrDuplicate
	}
	return nil
}

// acceptedLocked makes c a task of the pool: from here on it is counted, and has an end. It is
// called once for each, before anything else can happen to it.
func (d *Door) acceptedLocked(c *cell.Cell, pl *plan) {
	p := d.pool
	p.counts.accepted++
	if c.Order == 0 { // it is not in the queue
		c.Order = p.waiting.order.Add(1)
	}
	if pl.Unique {
		d.names.take(c, pl)
	}
	if pl.Period != 0 {
		p.runs.EnrolLocked(c, &pl.Plan)
	}
	if pl.BeginWithin > 0 {
		p.runs.LimitLocked(c, &pl.Plan)
	}
}

// tryEnqueueLocked is the way into the queue for a single task whose time is set. It returns why
// there is none, or nil.
func (d *Door) tryEnqueueLocked(c *cell.Cell, now int64) error {
	p := d.pool
	if now < 0 { // see isFromOutside
		return invalid(fromOutside)
	}
	if err := d.mayAcceptLocked(c); err != nil {
		return err
	}
	if d.bounded && !d.roomLocked(c, 0) {
		return ErrSaturated
	}
	d.enqueueLocked(c, planOf(c))
	urgent := !p.plain && c.When <= now
	if urgent {
		p.Crew.urgent = max(p.Crew.urgent, c.When)
	}
	// In a heap of times, only a new head changes when to wake up; or a task that must not wait.
	if p.plain || urgent || c.Place <= 1 {
		p.Crew.notifyLocked(now)
	}
	return nil
}

// enqueueLocked accepts c: it queues it or, behind other tasks of a serial executor, holds it back
// until its turn. The count comes last, and the head is set after the push, so that nothing has
// happened if a user's WorkQueue panics.
func (d *Door) enqueueLocked(c *cell.Cell, pl *plan) {
	p := d.pool
	if pl.BeginWithin > 0 {
		pl.SetDue(c.When)
	}
	switch s := pl.strand; {
	case s == nil:
		p.waiting.placeLocked(c, c.When)
	case s.head == nil:
		p.waiting.queueLocked(c)
		s.head = c
	default:
		p.waiting.holdBackLocked(s, c)
	}
	d.acceptedLocked(c, pl)
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

// discard accepts a task, and drops it.
func (d *Door) discard(c *cell.Cell) {
	p := d.pool
	p.mu.Lock()
	d.acceptedLocked(c, planOf(c))
	p.runs.SettlesLocked()
	p.mu.Unlock()
	p.Life.drop(c)
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
	s.Cell.Plan, s.Cell.Body = pl.Cells(), body
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
	s.Cell.Plan, s.Cell.Body = pl.Cells(), body
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
	l := s.Lane
	s.Lane = nil // it is no task of the lane yet
	pl, err := d.prepare(context.Background(), s)
	if err != nil {
		return err
	}
	pl = pl.own(p, nil)
	s.Cell.Plan = pl.Cells()
	pl.expectedBy, pl.expected = &l.strand, true
	p.mu.Lock()
	l.users++
	p.mu.Unlock()
	if err := d.admit(s.Cell, pl, way{timed: true, delay: delay}); err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unexpectLocked(s.Cell)
		return err
	}
	return nil
}

// watchWall begins to watch the wall clock, if nobody does.
func (d *Door) watchWall() {
	p := d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Life.stage == running {
		p.runs.WatchLocked((*Host)(p))
	}
}
