package engine

import (
	"context"
	"sync/atomic"
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

// Door is the one way into a pool: the plans of what comes, the names that are taken, and those who
// wait for room.
//
// The pool's lock guards names and blocked submitters. The plans that are shared do not change.
type Door struct {
	pool      *Pool
	special   bool        // tasks without options have decorators, or defaults
	timed     atomic.Bool // there may be tasks with a time; written with the lock held
	submitted *plan       // shared by the tasks that have a future and no options
	executed  *plan       // shared by the tasks without a future and options
	named     namedPlans  // shared by the tasks of which nothing is known but their names

	blockedSubmitters blockedSubmitters // wait for room
	names             names             // of live tasks that have theirs alone
}

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
func (d *Door) Execute(task Task) error {
	if !d.special && d.pool.waiting.inbox != nil && !d.pool.runs.Watched {
		return d.post(runqueue.Slot{Body: task})
	}
	s := Submission{Cell: new(cell.Cell), Task: task, Reports: true}
	return d.Submit(context.Background(), false, s)
}

// Submit accepts a task to run now. If there is no room it waits until ctx ends, if wait says so, or
// else asks the policy.
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
	body, err := d.decorated(s.Task)
	if err != nil {
		return d.pool.runs.Misuse(s.Options.Name, err)
	}
	pl := d.pool.newPlan(*s.Options)
	pl.Period = period
	if err := d.pool.runs.CheckBounds(&pl.Plan, initial); err != nil {
		return err
	}
	s.Cell.Plan, s.Cell.Body = pl.Cells(), body
	return d.admit(s.Cell, pl, way{timed: true, delay: initial})
}

// On accepts a series on a calendar.
func (d *Door) On(calendar series.Calendar, s Submission) error {
	body, err := d.decorated(s.Task)
	if err != nil {
		return d.pool.runs.Misuse(s.Options.Name, err)
	}
	pl := d.pool.newPlan(*s.Options)
	s.Cell.Plan, s.Cell.Body = pl.Cells(), body
	return d.admitOnWall(s.Cell, pl, func() (int64, error) {
		return d.pool.runs.SetCalendar(&pl.Plan, calendar)
	})
}

// admitOnWall admits c for the first time that plan returns, and has it follow the wall clock.
func (d *Door) admitOnWall(c *cell.Cell, pl *plan, plan func() (when int64, err error)) error {
	d.watchWall()
	return d.pool.runs.EnterOnWall(c, &pl.Plan, plan, func(when int64) error {
		return d.admit(c, pl, way{timed: true, dated: true, at: when})
	})
}

// watchWall begins to watch the wall clock, if nobody does.
func (d *Door) watchWall() {
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	if d.pool.Life.stage == running {
		d.pool.runs.WatchLocked((*Host)(d.pool))
	}
}

// admit is the door: it makes c, which has been prepared, a task of the pool, or says why not.
func (d *Door) admit(c *cell.Cell, pl *plan, w way) error {
	if !d.pool.runs.Observed && pl.Within == nil && !pl.Expected() {
		return d.enter(c, pl, w)
	}
	return d.admitTold(c, pl, w)
}

// admitTold is admit for a task that the tap is told of before it can begin, or that ends with a
// context.
func (d *Door) admitTold(c *cell.Cell, pl *plan, w way) error {
	accept := func() error {
		if err := d.pool.runs.RefuseLate(&pl.Plan, ErrRejected); err != nil {
			return d.refuse(c, err)
		}
		return d.enter(c, pl, w)
	}
	if d.pool.runs.Observed || pl.Expected() {
		refused := func() { _ = d.refuse(c, nil) }
		offered := accept
		accept = func() error { return d.pool.runs.Admit(c, &pl.Plan, w.in(d.pool), offered, refused) }
	}
	if err := accept(); err != nil {
		return err
	}
	d.pool.runs.Follow(c, &pl.Plan)
	return nil
}

