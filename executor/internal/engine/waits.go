package engine

import (
	"container/list"
	"context"
	"iter"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Overview: a run that waits for another task of its pool does nothing meanwhile, so it lends its
// place. The task that it waits for leaves the queue, ahead of its turn, and runs on a goroutine of
// its own, the helper. So a task may submit another to its own pool and wait for it, at any size
// and depth, and the pool still runs no more tasks than its size. The idea is the helping join of
// java.util.concurrent's ForkJoinPool. There the waiting thread itself runs the other task; here
// that would keep the wait from ending before the task does, and a Goexit would harm both.
//
// Who waits is told by the goroutine, which is certain. Another goroutine may wait with a context
// of one of the pool's runs. Whether that run waits for it in turn, and so whether a place is free,
// is not certain. Then the pool waits too, for patience, and for twice as long each time; what has
// not begun by then is helped in excess of the size.
//
// # Bounds
//
// A run is active unless its goroutine waits like that. A wait that is certain replaces one active
// run by another. One that ends early, by its context or a time limit, leaves one too many, and so
// does help that is not certain: the pool is overdrawn. While it is, the workers take nothing new.
// Once twice the size are active, nobody is helped until one of them has ended, with one exception:
// each run on whose behalf others wait is granted one helper at a time, and then counts as waiting
// itself. So tasks that join goroutines which wait for tasks that do the same get through at any
// depth. Only waits that end early all at once, each for the next of a chain, exceed that.
//
// A pool of one worker whose sizes are fixed is never overdrawn: tasks may confine state to it. A
// wait that ends early goes on there until its place is free again, as the wait on a condition
// variable does until it has the lock, and help that is not certain is not given.

// await is a wait for tasks of the pool, or for room in its queue.
//
//	waiting -> helped    helpLocked: a helper runs what it waits for
//	waiting -> denied    the pool is overdrawn too far; freedLocked tries again
//	denied  -> helped    a place is free
//	helped  -> waiting   the helper has ended, and the wait has not
//	any     -> over      resume; or returnLocked, a moment before
type await struct {
	by     *execution    // the run that waits, and has lent its place; nil if not certain
	cells  []*cell.Cell  // waited for; the first that is due is helped
	all    bool          // waits for all of cells, not only for the first
	over   bool          // the wait has ended, or is about to
	denied *list.Element // its place in awaits.denied, or nil
	timer  *time.Timer   // for the time of what is not due, or for patience
	freed  chan struct{} // closed when its run has its place again; see awaits.resumes

	// Of a wait that is not certain:
	run      cell.Run      // on whose behalf it waits
	patience time.Duration // before the next try
	forRoom  bool          // it waits for room in the queue, not for cells
}

// awaits are what a pool knows about waits. Its lock guards them. See activeLocked for how the
// numbers add up.
type awaits struct {
	blocked int              // runs that have lent their places
	nested  int              // runs inside others, on the same goroutine
	callers int              // goroutines not of the pool that run a task of it
	helping int              // helpers that are running
	behalf  map[cell.Run]int // of these, those for waits that are not certain, by run
	denied  list.List        // awaits that could not be helped, as the pool was overdrawn
	resumes []*await         // whose waits are over, but whose place is not free yet
}

// loans are the runs of a pool on goroutines that are not workers, and the waits that lend their
// places to them. The pool's lock guards them.
type loans struct {
	pool      *Pool
	extraRuns extraRuns // runs on goroutines that are not workers
	waits     awaits    // runs that wait for other tasks of the pool
}

// patience is how long a wait that is not certain goes on before it is helped.
const patience = 10 * time.Millisecond

// SelfWait reports whether the caller, identified by its goroutine, would wait for itself, or for
// what comes after it. Behind is the same for somebody of whom only a context is known.
func (h *Host) SelfWait(c *cell.Cell) bool {
	x := h.pool().current()
	return x != nil && x.isBehind(c)
}

// Behind reports whether c comes after the run.
func (h *Host) Behind(c, run *cell.Cell) bool { return comesAfter(c, run) }

// Await announces that the caller is about to wait for c, with ctx. It returns the function to call
// after the wait, or nil if the wait has nothing to do with the pool.
func (h *Host) Await(ctx context.Context, c *cell.Cell) (over func()) {
	a := h.pool().loans.newAwait(ctx)
	if a == nil {
		return nil
	}
	a.cells = []*cell.Cell{c}
	return h.pool().loans.await(a)
}

// AwaitAny is Await for the first of several to be settled.
func (h *Host) AwaitAny(ctx context.Context, cs iter.Seq[*cell.Cell]) (over func()) {
	return h.awaitSeveral(ctx, cs, false)
}

// AwaitAll is Await for all of several to stop.
func (h *Host) AwaitAll(ctx context.Context, cs iter.Seq[*cell.Cell]) (over func()) {
	return h.awaitSeveral(ctx, cs, true)
}

// awaitSeveral leaves out what the pool cannot help with: tasks of others, those that are settled,
// and those that cannot end before the caller.
func (h *Host) awaitSeveral(
	ctx context.Context, cs iter.Seq[*cell.Cell], all bool,
) (over func()) {
	a := h.pool().loans.newAwait(ctx)
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
	return h.pool().loans.await(a)
}

// stopTimer keeps a from being looked at again by the clock.
func (a *await) stopTimer() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// isEnding reports whether what a waits for has ended, so that the wait is about to end.
func (a *await) isEnding() bool {
	for _, c := range a.cells {
		if c.HasStopped() != a.all {
			return !a.all
		}
	}
	return a.all
}

// waitsLocked reports whether the run waits for another task, and for which.
func (x *execution) waitsLocked() (waits bool, name string) {
	if x.waits == nil {
		return false, ""
	}
	for _, c := range x.waits.cells {
		if !c.HasStopped() {
			return true, planOf(c).Name
		}
	}
	return false, ""
}

// newAwait returns a wait of the caller, or nil if the caller has, as far as can be known, nothing
// to do with the pool.
func (ls *loans) newAwait(ctx context.Context) *await {
	if x := ls.pool.current(); x != nil {
		return &await{by: x}
	}
	// Help on a mere suspicion could make two runs active at once.
	if ls.pool.confines() {
		return nil
	}
	if run, found := cell.Find(ctx, ls.pool.runs.Owns); found {
		return &await{run: run, patience: patience}
	}
	return nil
}

// await has what a waits for helped, until the function that it returns is called.
func (ls *loans) await(a *await) (over func()) {
	ls.pool.mu.Lock()
	defer ls.pool.mu.Unlock()
	for _, c := range a.cells {
		if s := planOf(c).strand; s != nil {
			s.addAwaitLocked(a)
		}
	}
	if a.by == nil {
		ls.beatLocked(a, ls.helpLater)
	} else {
		ls.waits.blocked++
		a.by.waits = a
		ls.helpLocked(a)
		ls.freedLocked()
	}
	return func() { ls.endAwait(a) }
}

// endAwait ends the wait of a. It returns when the run has its place again.
func (ls *loans) endAwait(a *await) {
	if freed := ls.resume(a); freed != nil {
		<-freed
	}
}

// resume ends the wait of a. It returns nil if the run has its place again, or else a channel that
// is closed once it has.
func (ls *loans) resume(a *await) (freed <-chan struct{}) {
	ls.pool.mu.Lock()
	defer ls.pool.mu.Unlock()
	if a.by != nil {
		a.by.waits = nil
	}
	returned := a.over // the helper has given the place back, see returnLocked
	a.over = true
	a.stopTimer()
	ls.waits.forget(a)
	for _, c := range a.cells {
		if s := planOf(c).strand; s != nil {
			s.removeAwait(a)
		}
	}
	switch {
	case a.by == nil, returned: // it has lent nothing, or has its place again
	// Any other pool is overdrawn instead: it is better to exceed the size for a while than to let
	// a limited wait last longer than its limit.
	case ls.pool.confines() && ls.activeLocked() >= ls.allowanceLocked():
		a.freed = make(chan struct{})
		ls.waits.resumes = append(ls.waits.resumes, a)
		return a.freed
	default:
		ls.waits.blocked--
	}
	return nil
}

// activeLocked returns how many goroutines run tasks of the pool and have not lent their place. A
// nested run shares the goroutine of the run outside it.
func (ls *loans) activeLocked() int { return ls.pool.counts.busy - ls.waits.nested - ls.waits.blocked }

// confines reports whether the pool promises that no two runs are ever active.
func (p *Pool) confines() bool { return p.SizesFixed }

// allowanceLocked returns how many runs may be active: the size of the pool, and the callers, which
// run tasks beside the workers.
func (ls *loans) allowanceLocked() int {
	size := ls.pool.Crew.ceilingLocked()
	if size > 1<<30 { // unbounded; to add to it could overflow
		return size
	}
	return size + ls.waits.callers
}

// mostLocked returns how many runs may be active at the very most, with those in excess of the
// allowance.
func (ls *loans) mostLocked() int {
	if ls.pool.confines() {
		return ls.allowanceLocked()
	}
	size, allowance := ls.pool.Crew.ceilingLocked(), ls.allowanceLocked()
	if size > 1<<30 {
		return size
	}
	return allowance + size
}

// denyLocked makes a wait until there may be another helper, see freedLocked.
func (ls *loans) denyLocked(a *await) {
	if a.denied == nil {
		a.denied = ls.waits.denied.PushBack(a)
	}
}

// forget takes a out of those that could not be helped: because its wait is over, or it is helped
// now.
func (ws *awaits) forget(a *await) {
	if a.denied != nil {
		ws.denied.Remove(a.denied)
		a.denied = nil
	}
}

// endBehalf ends the help that helpWithLocked has counted for a, if that wait was not certain.
func (ws *awaits) endBehalf(a *await) {
	if a.by != nil {
		return
	}
	if ws.behalf[a.run]--; ws.behalf[a.run] == 0 {
		delete(ws.behalf, a.run)
	}
}

// overdrawnLocked reports whether so many runs are active that workers must not take another task.
// Only helpers can bring that about, so without one it costs next to nothing to ask.
func (ls *loans) overdrawnLocked() bool {
	return ls.waits.helping > 0 && ls.activeLocked() >= ls.allowanceLocked()
}

// unsatisfied reports whether somebody waits for a place.
func (ws *awaits) unsatisfied() bool { return ws.denied.Len()+len(ws.resumes) > 0 }

// freedLocked gives away a place that may have become free: first to a run whose wait is over, as
// it keeps a caller waiting, then to those that could not be helped, then to the workers.
func (ls *loans) freedLocked() {
	ws := &ls.waits
	if len(ws.resumes) > 0 && ls.activeLocked() < ls.allowanceLocked() {
		ws.blocked-- // active from here on, whenever its goroutine wakes up
		close(ws.resumes[0].freed)
		ws.resumes = ws.resumes[1:]
	}
	// Each is tried once: helpLocked may deny it again, which puts it last.
	for range ws.denied.Len() {
		if ls.activeLocked()-len(ws.behalf) >= ls.mostLocked() {
			break
		}
		a := ws.denied.Front().Value.(*await)
		ws.forget(a)
		ls.helpLocked(a)
	}
	// Workers may have passed by because the pool was overdrawn.
	if ws.helping > 0 {
		ls.pool.Crew.notifyLocked(unread)
	}
}
