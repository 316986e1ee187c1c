package engine

import (
	"container/list"
	"context"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
)

// Overview: all that comes into a pool under its lock goes the same way, whether it comes by the
// door, is added by Apply, has waited for room with its submitter, or is to be run by its caller:
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

// tryAccept queues c if there is room, and otherwise returns ErrSaturated, not yet counted.
func (d *Door) tryAccept(c *cell.Cell) error {
	p := d.pool
	p.mu.Lock()
	defer p.mu.Unlock() // even if a user's WorkQueue panics
	now := p.now()
	if !p.plain {
		if !d.timed.Load() {
			now = d.beginTimesLocked()
		}
		c.When = now
	}
	return d.tryEnqueueLocked(c, planOf(c), now)
}

// enterTimed queues c for the first time, to run at its time, or refuses it. No policy is asked:
// CallerRuns would run the task early, DiscardOldest drop others for one that is not due. It reads
// the clock before it locks, so that waiting for the lock does not delay the task; a time that is
// given may have passed.
func (d *Door) enterTimed(c *cell.Cell, pl *plan, w way) error {
	p := d.pool
	// A shard may have what waits for its time alone.
	alone := pl.Period == 0 && !pl.Unique && pl.strand == nil && !pl.expected && pl.Simple()
	if shards := p.waiting.shards; shards != nil && alone {
		if posted, tell := shards.Put(c, w.at, w.delay); posted {
			if tell {
				delay.At(delay.TaskPosted)
				p.Crew.call()
			}
			return nil
		}
	}
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !d.timed.Load() {
		now = d.beginTimesLocked()
	}
	when := w.at
	if !w.dated {
		when = clock.Later(now, w.delay)
	}
	if c.When = pl.First(max(when, now)); when < now {
		pl.Belated(now - when)
	}
	if err := d.tryEnqueueLocked(c, pl, now); err != nil {
		return d.refuseLocked(nameOf(c), err)
	}
	return nil
}

// blockSubmitter queues c if there is room, and otherwise adds a blocked submitter for it. Both are
// one step under the lock, so that no room is missed in between.
func (d *Door) blockSubmitter(c *cell.Cell) (*blockedSubmitter, *list.Element, error) {
	p := d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	pl := planOf(c)
	if err := d.tryEnqueueLocked(c, pl, p.now()); err != ErrSaturated {
		return nil, nil, err
	}
	if pl.Unique {
		d.names.take(c, pl) // while it waits, no other may have it
	}
	e := &blockedSubmitter{cell: c, decided: make(chan struct{})}
	return e, d.blockedSubmitters.list.PushBack(e), nil
}

// withdraw takes e out of those that wait, and reports whether it was still one of them. The lock
// decides between the end of a context and an admission at the same moment.
func (d *Door) withdraw(e *blockedSubmitter, place *list.Element) bool {
	p := d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-e.decided:
		return false
	default:
	}
	d.blockedSubmitters.list.Remove(place)
	d.leaveLocked(e.cell, planOf(e.cell))
	p.Crew.notifyLocked(unread) // there may be room for those behind
	return true
}

// exchange queues c, if need be in the room of another task. It passes that out through oldest, not
// as a result, so that the caller can drop it even if the user's WorkQueue panics half-way.
func (d *Door) exchange(c *cell.Cell, oldest **cell.Cell) error {
	p := d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	pl := planOf(c)
	err := d.tryEnqueueLocked(c, pl, p.now())
	if err != ErrSaturated || !p.plain || p.waiting.queue.Len() == 0 {
		return err
	}
	// Never bare: only a queue with a limit rejects, and that holds cells.
	*oldest = p.waiting.queue.Pop(unread).Cell
	p.runs.SettlesLocked()
	if s := planOf(*oldest).strand; s != nil {
		p.advanceLocked(s)
	}
	defer p.Crew.notifyLocked(unread) // even if the user's WorkQueue panics: there is room then
	d.enqueueLocked(c, pl)
	return nil
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

// begin accepts c and starts it on the calling goroutine. If c may not begin yet, it returns how
// long to wait for that.
func (ls *loans) begin(c *cell.Cell) (g *extraRun, wait time.Duration, err error) {
	p := ls.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	pl := planOf(c)
	if err := p.Door.mayAcceptLocked(c, pl); err != nil {
		return nil, 0, err
	}
	now := p.clock.Now()
	at := max(p.beginsAtLocked(c), p.Pace.nextAfter(p.Door.promisedLocked(), now))
	if at > now {
		return nil, time.Duration(at - now), nil
	}
	p.Door.acceptedLocked(c, pl)
	g = ls.addExtraRunLocked()
	// Before the start, which has to know whether it is nested.
	p.runners.enter(&g.execution)
	if g.outer == nil {
		ls.waits.callers++ // it brings its own place; one that nests has it already
	}
	g.startLocked(c, now) // nobody has the future yet who could have cancelled it
	return g, 0, nil
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

// watchWall begins to watch the wall clock, if nobody does.
func (d *Door) watchWall() {
	p := d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Life.stage == running {
		p.runs.WatchLocked()
	}
}

// reserve returns the lane that find returns, and counts the caller as one of its users, so that
// the lane is kept until release.
func (d *Door) reserve(find func() *Lane) *Lane {
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	l := find()
	l.users++
	return l
}

// release ends what reserve has begun.
func (d *Door) release(l *Lane) {
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	l.users--
	d.pool.releaseLocked(&l.strand)
}

// mayAcceptLocked returns why c may not become a task of the pool, whatever room there is, or nil.
func (d *Door) mayAcceptLocked(c *cell.Cell, pl *plan) error {
	switch {
	case d.pool.Life.stage != running:
		return ErrShutdown
	case pl.Unique && !d.names.free(c, pl):
		return ErrDuplicate
	}
	return nil
}

// tryEnqueueLocked is the way into the queue for a single task whose time is set. It returns why
// there is none, or nil.
func (d *Door) tryEnqueueLocked(c *cell.Cell, pl *plan, now int64) error {
	p := d.pool
	if now < 0 { // see isFromOutside
		return invalid(fromOutside)
	}
	if err := d.mayAcceptLocked(c, pl); err != nil {
		return err
	}
	if d.bounded && !d.roomLocked(c, 0) {
		return ErrSaturated
	}
	d.enqueueLocked(c, pl)
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

// acceptedLocked makes c a task of the pool: from here on it is counted, and has an end. It is
// called once for each, before anything else can happen to it.
func (d *Door) acceptedLocked(c *cell.Cell, pl *plan) {
	p := d.pool
	p.counts.accepted++
	if c.Order == 0 { // it is not in the queue
		c.Order = p.waiting.sequence.Next()
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
	if pl.expected {
		pl.expectedBy.users++
	}
}

// beginTimesLocked makes all tasks come with a time from here on, because one that has a time is
// about to be queued. There may be tasks that came without one, which precede it. Its time must not
// be earlier than they came, so the clock is read anew.
func (d *Door) beginTimesLocked() (now int64) {
	d.pool.waiting.beginTimesLocked()
	return d.pool.clock.Now()
}
