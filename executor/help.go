package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
)

// await is a run of the pool that waits for another of its tasks. As it does nothing meanwhile, it
// lends its place: the task that it waits for leaves the queue at once, ahead of its turn, and runs on
// a goroutine of its own. So a task may submit another to the same pool and wait for it, at any size
// and depth, and the pool runs no more than its size. The goroutine is not that of the waiting run, so
// that its wait can end before the task does, and a Goexit harms only one of them. It is the helping
// join of java.util.concurrent's ForkJoinPool.
//
// There are at most as many helpers as there are waits. When a wait ends early its helper is one too
// many until it ends, or waits itself, and until then no other helper starts: a pool can be overdrawn,
// but not pumped up.
type await struct {
	cell  *cell.Cell
	timer *time.Timer // until the task is due
}

// Await says that the caller is about to wait for c, with ctx, and returns what to call after the
// wait, or nil. A run of a serial executor that waits for a task behind itself gets ErrSelfWait. If
// only the goroutine can tell whether the caller is a run of the pool, which takes some microseconds
// to find out, it asks the caller to wait for a while and then call again, as sure.
func (h *host) Await(ctx context.Context, c *cell.Cell, sure bool) (over func(), ask bool, err error) {
	p := h.pool()
	run := p.runOfContext(ctx)
	switch {
	case run != nil:
	case !sure:
		return nil, c.Phase() == cell.Pending && p.full.Load(), nil
	default:
		if run = p.runOfGoroutine(); run == nil {
			return nil, false, nil
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := planOf(c).strand; s != nil && s == planOf(run).strand {
		return nil, false, future.ErrSelfWait
	}
	return p.await(c), false, nil
}

// AwaitAny is Await for the first of several to be settled. Help goes to the one that is due first.
func (h *host) AwaitAny(ctx context.Context, cs []*cell.Cell) (over func()) {
	p := h.pool()
	if p.runOfContext(ctx) == nil || len(cs) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	first := cs[0]
	for _, c := range cs[1:] {
		if helpable(c) && (!helpable(first) || c.When < first.When) {
			first = c
		}
	}
	return p.await(first)
}

// helpable reports whether c waits in the queue, or for its turn, for its one run. The lock is held.
func helpable(c *cell.Cell) bool { return c.Place != 0 && !planOf(c).periodic() }

// await has c helped as soon as that is due, until the function returned is called. The lock is held.
func (p *Pool) await(c *cell.Cell) (over func()) {
	a := &await{cell: c}
	if p.awaits == nil {
		p.awaits = map[*await]struct{}{}
	}
	p.awaits[a] = struct{}{}
	if now := p.clock.Now(); c.When > now && helpable(c) {
		a.timer = time.AfterFunc(time.Duration(c.When-now), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.help(a)
		})
	}
	p.help(a)
	if p.overdrawn {
		p.helpAll() // there is one more wait
	}
	return func() { p.endAwait(a) }
}

func (p *Pool) endAwait(a *await) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.awaits, a)
	if a.timer != nil {
		a.timer.Stop()
	}
}

// help starts the task that is waited for, if it is due, waits in the queue, and there may be one more
// helper. The lock is held.
func (p *Pool) help(a *await) {
	c, now := a.cell, p.clock.Now()
	if _, waits := p.awaits[a]; !waits || !helpable(c) || c.When > now || p.stage >= stopping {
		return
	}
	if p.helpers >= len(p.awaits) {
		p.overdrawn = true
		return
	}
	if !p.claim(c) {
		return
	}
	g := p.receive(0)
	g.helps, g.labels = true, true
	if !g.start(c, now) {
		delete(p.guests, g)
		return
	}
	p.helpers++
	p.notify(p.now()) // there is room in the queue
	go func() {
		p.unlabel()
		id := goid.Current()
		p.mu.Lock()
		g.goroutine = id
		p.mu.Unlock()
		g.serve()
	}()
}

// helpAll helps those whose task is still in the queue. The lock is held.
func (p *Pool) helpAll() {
	p.overdrawn = false
	for a := range p.awaits {
		p.help(a)
	}
}

// claim takes c out of the queue, or from what a caller is to run later. The lock is held.
func (p *Pool) claim(c *cell.Cell) bool {
	return p.queue.remove(c) || p.removeLater(c)
}

// runOfContext returns the run of the pool that ctx is that of, or derives from.
func (p *Pool) runOfContext(ctx context.Context) (run *cell.Cell) {
	cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil || c.Plan.Host != (*host)(p) {
			return false
		}
		run = c
		return true
	})
	return run
}

// runOfGoroutine returns the run of the pool on the calling goroutine.
func (p *Pool) runOfGoroutine() *cell.Cell {
	id := goid.Current()
	p.mu.Lock()
	defer p.mu.Unlock()
	for x := range p.executions() {
		if id != 0 && x.goroutine == id && x.task != nil {
			return x.task
		}
	}
	return nil
}
