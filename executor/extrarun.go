package executor

import (
	"context"
	"iter"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// extraRun runs a task on a goroutine that is not a worker's: that of a caller, under the policy
// [CallerRuns], or one that stands in for a run that waits for its task, see await. The pool does
// not end before its extra runs have.
type extraRun struct {
	execution
	helps bool
	await *await // of a helper: who waits; may be nil
}

// extraRuns are those of a pool. Its lock guards them.
type extraRuns map[*extraRun]struct{}

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
	p.enqueueLocked(c)
	p.notifyLocked(unread)
	return nil
}

// begin accepts c and starts it on the calling goroutine.
func (p *Pool) begin(c *cell.Cell) (*extraRun, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage != running {
		return nil, ErrShutdown
	}
	p.counts.accepted++
	g := p.addExtraRunLocked()
	p.runners.enter(&g.execution)
	if g.outer == nil {
		p.waits.callers++
	}
	g.startLocked(c, p.clock.Now()) // nobody has the future yet who could have cancelled it
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

// addExtraRunLocked adds one.
func (p *Pool) addExtraRunLocked() *extraRun {
	g := &extraRun{execution: p.newExecution(false)}
	if p.extraRuns == nil {
		p.extraRuns = extraRuns{}
	}
	p.extraRuns[g] = struct{}{}
	return g
}

// serve runs the task that has been started, and what it has left in the queue beyond its capacity.
func (g *extraRun) serve() {
	defer g.leave() // also by Goexit
	for more := true; more; more = g.next() {
		g.run()
		g.complete()
	}
}

// next starts the first of those beyond that is still in the queue, and reports whether there is
// one. The last task is accounted for as the extra run departs, whose place it has.
func (g *extraRun) next() bool {
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
			g.accountLocked() // it runs once, so it is not refused another run
		}
		if g.startLocked(c, p.clock.Now()) {
			p.notifyLocked(unread)
			return true
		}
	}
	return false
}

// leave ends the extra run.
func (g *extraRun) leave() {
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
func (g *extraRun) returnLocked() {
	a := g.await
	if a == nil || a.by == nil || a.over {
		return
	}
	if a.isEnding() {
		a.over = true
		g.pool.waits.blocked--
	}
}

// depart takes the extra run out of its pool.
func (g *extraRun) depart() {
	p := g.pool
	delay.At(delay.ExtraRunLeaves)
	p.mu.Lock()
	if g.Task != nil {
		g.returnLocked()
		if refused := g.accountLocked(); refused != nil {
			p.mu.Unlock()
			p.endSeries(refused)
			p.mu.Lock()
		}
	}
	isCaller := !g.helps && g.outer == nil
	p.runners.leave(&g.execution)
	delete(p.extraRuns, g)
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
	p.notifyLocked(unread)
	ended := p.emptiedLocked()
	p.mu.Unlock()
	p.finish(ended)
}

// executionsLocked yields all workers, and then all extra runs.
func (p *Pool) executionsLocked() iter.Seq[*execution] {
	return func(yield func(*execution) bool) {
		for w := range p.workers {
			if !yield(&w.execution) {
				return
			}
		}
		for g := range p.extraRuns {
			if !yield(&g.execution) {
				return
			}
		}
	}
}
