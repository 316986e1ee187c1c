package engine

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/parking"
	"github.com/punctual-go/punctual/internal/series"
)

// Overview: there is one door, admit. Before it, prepare has given the task its plan. In it,
//
//	begun        expectations, observers and recordings know of the task before it can begin
//	enter        to run now: through the inbox, without the pool's lock, if there is no limit; else
//	             as what comes for a time, or, without room, by waitForRoom or the policy
//	enterTimed   for a time of its own: no policy is asked
//	tryEnqueueLocked, and what Apply, a blocked submitter and a caller that runs the task do:
//	mayAcceptLocked  the stage of the pool, and the name of the task
//	roomLocked       what it needs, unless it brings a place of its own
//	acceptedLocked   it is counted, has its name, and is found: the one place where a task becomes
//	                 one of the pool, beside the inbox
//
// and if one of them refuses it, refuse counts that, beside the inbox.
//
// Unlike the JDK, a pool never hands a new task to the worker that it starts for it. The task goes
// through the queue, and the worker takes the head, so nobody is overtaken.
//
// Whoever brings the head forward, or makes room, ends with notifyLocked. That keeps the rule of
// package parking: if something waits and a worker is idle, somebody will look at the head when it
// is due.

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

// Execute accepts a task without options and without a future. The fast road of a tiny task.
func (p *Pool) Execute(task Task) error {
	if !p.special && p.waiting.inbox != nil && !p.runs.Watched {
		return p.post(runqueue.Slot{Body: task})
	}
	s := Submission{Cell: new(cell.Cell), Task: task, Reports: true}
	return p.Submit(context.Background(), false, s)
}

// Submit accepts a task to run now. If there is no room it waits until ctx ends, if wait says so, or
// else asks the policy.
func (p *Pool) Submit(ctx context.Context, wait bool, s Submission) error {
	pl, err := p.prepare(ctx, s)
	if err != nil {
		return err
	}
	return p.admit(s.Cell, pl, way{ctx: ctx, wait: wait})
}

// Schedule accepts a task to run once, so long from now.
func (p *Pool) Schedule(delay time.Duration, s Submission) error {
	if s.Lane != nil {
		return p.scheduleIn(delay, s)
	}
	pl, err := p.prepare(context.Background(), s)
	if err != nil {
		return err
	}
	return p.admit(s.Cell, pl, way{timed: true, delay: delay})
}

// ScheduleAt accepts a task to run once, at a time.
func (p *Pool) ScheduleAt(at time.Time, s Submission) error {
	pl, err := p.prepare(context.Background(), s)
	switch {
	case err != nil:
		return err
	case pl.WallClock:
		return p.admitOnWall(s.Cell, pl, func() (int64, error) {
			return p.runs.SetTime(&pl.Plan, at), nil
		})
	}
	return p.admit(s.Cell, pl, way{timed: true, dated: true, at: p.runs.OwnTime(&pl.Plan, at)})
}

// Repeat accepts a series: at a fixed rate, if the period is positive, else with a fixed delay.
func (p *Pool) Repeat(initial time.Duration, period int64, s Submission) error {
	body, err := p.decorated(s.Task)
	if err != nil {
		return p.runs.Misuse(s.Options.Name, err)
	}
	pl := p.newPlan(*s.Options)
	pl.Period = period
	if err := p.runs.CheckBounds(&pl.Plan, initial); err != nil {
		return err
	}
	s.Cell.Plan, s.Cell.Body = pl.Cells(), body
	return p.admit(s.Cell, pl, way{timed: true, delay: initial})
}

// On accepts a series on a calendar.
func (p *Pool) On(calendar series.Calendar, s Submission) error {
	body, err := p.decorated(s.Task)
	if err != nil {
		return p.runs.Misuse(s.Options.Name, err)
	}
	pl := p.newPlan(*s.Options)
	s.Cell.Plan, s.Cell.Body = pl.Cells(), body
	return p.admitOnWall(s.Cell, pl, func() (int64, error) {
		return p.runs.SetCalendar(&pl.Plan, calendar)
	})
}

