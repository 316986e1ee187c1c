package executor

import (
	"context"
	"iter"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// guest runs a task on a goroutine that is not a worker's: that of a caller, under the policy
// [CallerRuns], or one that stands in for a run that waits for its task, see await. The pool does
// not end before its guests have gone.
type guest struct {
	execution
	helps bool
	await *await // of a helper: who waits; may be nil
}

// guests are the guests of a pool. Its lock guards them.
type guests map[*guest]struct{}

// maxNested is how deep tasks run inside of others that have submitted them, one stack for all. As
// deep as that callers can wait for what they have submitted by means that the pool does not know.
const maxNested = 1000

// runByCaller accepts c and runs it on the calling goroutine. If ctx, of a bulk operation, ends
// meanwhile, so does the task. If the caller runs such a task already, c is run inside of that, but
// so deep only: a task may submit itself for ever. What is deeper waits in the queue, beyond its
// capacity, for a worker or for the caller, whoever is there first.
func (p *Pool) runByCaller(ctx context.Context, c *cell.Cell) error {
	if planOf(c).strand != nil {
		return ErrSaturated // it would be out of turn
	}
	if x := p.current(); x != nil && x.depth >= maxNested {
		return p.acceptBeyond(x, c)
	}
	ends := ctx.Done() != nil
	if ends { // asked before anybody knows of the run: its methods may be the user's
		var release context.CancelFunc
		ctx, release = context.WithCancel(cell.Faithful(ctx))
		defer release()
	}
	g, err := p.begin(c)
	if err != nil {
		return err
	}
	if ends {
		defer cancelAfter(ctx, c)()
	}
	g.serve()
	return nil
}

// acceptBeyond queues c whether there is room or not. The caller is in the midst of x.
func (p *Pool) acceptBeyond(x *execution, c *cell.Cell) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage != running {
		return ErrShutdown
	}
	for x.outer != nil {
		x = x.outer
	}
	if !x.labels { // a goroutine of the pool comes by the queue anyway
		x.beyond = append(x.beyond, c)
	}
	p.enqueue(c)
	p.notify(unread)
	return nil
}

// begin accepts c and starts it on the calling goroutine.
func (p *Pool) begin(c *cell.Cell) (*guest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage != running {
		return nil, ErrShutdown
	}
	p.counts.accepted++
	g := p.receiveLocked()
	p.runners.enter(&g.execution)
	if g.outer == nil {
		p.waits.callers++
	}
	g.start(c, p.clock.Now()) // nobody has the future yet who could have cancelled it
	return g, nil
}

// cancelAfter cancels c when ctx ends, until the function returned is called. That returns when the
// cancellation, if there is one, has been counted.
func cancelAfter(ctx context.Context, c *cell.Cell) (stop func()) {
	over := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(over)
		cause := context.Cause(ctx)
		c.Cancel(future.CancelledError(cause), cause, true)
	})
	return func() {
		if !unwatch() {
			<-over
		}
	}
}

// receiveLocked adds a guest.
func (p *Pool) receiveLocked() *guest {
	g := &guest{execution: p.newExecution(false)}
	if p.guests == nil {
		p.guests = guests{}
	}
	p.guests[g] = struct{}{}
	return g
}

// serve runs the task that has been started, and what it has left in the queue beyond its capacity.
func (g *guest) serve() {
	defer g.leave() // also by Goexit
	for more := true; more; more = g.next() {
		g.run()
		g.complete()
	}
}

// next starts the first of those beyond that is still in the queue, and reports whether there is
// one. The last task is accounted for as the guest departs: its place is the guest's.
func (g *guest) next() bool {
	p := g.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(g.beyond) > 0 && p.stage < stopping {
		c := g.beyond[0]
		g.beyond[0] = nil
		g.beyond = g.beyond[1:]
		if !p.waitsInQueue(c) || !p.queue.Remove(c) {
			continue
		}
		if g.Task != nil {
			g.account() // it runs once, so it is not refused another run
		}
		if g.start(c, p.clock.Now()) {
			p.notify(unread)
			return true
		}
	}
	return false
}

// leave ends the guest.
func (g *guest) leave() {
	if v := recover(); v != nil {
		panic(v) // of a queue of the user's own, under the lock: there is no way on
	}
	defer g.depart() // also if a hook or handler ends the goroutine
	if g.Task != nil {
		g.complete()
	}
}

// returnLocked gives the place of a helper back to the run that has lent it, if the wait of that is
// about to end: its goroutine may take a while to say so.
func (g *guest) returnLocked() {
	a := g.await
	if a == nil || a.by == nil || a.over {
		return
	}
	if a.isEnding() {
		a.over = true
		g.pool.waits.blocked--
	}
}

// depart takes the guest out of its pool.
func (g *guest) depart() {
	p := g.pool
	delay.At(delay.GuestLeaves)
	p.mu.Lock()
	if g.Task != nil {
		g.returnLocked()
		if refused := g.account(); refused != nil {
			p.mu.Unlock()
			p.endSeries(refused)
			p.mu.Lock()
		}
	}
	isCaller := !g.helps && g.outer == nil
	p.runners.leave(&g.execution)
	delete(p.guests, g)
	if g.helps {
		p.waits.helping--
		p.waits.endBehalf(g.await)
	}
	if isCaller {
		p.waits.callers--
	}
	if g.await != nil {
		p.helpLocked(g.await) // what it waits for may come next in a serial executor
	}
	p.freedLocked()
	p.notify(unread)
	ended := p.emptied()
	p.mu.Unlock()
	p.finish(ended)
}

// executions yields all workers, and then all guests. The lock is held.
func (p *Pool) executions() iter.Seq[*execution] {
	return func(yield func(*execution) bool) {
		for w := range p.workers {
			if !yield(&w.execution) {
				return
			}
		}
		for g := range p.guests {
			if !yield(&g.execution) {
				return
			}
		}
	}
}
