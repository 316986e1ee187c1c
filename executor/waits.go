package executor

import (
	"container/list"
	"context"
	"iter"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// A run that waits for another task of its pool does nothing meanwhile, so it lends its place: the
// task that it waits for leaves the queue at once, ahead of its turn, and runs on a goroutine of its
// own. So a task may submit another to the same pool and wait for it, at any size and depth, and the
// pool runs no more than its size. The goroutine is not that of the waiting run, so that its wait
// can end before the task does, and a Goexit harms only one of them. It is the helping join of
// java.util.concurrent's ForkJoinPool.
//
// Who waits is told by the goroutine, so that it is certain. Where it is some other goroutine, with
// a context of one of the pool's runs, that run may wait in turn for this goroutine, or may not: it
// is not certain that a place is free. Then the pool waits with it, for patience, and for twice as
// long each time; what still waits by then is helped beyond the size.
//
// # Bounds
//
// A run is active unless its goroutine waits so. A wait that is certain replaces an active run by
// another. One that ends early, by its context or a limit of time, leaves a run too many, and so
// does help that is not certain: the pool is overdrawn. While it is, the workers take nothing new,
// and when twice the size run, nobody is helped before one of them has ended; but for one helper at a
// time on behalf of each run, which counts as waiting itself then. So tasks that join goroutines
// which wait for tasks that do the same end at any depth. Only waits that end early all at once, each
// for the next of a chain, leave more runs than that. A pool of one worker whose sizes are fixed is
// never overdrawn: tasks may confine state to it. There a wait that ends early goes on until its place
// is free again, as that of a condition variable does for its lock, and help that is not certain is
// not given.
type await struct {
	by     *execution    // that waits, and has lent its place; nil if that is not certain
	cells  []*cell.Cell  // waited for; the first that is due is helped
	all    bool          // of them, not only the first to end
	over   bool          // or about to be
	denied *list.Element // its place among those that could not be helped, or nil
	timer  *time.Timer   // for the time of what is not due, or for patience
	freed  chan struct{} // closed when a run whose wait is over has its place again

	// Of a wait that is not certain:
	run      cell.Run      // on whose behalf it is
	patience time.Duration // before the next try
	forRoom  bool          // it is not for cells, but for room in the queue
}

// awaits are what a pool knows of waits. Its lock guards them.
type awaits struct {
	blocked int              // goroutines of runs that wait and have lent their places
	nested  int              // runs inside of others, on the same goroutine
	callers int              // goroutines that run a task without being the pool's
	helping int              // helpers that run
	behalf  map[cell.Run]int // of these, those for waits that are not certain, by their runs
	denied  list.List        // of awaits that could not be helped, as the pool was overdrawn
	resumes []*await         // whose waits are over, but their place is not free yet
}

// patience is how long a wait goes on before it is helped without certainty.
const patience = 10 * time.Millisecond

// SelfWait reports whether the caller would wait for itself, or for what comes after it: the goroutine
// tells. Behind is the same for somebody of whom only the context tells.
func (h *host) SelfWait(c *cell.Cell) bool {
	x := h.pool().current()
	return x != nil && x.isBehind(c)
}

// Behind reports whether c comes after the run.
func (h *host) Behind(c, run *cell.Cell) bool { return comesAfter(c, run) }

// Await says that the caller is about to wait for c, with ctx.
func (h *host) Await(ctx context.Context, c *cell.Cell) (over func()) {
	a := h.pool().newAwait(ctx)
	if a == nil {
		return nil
	}
	a.cells = []*cell.Cell{c}
	return h.pool().await(a)
}

// AwaitAny is Await for the first of several to be settled.
func (h *host) AwaitAny(ctx context.Context, cs iter.Seq[*cell.Cell]) (over func()) {
	return h.awaitSeveral(ctx, cs, false)
}

// awaitAll is Await for all of several to stop.
func (h *host) awaitAll(ctx context.Context, cs iter.Seq[*cell.Cell]) (over func()) {
	return h.awaitSeveral(ctx, cs, true)
}

func (h *host) awaitSeveral(
	ctx context.Context, cs iter.Seq[*cell.Cell], all bool,
) (over func()) {
	a := h.pool().newAwait(ctx)
	if a == nil {
		return nil
	}
	a.all = all
	for c := range cs {
		own := c.Plan != nil && c.Plan.Host == cell.Host(h)
		if own && !c.Phase().Settled() && (a.by == nil || !a.by.isBehind(c)) {
			a.cells = append(a.cells, c)
		}
	}
	return h.pool().await(a)
}

// isEnding reports whether what a waits for has ended, so that the wait is about to.
func (a *await) isEnding() bool {
	for _, c := range a.cells {
		if c.HasStopped() != a.all {
			return !a.all
		}
	}
	return a.all
}

// newAwait returns a wait of the caller, or nil if nothing tells that it has to do with the pool.
func (p *Pool) newAwait(ctx context.Context) *await {
	if x := p.current(); x != nil {
		return &await{by: x}
	}
	if p.confines() {
		return nil
	}
	if run, found := cell.Find(ctx, p.runs.Owns); found {
		return &await{run: run, patience: patience}
	}
	return nil
}

// await has what a waits for helped until the function returned is called.
func (p *Pool) await(a *await) (over func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range a.cells {
		if s := planOf(c).strand; s != nil {
			s.addAwait(a)
		}
	}
	if a.by == nil {
		p.beatLocked(a, p.helpLater)
	} else {
		p.waits.blocked++
		p.helpLocked(a)
		p.freedLocked()
	}
	return func() { p.endAwait(a) }
}

// endAwait ends the wait of a. It returns when the run has its place again.
func (p *Pool) endAwait(a *await) {
	p.mu.Lock()
	defer p.mu.Unlock()
	returned := a.over // the helper has seen to it
	a.over = true
	if a.timer != nil {
		a.timer.Stop()
	}
	p.waits.forget(a)
	for _, c := range a.cells {
		if s := planOf(c).strand; s != nil {
			s.removeAwait(a)
		}
	}
	switch {
	case a.by == nil, returned: // it has lent nothing, or has its place again
	case p.confines() && p.activeLocked() >= p.allowanceLocked():
		p.resumeLocked(a)
	default:
		p.waits.blocked--
	}
}

// resumeLocked waits until the run has its place again. It lets go of the lock meanwhile.
func (p *Pool) resumeLocked(a *await) {
	a.freed = make(chan struct{})
	p.waits.resumes = append(p.waits.resumes, a)
	p.mu.Unlock()
	<-a.freed
	p.mu.Lock()
}

// activeLocked returns how many goroutines run tasks of the pool and have not lent their place.
func (p *Pool) activeLocked() int { return p.counts.busy - p.waits.nested - p.waits.blocked }

// confines reports whether the pool promises that no two runs are ever active.
func (p *Pool) confines() bool { return p.sizesFixed }

// allowanceLocked returns how many runs may be active: the size, and the callers who run a task
// beside the workers.
func (p *Pool) allowanceLocked() int {
	size := p.ceiling()
	if size > 1<<30 { // without bounds
		return size
	}
	return size + p.waits.callers
}

// mostLocked returns how many runs may be active at the very most, some of them beyond the allowance.
func (p *Pool) mostLocked() int {
	if p.confines() {
		return p.allowanceLocked()
	}
	size, allowance := p.ceiling(), p.allowanceLocked()
	if size > 1<<30 {
		return size
	}
	return allowance + size
}

// denyLocked has a wait until there may be another helper.
func (p *Pool) denyLocked(a *await) {
	if a.denied == nil {
		a.denied = p.waits.denied.PushBack(a)
	}
}

// forget takes a out of those that could not be helped, as it may be long before there is a place.
func (ws *awaits) forget(a *await) {
	if a.denied != nil {
		ws.denied.Remove(a.denied)
		a.denied = nil
	}
}

// endBehalf ends help for a, if that was not certain.
func (ws *awaits) endBehalf(a *await) {
	if a.by != nil {
		return
	}
	if ws.behalf[a.run]--; ws.behalf[a.run] == 0 {
		delete(ws.behalf, a.run)
	}
}

// overdrawnLocked reports whether more runs are active than may be for a worker to take another task.
func (p *Pool) overdrawnLocked() bool {
	return p.waits.helping > 0 && p.activeLocked() >= p.allowanceLocked()
}

// unsatisfied reports whether somebody waits for a place.
func (ws *awaits) unsatisfied() bool { return ws.denied.Len()+len(ws.resumes) > 0 }

// freedLocked gives away a place that may have become free: to a run whose wait is over, to those who
// wait for help that they could not get, or to the workers.
func (p *Pool) freedLocked() {
	ws := &p.waits
	if len(ws.resumes) > 0 && p.activeLocked() < p.allowanceLocked() {
		ws.blocked-- // from here on it is active
		close(ws.resumes[0].freed)
		ws.resumes = ws.resumes[1:]
	}
	for range ws.denied.Len() {
		if p.activeLocked()-len(ws.behalf) >= p.mostLocked() {
			break
		}
		a := ws.denied.Front().Value.(*await)
		ws.forget(a)
		p.helpLocked(a) // or denies it again
	}
	if ws.helping > 0 {
		p.notify(unread)
	}
}
