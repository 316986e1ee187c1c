package engine

import (
	"context"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
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
// run by another; when what it waits for has ended, on whatever goroutine, the run is active again
// before anybody looks for a free place. A wait that ends early, by its context or a time limit,
// leaves one too many. So do several waits that end with the same task, and help that is not
// certain: the pool is overdrawn. While it is, the workers take nothing new. Once twice the size
// are active, nobody is helped until one of them has ended, with one exception: each run on whose
// behalf others wait is granted one helper at a time, and then counts as waiting itself. So tasks
// that join goroutines which wait for tasks that do the same get through at any depth. Only waits
// that end early all at once, each for the next of a chain, exceed that.
//
// A pool of one worker whose sizes are fixed is never overdrawn: tasks may confine state to it. A
// wait that ends early goes on there until its place is free again, as the wait on a condition
// variable does until it has the lock, and help that is not certain is not given.

// patience is how long a wait that is not certain goes on before it is helped.
const patience = 10 * time.Millisecond

// stopTimer keeps a from being looked at again by the clock.
func (a *await) stopTimer() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// newAwait returns a wait of the caller, or nil if the caller has, as far as can be known, nothing
// to do with the pool.
func (ls *loans) newAwait(ctx context.Context) *await {
	p := ls.pool
	if x := p.current(); x != nil {
		return &await{by: x}
	}
	// Help on a mere suspicion could make two runs active at once.
	if p.confines() {
		return nil
	}
	if run, found := cell.Find(ctx, p.runs.Owns); found {
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
		ls.beatLocked(a)
	} else {
		a.by.waits = a
		ls.waits.lend(a)
		ls.helpLocked(a)
		ls.freedLocked()
	}
	return func() { ls.endAwait(a) }
}

// endAwait ends the wait of a. It returns when the run has its place again.
func (ls *loans) endAwait(a *await) {
	delay.At(delay.WaitEnds)
	if freed := ls.resume(a); freed != nil {
		<-freed
	}
}

// resume ends the wait of a. It returns nil if the run has its place again, or else a channel that
// is closed once it has.
func (ls *loans) resume(a *await) (freed <-chan struct{}) {
	p := ls.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.by != nil {
		a.by.waits = nil
	}
	a.over = true
	a.stopTimer()
	ls.waits.forget(a)
	for _, c := range a.cells {
		if s := planOf(c).strand; s != nil {
			s.awaits = slices.DeleteFunc(s.awaits, func(b *await) bool { return b == a })
		}
	}
	switch {
	case a.lent == nil: // it has lent nothing, or has its place again, see returnLocked
	// Any other pool is overdrawn instead: it is better to exceed the size for a while than to let
	// a limited wait last longer than its limit.
	case p.confines() && ls.activeLocked() >= ls.allowanceLocked():
		a.freed = make(chan struct{})
		ls.waits.resumes = append(ls.waits.resumes, a)
		return a.freed
	default:
		ls.waits.giveBack(a)
	}
	return nil
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

// endHelp ends the help that helpWithLocked has counted for a.
func (ws *awaits) endHelp(a *await) {
	ws.helping--
	if a.by != nil {
		return
	}
	if ws.behalf[a.run]--; ws.behalf[a.run] == 0 {
		delete(ws.behalf, a.run)
	}
}

// freedLocked gives away a place that may have become free: first to a run whose wait is over, as
// it keeps a caller waiting, then to those that could not be helped, then to the workers.
func (ls *loans) freedLocked() {
	ws := &ls.waits
	if len(ws.resumes) > 0 && ls.activeLocked() < ls.allowanceLocked() {
		ws.giveBack(ws.resumes[0])
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
