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
// There are at most as many helpers as there are runs that wait. When a wait ends early its helper is one
// too many until it ends, or waits itself, and until then no other helper starts: a pool can be
// overdrawn, but not pumped up.
type await struct {
	run   *cell.Cell // that waits
	cell  *cell.Cell // waited for
	timer *time.Timer
}

// awaits are the waits of a pool's runs. Its lock guards them.
type awaits struct {
	all       map[*await]struct{}
	lenders   map[*cell.Cell]int // how many waits each run is in, on as many goroutines
	helpers   int
	overdrawn bool // a wait had no helper because there were too many
}

// Await says that the caller is about to wait for c, with ctx, and returns what to call after the wait,
// or nil. A run that waits for a task behind itself gets ErrSelfWait. If the context does not tell that
// the caller is a run of the pool, its goroutine may; to look at that takes some microseconds, so unless
// c is sure to run soon, it asks the caller to wait for a while and then call again, as sure.
func (h *host) Await(ctx context.Context, c *cell.Cell, sure bool) (over func(), ask bool, err error) {
	p := h.pool()
	run := p.runOfCaller(ctx, sure)
	if run == nil {
		return nil, !sure && c.Phase() == cell.Pending && !p.soon(c), nil
	}
	if h.Behind(c, run) {
		return nil, false, future.ErrSelfWait
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.await(run, c), false, nil
}

// soon reports whether c is the one task in an inbox, and there is a worker for it.
func (p *Pool) soon(c *cell.Cell) bool {
	if p.inbox == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return c.Place != 0 && p.aside == 0 && p.waiting() == 1 &&
		(p.lot.Idle()+p.lot.Coming() > 0 || len(p.workers) < p.limit())
}

// Behind reports whether c is a task of the serial executor that the run is of, and comes later.
func (h *host) Behind(c, run *cell.Cell) bool {
	s := planOf(c).strand
	return s != nil && s == planOf(run).strand && c != run
}

// AwaitAny is Await for the first of several to be settled. Help goes to the one that is due first.
func (h *host) AwaitAny(ctx context.Context, cs []*cell.Cell, sure bool) (over func(), err error) {
	p := h.pool()
	run := p.runOfCaller(ctx, sure)
	if run == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var first *cell.Cell
	for _, c := range cs {
		if h.Behind(c, run) {
			continue
		}
		if first == nil || p.waits(c) && (!p.waits(first) || c.When < first.When) {
			first = c
		}
	}
	if first == nil {
		return nil, future.ErrSelfWait
	}
	return p.await(run, first), nil
}

// waits reports whether c waits in the queue, or for its turn, for its one run. The lock is held.
func (p *Pool) waits(c *cell.Cell) bool {
	return (c.Place != 0 || p.custom != nil && p.custom.holds(c)) && !planOf(c).Periodic()
}

// await has c helped as soon as that is due, until the function returned is called. The lock is held.
func (p *Pool) await(run, c *cell.Cell) (over func()) {
	a := &await{run: run, cell: c}
	as := &p.awaits
	if as.all == nil {
		as.all, as.lenders = map[*await]struct{}{}, map[*cell.Cell]int{}
	}
	as.all[a] = struct{}{}
	as.lenders[run]++
	if now := p.clock.Now(); c.When > now && p.waits(c) {
		a.timer = time.AfterFunc(time.Duration(c.When-now), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.help(a)
		})
	}
	p.help(a)
	if as.overdrawn {
		p.helpAll() // there is one more that waits
	}
	return func() { p.endAwait(a) }
}

func (p *Pool) endAwait(a *await) {
	p.mu.Lock()
	defer p.mu.Unlock()
	as := &p.awaits
	delete(as.all, a)
	if as.lenders[a.run]--; as.lenders[a.run] == 0 {
		delete(as.lenders, a.run)
	}
	if a.timer != nil {
		a.timer.Stop()
	}
}

// help starts the task that is waited for, or the one that it waits for its turn behind, if it is due and
// there may be one more helper. The lock is held.
func (p *Pool) help(a *await) {
	c, now, as := a.cell, p.clock.Now(), &p.awaits
	if _, waits := as.all[a]; !waits || !p.waits(c) || c.When > now || p.stage >= stopping {
		return
	}
	if s := planOf(c).strand; s != nil {
		c = s.head
	}
	if as.helpers >= len(as.lenders) {
		as.overdrawn = true
		p.unburden(c)
		return
	}
	if !p.queue.remove(c) && !p.removeLater(c) {
		return
	}
	g := p.receive(0)
	g.helps, g.labels = true, true
	started := g.start(c, now)
	p.notify(unread) // there is room in the queue
	if !started {
		delete(p.guests, g)
		return
	}
	as.helpers++
	go g.help()
}

// unburden leaves to the workers what a caller is to run later: that caller may be the one that waits.
// The lock is held.
func (p *Pool) unburden(c *cell.Cell) {
	if p.removeLater(c) {
		p.place(c, c.When)
		p.notify(unread)
	}
}

// help is the goroutine of a guest that helps.
func (g *guest) help() {
	p := g.pool
	p.unlabel()
	id := goid.Current()
	p.mu.Lock()
	g.goroutine = id
	p.mu.Unlock()
	g.serve()
}

// helpAll helps those whose task still waits. The lock is held.
func (p *Pool) helpAll() {
	p.awaits.overdrawn = false
	for a := range p.awaits.all {
		p.help(a)
	}
}

// runOfCaller returns the run of the pool that the caller is: by its context, or if it is to make sure,
// by its goroutine.
func (p *Pool) runOfCaller(ctx context.Context, sure bool) *cell.Cell {
	run := p.runIn(ctx)
	if run != nil || !sure {
		return run
	}
	id := goid.Current()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runOn(id)
}

// runIn returns the run of the pool that ctx is that of, or derives from.
func (p *Pool) runIn(ctx context.Context) (run *cell.Cell) {
	cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil || c.Plan.Host != (*host)(p) {
			return false
		}
		run = c
		return true
	})
	return run
}

// runOn returns the innermost run on the goroutine of the given number. The lock is held.
func (p *Pool) runOn(goroutine uint64) (run *cell.Cell) {
	for x := range p.executions() { // callers come last
		if goroutine != 0 && x.goroutine == goroutine && x.task != nil {
			run = x.task
		}
	}
	return run
}
