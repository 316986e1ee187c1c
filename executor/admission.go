package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/parking"
)

// post queues e in the inbox, and has a worker come if none would look there by itself. A bare task of a
// scheduled pool gets a time only if there is another to compare it with, or somebody wants to know it:
// without a time, it comes before all that come later with one.
func (p *Pool) post(t runqueue.Slot) error {
	e := runqueue.Entry{Slot: t}
	if !p.plain && (e.Cell != nil || p.timed.Load() || p.watched.Load()) {
		e.When = p.clock.Now()
	}
	told, open := p.inbox.Put(e)
	if told {
		delay.At(delay.TaskPosted)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.notifyLocked(unread)
	}
	if !open {
		return p.refusal(nameOf(t.Cell), ErrShutdown)
	}
	return nil
}

// nameOf returns the name of a task, which may be bare.
func nameOf(c *cell.Cell) string {
	if c == nil {
		return ""
	}
	return planOf(c).Name
}

// accept queues c to run as soon as may be, or refuses it, or does with it what else can be done.
func (p *Pool) accept(ctx context.Context, wait bool, c *cell.Cell) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if wait && cell.HasEnded(ctx) {
		return p.refuse(c, cell.Joined(ErrRejected, cell.EndOf(ctx)))
	}
	if p.plain {
		c.When = p.clock.Now()
	}
	if p.inbox != nil && planOf(c).strand == nil {
		return p.post(runqueue.Slot{Cell: c})
	}
	err := p.tryAccept(c)
	if err == ErrSaturated {
		if wait {
			err = p.waitForRoom(ctx, c)
		} else {
			err = p.reject(ctx, *p.policy.Load(), c)
		}
	}
	if err != nil {
		return p.refuse(c, err)
	}
	return nil
}

// refuse counts a refusal. Nothing else does, but for the inbox, so each counts once.
func (p *Pool) refuse(c *cell.Cell, err error) error {
	p.mu.Lock()
	p.counts.rejected++
	p.mu.Unlock()
	return p.refusal(nameOf(c), err)
}

// tryAccept queues c if there is room.
func (p *Pool) tryAccept(c *cell.Cell) error {
	p.mu.Lock()
	defer p.mu.Unlock() // also when a queue of the user's own panics
	now := p.now()
	if !p.plain {
		now = p.keepTimesLocked(now)
		c.When = now
	}
	return p.tryEnqueueLocked(c, now)
}

// acceptAfter queues c for the first time, to run after delay, or refuses it.
func (p *Pool) acceptAfter(c *cell.Cell, delay time.Duration) error {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	now = p.keepTimesLocked(now)
	return p.acceptLaterLocked(c, clock.Later(now, delay), now)
}

// acceptAt queues c for the first time, to run at a time of the pool's clock, or refuses it.
func (p *Pool) acceptAt(c *cell.Cell, when int64) error {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	now = p.keepTimesLocked(now)
	return p.acceptLaterLocked(c, max(when, now), now)
}

// keepTimesLocked has all tasks come with their times from here on, as one with a time is about to. It
// returns the caller's reading of the clock; or a new one if tasks may have come without a time
// since, which go before this one, and so must not have come after its time.
func (p *Pool) keepTimesLocked(now int64) int64 {
	if p.timed.Load() {
		return now
	}
	p.timed.Store(true)
	return p.now()
}

// acceptLaterLocked is for tasks with a time of their own, about which no policy is asked.
func (p *Pool) acceptLaterLocked(c *cell.Cell, when, now int64) error {
	c.When = planOf(c).First(when)
	err := p.tryEnqueueLocked(c, now)
	if err != nil {
		p.counts.rejected++
		return p.refusal(nameOf(c), err)
	}
	return nil
}

// tryEnqueueLocked is the one way into the queue from outside, for a task that has its time.
func (p *Pool) tryEnqueueLocked(c *cell.Cell, now int64) error {
	if p.stage != running {
		return ErrShutdown
	}
	if !p.roomLocked(c, 0) {
		return ErrSaturated
	}
	p.enqueueLocked(c)
	if p.plain || c.Place <= 1 { // in a heap of times, only a new head is of interest
		p.notifyLocked(now)
	}
	return nil
}

