package executor

import (
	"container/list"
	"context"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// entrants are the submitters who wait for room, in the order in which they came. While there are
// any, there is no room for them: whoever makes some admits them before unlocking. A task that is not
// the first of its serial executor takes room of another kind, as it needs no worker yet: it is passed
// by if there is none of that. The pool's lock guards them.
type entrants struct{ list list.List }

// entrant is one of them.
//
//	waiting -> admitted   admit: its task is queued
//	waiting -> refused    dismiss: the pool is shut down
//	waiting -> gone       its context ends
type entrant struct {
	cell     *cell.Cell
	decided  chan struct{} // closed when admitted or refused
	err      error         // why refused
	panicked any           // of a queue of the user's own
}

// admit lets in those for whom there is room, and reports whether there were any. The caller is about
// to add to the workers that are free, or not.
func (es *entrants) admit(p *Pool, free int) (any bool) {
	for place := es.list.Front(); place != nil; {
		e, next := place.Value.(*entrant), place.Next()
		switch {
		case p.room(e.cell, free):
			es.list.Remove(place)
			e.enqueue(p)
			close(e.decided)
			any = true
		case planOf(e.cell).strand == nil:
			return any
		}
		place = next
	}
	return any
}

// bypassLocked runs the task of the first on a helper, for a, as nothing is in front of it in the
// queue.
func (es *entrants) bypassLocked(p *Pool, a *await, now int64) {
	if es.list.Len() == 0 {
		return
	}
	e := es.list.Remove(es.list.Front()).(*entrant)
	if planOf(e.cell).strand != nil { // it may not be its turn
		e.enqueue(p)
		p.notify(now)
	} else {
		p.counts.accepted++
		p.helpWithLocked(a, e.cell, now)
	}
	close(e.decided)
}

// enqueue queues the task of e. If a queue of the user's own panics, that is for the submitter.
func (e *entrant) enqueue(p *Pool) {
	defer func() { e.panicked = recover() }()
	p.enqueue(e.cell)
}

// dismiss refuses all.
func (es *entrants) dismiss() {
	for e := es.list.Front(); e != nil; e = es.list.Front() {
		refused := es.list.Remove(e).(*entrant)
		refused.err = ErrShutdown
		close(refused.decided)
	}
}

// enter queues c as soon as there is room. If ctx ends first, or the pool is shut down, c is refused.
func (p *Pool) enter(ctx context.Context, c *cell.Cell) error {
	if p.current() != nil {
		return p.runByCaller(context.Background(), c) // ctx ends the wait, not the task
	}
	// Asked before anybody knows of the wait: the methods may be the user's.
	run, within := cell.Find(ctx, p.runs.Owns)
	end := ctx.Done()
	e, place, err := p.queueUp(c)
	if e == nil {
		return err
	}
	if within && !p.confines() {
		defer p.makeRoom(run)()
	}
	select {
	case <-e.decided:
		return e.outcome()
	case <-end:
	}
	delay.At(delay.EntrantGivesUp)
	if !p.withdraw(e, place) {
		return e.outcome()
	}
	return cell.Joined(p.refusal(nameOf(c), ErrSaturated), cell.EndOf(ctx))
}

// withdraw takes e out of those who wait, and reports whether it was still one of them.
func (p *Pool) withdraw(e *entrant, place *list.Element) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-e.decided:
		return false
	default:
	}
	p.entrants.list.Remove(place)
	p.notify(unread) // for those behind there may have been room
	return true
}

func (e *entrant) outcome() error {
	if e.panicked != nil {
		panic(e.panicked)
	}
	return e.err
}

// queueUp adds an entrant for c, if there is no room.
func (p *Pool) queueUp(c *cell.Cell) (*entrant, *list.Element, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.tryEnqueue(c, p.now()); err != ErrSaturated {
		return nil, nil, err
	}
	e := &entrant{cell: c, decided: make(chan struct{})}
	return e, p.entrants.list.PushBack(e), nil
}