// post puts a task into the inbox without the pool's lock, and wakes a worker if none would look
// there by itself.
//
// A bare task of a scheduled pool gets a time only if there is another to compare it with, or
// somebody wants to know it: reading the clock would be most of its cost. Without a time, a task
// precedes every timed task that is submitted after it.
func (d *Door) post(t runqueue.Slot) error {
	e := runqueue.Entry{Slot: t}
	if !d.pool.plain && (e.Cell != nil || d.timed.Load() || d.pool.watched.Load()) {
		e.When = d.pool.clock.Now()
	}
	told, open := d.pool.waiting.inbox.Put(e)
	if told {
		delay.At(delay.TaskPosted)
		d.pool.mu.Lock()
		defer d.pool.mu.Unlock()
		d.pool.Crew.notifyLocked(unread)
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

// enter queues c to run as soon as possible, or at its time. If there is no room for what is to run
// now it waits, or else asks the policy.
func (d *Door) enter(c *cell.Cell, pl *plan, w way) error {
	if w.timed {
		return d.enterTimed(c, pl, w)
	}
	if w.wait && w.ctx != nil && cell.HasEnded(w.ctx) {
		return d.refuse(c, cell.Joined(ErrRejected, cell.EndOf(w.ctx)))
	}
	if d.pool.plain {
		c.When = d.pool.clock.Now() // a scheduled pool reads it later, where the order is decided
	}
	// A task of a serial executor takes the lock, as does one with a name of its own: whether it
	// may be queued depends on others. One that may wait for a limited time needs a timer.
	if d.pool.waiting.inbox != nil && pl.strand == nil && !pl.Unique && pl.BeginWithin == 0 {
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
	now := d.pool.clock.Now()
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	now = d.keepTimesLocked(now)
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

// acceptLocking is accept without the inbox. A policy, a user's WorkQueue, or a task that the
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
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock() // even if a user's WorkQueue panics
	now := d.pool.now()
	if !d.pool.plain {
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
	case !d.names.free(c):
		return ErrDuplicate
	}
	return nil
}

// acceptedLocked makes c a task of the pool: from here on it is counted, and has an end. It is
// called once for each, before anything else can happen to it.
func (d *Door) acceptedLocked(c *cell.Cell, pl *plan) {
	d.pool.counts.accepted++
	if c.Order == 0 { // it is not in the queue
		c.Order = d.pool.waiting.order.Add(1)
	}
	d.names.take(c, pl)
	if pl.Periodic() {
		d.pool.runs.EnrolLocked(c, &pl.Plan)
	}
	if pl.BeginWithin > 0 {
		d.pool.runs.LimitLocked(c, &pl.Plan)
	}
}

// tryEnqueueLocked is the way into the queue for a single task whose time is set. It returns why
// there is none, or nil.
func (d *Door) tryEnqueueLocked(c *cell.Cell, now int64) error {
	if isFromOutside(now) {
		return invalid(fromOutside)
	}
	if err := d.mayAcceptLocked(c); err != nil {
		return err
	}
	if !d.roomLocked(c, 0) {
		return ErrSaturated
	}
	d.enqueueLocked(c)
	urgent := !d.pool.plain && c.When <= now
	if urgent {
		d.pool.Crew.urgent = max(d.pool.Crew.urgent, c.When)
	}
	// In a heap of times, only a new head changes when to wake up; or a task that must not wait.
	if d.pool.plain || urgent || c.Place <= 1 {
		d.pool.Crew.notifyLocked(now)
	}
	return nil
}

// enqueueLocked accepts c: it queues it or, behind other tasks of a serial executor, holds it back
// until its turn. The count comes last, and the head is set after the push, so that nothing has
// happened if a user's WorkQueue panics.
func (d *Door) enqueueLocked(c *cell.Cell) {
	pl := planOf(c)
	if pl.BeginWithin > 0 {
		pl.SetDue(c.When)
	}
	switch s := pl.strand; {
	case s == nil:
		d.pool.waiting.placeLocked(c, c.When)
	case s.head == nil:
		d.pool.waiting.queueLocked(c)
		s.head = c
	default:
		d.pool.waiting.holdBackLocked(s, c)
	}
	d.acceptedLocked(c, pl)
}

// roomLocked reports whether c may wait. There is room if a worker is free to begin it, or may be
// started, after those that the queue needs; or else if the queue is within its capacity. The
// caller may be about to become free itself: free says how many workers to add. Workers above the
// maximum size do not count, as they will take nothing more.
func (d *Door) roomLocked(c *cell.Cell, free int) bool {
	if d.pool.PendingLimit == 0 && d.pool.Crew.capacity() == unbounded {
		return true
	}
	if !d.roomForLocked(1) {
		return false
	}
	if d.pool.Crew.capacity() == unbounded {
		return true
	}
	// Tasks without a worker or, below zero, workers without a task.
	waiting := d.pool.waiting.queue.Len() - d.startsLocked(d.pool.Crew.freeLocked(free))
	outside := d.pool.waiting.heldBack + len(d.pool.waiting.deferred)
	switch s := planOf(c).strand; {
	// It needs no worker yet, so a free one is no room for it.
	case s != nil && d.closedLocked(s):
		return d.pool.Crew.capacity() == 0 || max(waiting, 0)+outside < d.pool.Crew.capacity()
	case d.pool.Crew.capacity() == 0:
		return waiting < 0
	}
	// A free worker may well be free because what it has run waits for another attempt. If it were
	// room in any case, there would be no bound.
	return len(d.pool.waiting.deferred) < d.pool.Crew.capacity() && (waiting < 0 || waiting+outside < d.pool.Crew.capacity())
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
func (d *Door) closedLocked(s *strand) bool {
	if s.head != nil {
		return true
	}
	at := s.openAt(false)
	return at > 0 && at > d.pool.now()
}

// startsLocked returns how many of the free workers may begin a task now. Where nothing may queue,
// under HandOff, a task waits for the pace in the hands of its worker: there is no head of a queue
// that would have the submitters looked at again when the pace allows more.
func (d *Door) startsLocked(free int) int {
	switch {
	case d.pool.Crew.pause.on:
		return 0
	case d.pool.Pace == nil || d.pool.Crew.capacity() == 0 || free == 0:
		return free
	}
	return min(free, d.pool.Pace.left(d.pool.now()))
}

// promisedLocked returns how many starts that the pace has left are for tasks in the queue: those
// beyond its capacity were let in because free workers may begin them.
func (d *Door) promisedLocked() int {
	if d.pool.Pace == nil || d.pool.Crew.capacity() == 0 || d.pool.Crew.capacity() == unbounded {
		return 0
	}
	waiting := d.pool.waiting.queue.Len()
	beyond := waiting + d.outsideLocked() - d.pool.Crew.capacity()
	if beyond <= 0 || waiting == 0 {
		return 0
	}
	return min(beyond, waiting, d.startsLocked(d.pool.Crew.freeLocked(0)))
}

// roomForLocked reports whether n tasks more may wait as far as a PendingLimit is concerned.
func (d *Door) roomForLocked(n int) bool {
	return d.pool.PendingLimit == 0 ||
		d.pool.waiting.queue.Len()+d.pool.waiting.heldBack+len(d.pool.waiting.deferred)+n <= d.pool.PendingLimit
}

// outsideLocked returns how many of the tasks that wait outside the queue take room in it: those
// held back behind another, and those that wait for their time. Where nothing may queue, under
// HandOff, none do: there they wait without bound.
func (d *Door) outsideLocked() int {
	if d.pool.Crew.capacity() == 0 {
		return 0
	}
	return d.pool.waiting.heldBack + len(d.pool.waiting.deferred)
}

// placeLocked queues c, whether new or to repeat, for the time from which on it may begin. Among
// tasks of equal time it is the last.
func (ws *waiting) placeLocked(c *cell.Cell, readyAt int64) {
	if !ws.pool.Door.timed.Load() {
		ws.pool.Door.timed.Store(true)
	}
	c.Order = ws.order.Add(1)
	ws.queue.Push(c, readyAt)
}

// notifyLocked is to be called whenever the queue has changed or a worker may be missing. It lets
// in blocked submitters for whom there is room now. Then it sees to it that somebody looks at the
// head in time: it calls an idle worker, sets the leader's alarm, or starts a worker if all are
// busy and one more is allowed. Pass unread if the clock has not been read, or too long ago.
func (cr *Crew) notifyLocked(now int64) {
	if cr.pool.Life.stage >= stopping {
		return // workers only leave now
	}
	cr.pool.Door.blockedSubmitters.admitLocked(cr.pool, 0)
	if cr.pause.on {
		return
	}
	// Each worker that starts with the head leaves room in the queue for the next submitter.
	for cr.pool.plain && cr.pool.waiting.inbox == nil && cr.pool.Pace == nil && !cr.pool.loans.overdrawnLocked() && cr.startBusyLocked() {
		cr.pool.Door.blockedSubmitters.admitLocked(cr.pool, 0)
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
func (d *Door) forgetTimesLocked(head int64) {
	if head == parking.Nothing && d.pool.counts.busy+d.pool.waiting.heldBack == 0 && !d.pool.Crew.pause.on && d.timed.Load() {
		d.timed.Store(false)
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
