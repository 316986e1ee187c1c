package executor

import (
	"context"
	"iter"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/goid"
)

// guest runs tasks on a goroutine that is not a worker's: that of a caller, under the policy
// [CallerRuns], or one that stands in for a run that waits for its task, see help. The pool does not
// end before its guests have gone.
type guest struct {
	execution
	helps bool

	// later are tasks that came to be run by this caller while it ran another. To run them inside of
	// that would let the stack grow for ever. The pool's lock guards them.
	later fifo
}

// guests are the guests of a pool. Its lock guards them.
type guests map[*guest]struct{}

// runByCaller accepts c and runs it on the calling goroutine or, if that is running such a task of
// the pool already, has it run after that. If ctx, of a bulk operation, ends meanwhile, so does the task.
func (p *Pool) runByCaller(ctx context.Context, c *cell.Cell) error {
	if planOf(c).strand != nil {
		return ErrSaturated // it would be out of turn
	}
	id := goid.Current()
	p.mu.Lock()
	if p.stage != running {
		p.mu.Unlock()
		return ErrShutdown
	}
	p.counts.accepted++
	for g := range p.guests {
		if id != 0 && g.goroutine == id && !g.helps {
			g.later.push(c)
			p.aside++
			p.mu.Unlock()
			return nil
		}
	}
	g := p.receive(id)
	g.start(c, p.clock.Now())
	p.mu.Unlock()
	if ctx.Done() != nil {
		defer cancelAfter(ctx, c)()
	}
	g.serve()
	return nil
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

// receive adds a guest on the goroutine of the given number. The lock is held.
func (p *Pool) receive(goroutine uint64) *guest {
	g := &guest{execution: execution{pool: p, goroutine: goroutine}}
	if p.guests == nil {
		p.guests = guests{}
	}
	p.guests[g] = struct{}{}
	return g
}

// serve runs the task that has been started, and those that came to be run after it.
func (g *guest) serve() {
	defer g.leave() // also by Goexit
	for g.task != nil {
		g.run()
		g.complete()
		g.pool.mu.Lock()
		g.account()
		g.next()
		g.pool.notify(unread)
		g.pool.mu.Unlock()
	}
}

// next starts the first of the tasks to run later that has not been cancelled. The lock is held.
func (g *guest) next() {
	for g.later.len() > 0 && g.pool.stage < stopping {
		c := g.later.first()
		g.later.remove(c)
		g.pool.aside--
		if g.start(c, g.pool.clock.Now()) {
			return
		}
	}
}

// leave ends the guest. What it has not run any more, because a task has ended the goroutine, is
// left to the workers.
func (g *guest) leave() {
	if v := recover(); v != nil {
		panic(v) // of a queue of the user's own, under the lock: there is no way on
	}
	defer g.depart() // also if a hook or handler ends the goroutine
	if g.task != nil {
		g.complete()
	}
}

// depart takes the guest out of its pool.
func (g *guest) depart() {
	p := g.pool
	delay.At(delay.GuestLeaves)
	p.mu.Lock()
	if g.task != nil {
		g.account()
	}
	for _, c := range g.later.all() {
		g.later.remove(c)
		p.aside--
		p.place(c, c.When)
	}
	delete(p.guests, g)
	if g.helps {
		p.awaits.helpers--
		p.helpAll()
	}
	p.notify(unread)
	ended := p.emptied()
	p.mu.Unlock()
	p.finish(ended)
}

// executions yields all workers, and then all guests: on a goroutine with several of them the outer come
// first. The lock is held.
func (p *Pool) executions() iter.Seq[*execution] {
	return func(yield func(*execution) bool) {
		for w := range p.workers {
			if !yield(&w.execution) {
				return
			}
		}
		for _, helps := range []bool{true, false} {
			for g := range p.guests {
				if g.helps == helps && !yield(&g.execution) {
					return
				}
			}
		}
	}
}