// admitOnWall admits c for the first time that plan returns, and has it follow the wall clock.
func (p *Pool) admitOnWall(c *cell.Cell, pl *plan, plan func() (when int64, err error)) error {
	p.watchWall()
	return p.runs.EnterOnWall(c, &pl.Plan, plan, func(when int64) error {
		return p.admit(c, pl, way{timed: true, dated: true, at: when})
	})
}

// watchWall begins to watch the wall clock, if nobody does.
func (p *Pool) watchWall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life.stage == running {
		p.runs.WatchLocked((*Host)(p))
	}
}

// admit is the door: it makes c, which has been prepared, a task of the pool, or says why not.
func (p *Pool) admit(c *cell.Cell, pl *plan, w way) error {
	if !p.runs.Observed && pl.Within == nil && !pl.Expected() {
		return p.enter(c, pl, w)
	}
	return p.admitTold(c, pl, w)
}

// admitTold is admit for a task that the tap is told of before it can begin, or that ends with a
// context.
func (p *Pool) admitTold(c *cell.Cell, pl *plan, w way) error {
	accept := func() error {
		if err := p.runs.RefuseLate(&pl.Plan, ErrRejected); err != nil {
			return p.refuse(c, err)
		}
		return p.enter(c, pl, w)
	}
	if p.runs.Observed || pl.Expected() {
		refused := func() { _ = p.refuse(c, nil) }
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
func (p *Pool) post(t runqueue.Slot) error {
	e := runqueue.Entry{Slot: t}
	if !p.plain && (e.Cell != nil || p.timed.Load() || p.watched.Load()) {
		e.When = p.clock.Now()
	}
	told, open := p.waiting.inbox.Put(e)
	if told {
		delay.At(delay.TaskPosted)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.crew.notifyLocked(unread)
	}
	if !open {
		return p.refusal(nameOf(t.Cell), ErrShutdown)
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

// enter queues c to run as soon as possible, or at its time. If there is no room for what is to run
// now it waits, or else asks the policy.
func (p *Pool) enter(c *cell.Cell, pl *plan, w way) error {
	if w.timed {
		return p.enterTimed(c, pl, w)
	}
	if w.wait && w.ctx != nil && cell.HasEnded(w.ctx) {
		return p.refuse(c, cell.Joined(ErrRejected, cell.EndOf(w.ctx)))
	}
	if p.plain {
		c.When = p.clock.Now() // a scheduled pool reads it later, where the order is decided
	}
	// A task of a serial executor takes the lock, as does one with a name of its own: whether it
	// may be queued depends on others. One that may wait for a limited time needs a timer.
	if p.waiting.inbox != nil && pl.strand == nil && !pl.Unique && pl.BeginWithin == 0 {
		return p.post(runqueue.Slot{Cell: c})
	}
	if w.ctx == nil {
		w.ctx = context.Background()
	}
	if err := p.acceptLocking(w.ctx, w.wait, c); err != nil {
		return p.refuse(c, err)
	}
	return nil
}

// enterTimed queues c for the first time, to run at its time, or refuses it. No policy is asked:
// CallerRuns would run the task early, DiscardOldest drop others for one that is not due. It reads
// the clock before it locks, so that waiting for the lock does not delay the task; a time that is
// given may have passed.
func (p *Pool) enterTimed(c *cell.Cell, pl *plan, w way) error {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	now = p.keepTimesLocked(now)
	when := w.at
	if !w.dated {
		when = clock.Later(now, w.delay)
	}
	if c.When = pl.First(max(when, now)); when < now {
		pl.Belated(now - when)
	}
	if err := p.tryEnqueueLocked(c, now); err != nil {
		return p.refuseLocked(nameOf(c), err)
	}
	return nil
}

// acceptLocking is accept without the inbox. A policy, a user's WorkQueue, or a task that the
// caller runs may panic or end the goroutine. Unless the task has been accepted by then, it is
// refused.
func (p *Pool) acceptLocking(ctx context.Context, wait bool, c *cell.Cell) (err error) {
	returned := false
	defer func() {
		if !returned && !p.runs.Accepted(c) {
			_ = p.refuse(c, nil)
		}
	}()
	if err = p.tryAccept(c); err == ErrSaturated {
		if wait {
			err = p.waitForRoom(ctx, c)
		} else {
			err = p.reject(ctx, *p.policy.Load(), c)
		}
	}
	returned = true
	return err
}

// refuse counts a refused submission, whose error it returns. It is called at the end of each road
// that refuses, once; only the inbox counts for itself.
func (p *Pool) refuse(c *cell.Cell, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refuseLocked(nameOf(c), err)
}

// refuseLocked is refuse for a caller who holds the lock, and knows the name of the task.
func (p *Pool) refuseLocked(name string, err error) error {
	p.counts.rejected++
	return p.refusal(name, err)
}

// tryAccept queues c if there is room, and otherwise returns ErrSaturated, not yet counted.
func (p *Pool) tryAccept(c *cell.Cell) error {
	p.mu.Lock()
	defer p.mu.Unlock() // even if a user's WorkQueue panics
	now := p.now()
	if !p.plain {
		now = p.keepTimesLocked(now)
		c.When = now
	}
	return p.tryEnqueueLocked(c, now)
}

// keepTimesLocked makes all tasks come with a time from here on, because one that has a time is
// about to be queued. Tasks that came without one precede it. If there may be such tasks, its time
// must not be earlier than they came, so the clock is read anew; otherwise the caller's reading is
// returned.
func (p *Pool) keepTimesLocked(now int64) int64 {
	if p.timed.Load() {
		return now
	}
	p.timed.Store(true)
	return p.now()
}

// mayAcceptLocked returns why c may not become a task of the pool, whatever room there is, or nil.
func (p *Pool) mayAcceptLocked(c *cell.Cell) error {
	switch {
	case p.life.stage != running:
		return ErrShutdown
	case !p.names.free(c):
		return ErrDuplicate
	}
	return nil
}

// acceptedLocked makes c a task of the pool: from here on it is counted, and has an end. It is
// called once for each, before anything else can happen to it.
func (p *Pool) acceptedLocked(c *cell.Cell, pl *plan) {
	p.counts.accepted++
	if c.Order == 0 { // it is not in the queue
		c.Order = p.waiting.order.Add(1)
	}
	p.names.take(c, pl)
	if pl.Periodic() {
		p.runs.EnrolLocked(c, &pl.Plan)
	}
	if pl.BeginWithin > 0 {
		p.runs.LimitLocked(c, &pl.Plan)
	}
}

// tryEnqueueLocked is the way into the queue for a single task whose time is set. It returns why
// there is none, or nil.
func (p *Pool) tryEnqueueLocked(c *cell.Cell, now int64) error {
	if isFromOutside(now) {
		return invalid(fromOutside)
	}
	if err := p.mayAcceptLocked(c); err != nil {
		return err
	}
	if !p.roomLocked(c, 0) {
		return ErrSaturated
	}
	p.enqueueLocked(c)
	urgent := !p.plain && c.When <= now
	if urgent {
		p.crew.urgent = max(p.crew.urgent, c.When)
	}
	// In a heap of times, only a new head changes when to wake up; or a task that must not wait.
	if p.plain || urgent || c.Place <= 1 {
		p.crew.notifyLocked(now)
	}
	return nil
}

// enqueueLocked accepts c: it queues it or, behind other tasks of a serial executor, holds it back
// until its turn. The count comes last, and the head is set after the push, so that nothing has
// happened if a user's WorkQueue panics.
func (p *Pool) enqueueLocked(c *cell.Cell) {
	pl := planOf(c)
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
	p.acceptedLocked(c, pl)
}

// roomLocked reports whether c may wait. There is room if a worker is free to begin it, or may be
// started, after those that the queue needs; or else if the queue is within its capacity. The
// caller may be about to become free itself: free says how many workers to add. Workers above the
// maximum size do not count, as they will take nothing more.
func (p *Pool) roomLocked(c *cell.Cell, free int) bool {
	if p.PendingLimit == 0 && p.crew.capacity() == unbounded {
		return true
	}
	if !p.roomForLocked(1) {
		return false
	}
	if p.crew.capacity() == unbounded {
		return true
	}
	// Tasks without a worker or, below zero, workers without a task.
	waiting := p.waiting.queue.Len() - p.startsLocked(p.crew.freeLocked(free))
	outside := p.waiting.heldBack + len(p.waiting.deferred)
	switch s := planOf(c).strand; {
	// It needs no worker yet, so a free one is no room for it.
	case s != nil && p.closedLocked(s):
		return p.crew.capacity() == 0 || max(waiting, 0)+outside < p.crew.capacity()
	case p.crew.capacity() == 0:
		return waiting < 0
	}
	// A free worker may well be free because what it has run waits for another attempt. If it were
	// room in any case, there would be no bound.
	return len(p.waiting.deferred) < p.crew.capacity() && (waiting < 0 || waiting+outside < p.crew.capacity())
}

// freeLocked returns how many workers are free, on their way, or may be started, with so many more
// that are about to become free.
func (cr *Crew) freeLocked(more int) int {
	occupied := len(cr.workers) - cr.lot.Idle() - cr.lot.Coming() - more
	// Helpers occupy the places of workers, but a caller who runs a task by itself brings its own.
	if cr.pool.loans.waits.helping > 0 {
		occupied = max(occupied, cr.pool.loans.activeLocked()-cr.pool.loans.waits.callers)
	}
	return max(cr.maximumSizeLocked()-occupied, 0)
}

// closedLocked reports whether another task of s could not begin now, even on a free worker: the
// lane has a head already, or its gap or pace holds the next one up.
func (p *Pool) closedLocked(s *strand) bool {
	if s.head != nil {
		return true
	}
	at := s.openAt(false)
	return at > 0 && at > p.now()
}

// startsLocked returns how many of the free workers may begin a task now. Where nothing may queue,
// under HandOff, a task waits for the pace in the hands of its worker: there is no head of a queue
// that would have the submitters looked at again when the pace allows more.
func (p *Pool) startsLocked(free int) int {
	switch {
	case p.crew.pause.on:
		return 0
	case p.Pace == nil || p.crew.capacity() == 0 || free == 0:
		return free
	}
	return min(free, p.Pace.left(p.now()))
}

// promisedLocked returns how many starts that the pace has left are for tasks in the queue: those
// beyond its capacity were let in because free workers may begin them.
func (p *Pool) promisedLocked() int {
	if p.Pace == nil || p.crew.capacity() == 0 || p.crew.capacity() == unbounded {
		return 0
	}
	waiting := p.waiting.queue.Len()
	beyond := waiting + p.outsideLocked() - p.crew.capacity()
	if beyond <= 0 || waiting == 0 {
		return 0
	}
	return min(beyond, waiting, p.startsLocked(p.crew.freeLocked(0)))
}

// roomForLocked reports whether n tasks more may wait as far as a PendingLimit is concerned.
func (p *Pool) roomForLocked(n int) bool {
	return p.PendingLimit == 0 ||
		p.waiting.queue.Len()+p.waiting.heldBack+len(p.waiting.deferred)+n <= p.PendingLimit
}

// outsideLocked returns how many of the tasks that wait outside the queue take room in it: those
// held back behind another, and those that wait for their time. Where nothing may queue, under
// HandOff, none do: there they wait without bound.
func (p *Pool) outsideLocked() int {
	if p.crew.capacity() == 0 {
		return 0
	}
	return p.waiting.heldBack + len(p.waiting.deferred)
}

// placeLocked queues c, whether new or to repeat, for the time from which on it may begin. Among
// tasks of equal time it is the last.
func (ws *waiting) placeLocked(c *cell.Cell, readyAt int64) {
	if !ws.pool.timed.Load() {
		ws.pool.timed.Store(true)
	}
	c.Order = ws.order.Add(1)
	ws.queue.Push(c, readyAt)
}

// notifyLocked is to be called whenever the queue has changed or a worker may be missing. It lets
// in blocked submitters for whom there is room now. Then it sees to it that somebody looks at the
// head in time: it calls an idle worker, sets the leader's alarm, or starts a worker if all are
// busy and one more is allowed. Pass unread if the clock has not been read, or too long ago.
func (cr *Crew) notifyLocked(now int64) {
	if cr.pool.life.stage >= stopping {
		return // workers only leave now
	}
	cr.pool.blockedSubmitters.admitLocked(cr.pool, 0)
	if cr.pause.on {
		return
	}
	// Each worker that starts with the head leaves room in the queue for the next submitter.
	for cr.pool.plain && cr.pool.waiting.inbox == nil && cr.pool.Pace == nil && !cr.pool.loans.overdrawnLocked() && cr.startBusyLocked() {
		cr.pool.blockedSubmitters.admitLocked(cr.pool, 0)
	}
	mayGrow := len(cr.workers) < cr.limitLocked()
	if !mayGrow && cr.lot.Idle() == 0 {
		if !cr.pool.runs.Watching() {
			cr.busyLocked()
		}
		return // all are busy, and each looks again after its task
	}
	head, due, _ := cr.pool.headLocked()
	switch {
	case due:
		now = max(now, head)
	case now < head:
		now = cr.pool.now() // an old reading would set the alarm too late
	}
	if !due && !cr.urgentLocked(head, now) {
		head = cr.lookAtLocked(head)
	}
	if head <= now && cr.pool.loans.overdrawnLocked() {
		if !cr.pool.runs.Watching() {
			cr.busyLocked()
		}
		return // a worker would take nothing; freedLocked notifies once a place is free
	}
	if cr.lot.Notify(head, now, mayGrow) {
		cr.startWorkerLocked()
	}
}

// urgentLocked reports whether a head that is due is to be taken now, whatever the slack: a task
// that was submitted to run now waits for nobody's slack, nor does what comes before it. Most such
// tasks stand in the line; those of serial executors, and of pools without an inbox, do not.
func (cr *Crew) urgentLocked(head, now int64) bool {
	switch {
	case cr.slack == 0, head > now, head == parking.Nothing:
		return false
	case head <= cr.urgent:
		return true
	}
	line, _ := cr.pool.waiting.queue.Extent()
	return line > 0
}

// forgetTimesLocked notes that no task goes by its time any more, so that bare tasks need none
// again. That is certain only if the queue is empty, and not only closed by a pause, and no run can
// still repeat, nor a strand advance.
func (p *Pool) forgetTimesLocked(head int64) {
	if head == parking.Nothing && p.counts.busy+p.waiting.heldBack == 0 && !p.crew.pause.on && p.timed.Load() {
		p.timed.Store(false)
	}
}

// waitingLocked returns how many tasks are in the queue or in the batch.
func (ws *waiting) waitingLocked() int { return ws.batch.Left() + ws.queue.Len() }

// unread stands for a time that nobody has read from the clock.
const unread = runqueue.Unread

// now is the time that decides what is due. In a plain pool everything is, so it does without the
// clock.
func (p *Pool) now() int64 {
	if p.plain {
		return 0
	}
	return p.clock.Now()
}
