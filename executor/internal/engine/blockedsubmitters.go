package engine

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// Overview: a submitter that waits for room is not a task of the pool yet. Its task is kept with
// it, outside the queue, and is queued on its behalf by whoever makes room. If the submitter were
// merely woken to try again, another submission could overtake it in between.

// admitLocked lets in those for whom there is room, and reports whether there were any. If the
// caller is a worker that is about to become free, it passes free = 1.
func (es *blockedSubmitters) admitLocked(p *Pool, free int) (any bool) {
	for place := es.list.Front(); place != nil; {
		e, next := place.Value.(*blockedSubmitter), place.Next()
		switch {
		case p.Door.roomLocked(e.cell, free):
			// Removed first: a Push that panics has decided about it too.
			es.list.Remove(place)
			e.enqueueLocked(p)
			close(e.decided)
			any = true
		// The first that needs a worker and finds none ends it: those behind have to wait for their
		// turn.
		case planOf(e.cell).strand == nil:
			return any
		}
		place = next
	}
	return any
}

// bypassLocked runs the task of the first blocked submitter on a helper, for a. The queue is empty,
// so it overtakes nobody.
func (es *blockedSubmitters) bypassLocked(p *Pool, a *await, now int64) {
	if es.list.Len() == 0 || p.Pace.next() > now {
		return
	}
	e := es.list.Remove(es.list.Front()).(*blockedSubmitter)
	if planOf(e.cell).strand != nil { // it may not be its turn
		e.enqueueLocked(p)
		p.Crew.notifyLocked(now)
	} else {
		p.Door.acceptedLocked(e.cell, planOf(e.cell))
		p.loans.helpWithLocked(a, e.cell, now)
	}
	close(e.decided)
}

// enqueueLocked queues the task of e. If a user's WorkQueue panics, the submitter gets the panic,
// and not the goroutine that has made room.
func (e *blockedSubmitter) enqueueLocked(p *Pool) {
	pl := planOf(e.cell)
	defer func() {
		if e.panicked = recover(); e.panicked != nil {
			p.Door.leaveLocked(e.cell, pl)
		}
	}()
	p.Door.enqueueLocked(e.cell, pl)
}

// refuseAllLocked refuses all, as the pool is shut down.
func (es *blockedSubmitters) refuseAllLocked(p *Pool) {
	for e := es.list.Front(); e != nil; e = es.list.Front() {
		refused := es.list.Remove(e).(*blockedSubmitter)
		refused.err = ErrShutdown
		p.Door.leaveLocked(refused.cell, planOf(refused.cell))
		close(refused.decided)
	}
}

// waitForRoom queues c as soon as there is room. It refuses c if ctx ends first, or the pool is
// shut down. A task of the pool does not wait, because the room might never come without it: it
// runs c.
func (d *Door) waitForRoom(ctx context.Context, c *cell.Cell) error {
	p := d.pool
	if p.current() != nil {
		// ctx ends the wait, not the task, so it is not passed on.
		return p.loans.runByCaller(context.Background(), ctx, c)
	}
	// This must come before anybody knows of the wait: the methods of ctx may be the user's.
	run, within := cell.Find(ctx, p.runs.Owns)
	end, gone := ctx.Done(), endOfWithin(c)
	e, place, err := d.blockSubmitter(c)
	if e == nil {
		return err
	}
	// The run may be waiting for this goroutine, and the room come from nobody else: so the head of
	// the queue is helped.
	if within && !p.confines() {
		defer p.loans.await(&await{run: run, patience: patience, forRoom: true})()
	}
	select {
	case <-e.decided:
		return e.outcome()
	case <-end:
	case <-gone:
		ctx = planOf(c).Within
	}
	delay.At(delay.SubmitterGivesUp)
	if !d.withdraw(e, place) {
		return e.outcome()
	}
	return cell.Joined(d.refusal(nameOf(c), ErrSaturated), cell.EndOf(ctx))
}

// outcome returns the decision about e, or goes on with the panic of its WorkQueue.
func (e *blockedSubmitter) outcome() error {
	if e.panicked != nil {
		panic(e.panicked)
	}
	return e.err
}

// endOfWithin returns a channel that is closed when the context ends within which c is to run; nil
// if there is none.
func endOfWithin(c *cell.Cell) <-chan struct{} {
	if within := planOf(c).Within; within != nil {
		return within.Done()
	}
	return nil
}