// enqueueLocked accepts c, and queues it, or holds it back until it is its turn in a serial executor. If
// a queue of the user's own panics, nothing has happened.
func (p *Pool) enqueueLocked(c *cell.Cell) {
	s := planOf(c).strand
	switch {
	case s == nil:
		p.placeLocked(c, c.When)
	case s.head == nil:
		p.placeLocked(c, c.When)
		s.head = c
	default:
		p.holdBackLocked(s, c)
	}
	p.counts.accepted++
}

// roomLocked reports whether c may wait: at once for a worker that is free, or may be started, if the
// tasks of the queue leave one, or else within the capacity. The caller may be about to add to the
// workers that are free; those above the maximum size will not take anything.
func (p *Pool) roomLocked(c *cell.Cell, free int) bool {
	if p.pendingLimit == 0 && p.capacity() == unbounded {
		return true
	}
	waiting := p.queue.Len()
	if p.pendingLimit > 0 && waiting+p.heldBack >= p.pendingLimit {
		return false
	}
	if p.capacity() == unbounded {
		return true
	}
	occupied := len(p.workers) - p.lot.Idle() - p.lot.Coming() - free
	if p.waits.helping > 0 { // helpers take the places of workers
		occupied = max(occupied, p.activeLocked()-p.waits.callers)
	}
	waiting -= max(p.maximumSizeLocked()-occupied, 0)
	if s := planOf(c).strand; s != nil && s.head != nil { // it needs no worker yet
		return p.capacity() == 0 || max(waiting, 0)+p.heldBack < p.capacity()
	}
	return waiting < 0 || waiting+p.heldBackInQueueLocked() < p.capacity()
}

// heldBackInQueueLocked is how many of the tasks held back take room in the queue. Where nothing may
// queue, those of serial executors wait there without bounds.
func (p *Pool) heldBackInQueueLocked() int {
	if p.capacity() == 0 {
		return 0
	}
	return p.heldBack
}

// placeLocked queues c, new or not. Among tasks of equal time it is the last.
func (p *Pool) placeLocked(c *cell.Cell, when int64) {
	if !p.timed.Load() {
		p.timed.Store(true)
	}
	c.Order, c.When = p.order.Add(1), when
	p.queue.Push(c)
}

// notifyLocked sees to it that somebody looks at the head in time, and starts a worker if nobody can and
// there may be one more; and that those enter for whom there is room now. It reads the clock if the
// caller has not, or too long ago.
func (p *Pool) notifyLocked(now int64) {
	if p.stage >= stopping {
		return // nobody is to come any more
	}
	p.blockedSubmitters.admitLocked(p, 0)
	for p.plain && p.inbox == nil && !p.overdrawnLocked() && p.startBusyLocked() {
		p.blockedSubmitters.admitLocked(p, 0) // the head has left room in the queue
	}
	mayGrow := len(p.workers) < p.limitLocked()
	if !mayGrow && p.lot.Idle() == 0 {
		return // all are busy, and each will look again
	}
	head, due, _ := p.headLocked()
	switch {
	case due:
		now = max(now, head)
	case now < head:
		now = p.now() // the caller's may be old, and an alarm that is set by it late
	}
	if head <= now && p.overdrawnLocked() {
		return // whoever came would take nothing, and whoever frees a place tells
	}
	if p.lot.Notify(head, now, mayGrow) {
		p.startWorkerLocked()
	}
}

// forgetTimesLocked notes that there is no task left that goes by its time, if the queue is empty and
// nothing runs that might come back to it.
func (p *Pool) forgetTimesLocked(head int64) {
	if head == parking.Nothing && p.counts.busy+p.heldBack == 0 && p.timed.Load() {
		p.timed.Store(false)
	}
}

// headLocked tells when the next task is due, as workQueue.head does, and whether it has been dealt: then
// others may claim it before the caller does.
func (p *Pool) headLocked() (when int64, due, dealt bool) {
	if p.batch.Left() > 0 {
		return 0, true, true
	}
	when, due = p.queue.Head()
	return when, due, false
}

// waitingLocked returns how many tasks there are in the queue, and dealt.
func (p *Pool) waitingLocked() int { return p.batch.Left() + p.queue.Len() }

// unread stands for a time that nobody has read from the clock.
const unread = runqueue.Unread

// now is the time by which the queue goes: in a plain one, which knows no times, the same for ever.
func (p *Pool) now() int64 {
	if p.plain {
		return 0
	}
	return p.clock.Now()
}
