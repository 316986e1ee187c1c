package executor

import (
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// helpLocked starts what a waits for, or what that waits behind in its strand, on a helper. If it
// is not due, that happens at its time; if there may not be another helper, when there is a place.
func (p *Pool) helpLocked(a *await) {
	// A wait that is not certain matters only while the run is in progress on whose behalf it is.
	if a.over || p.stage >= stopping || a.by == nil && !a.run.Live() {
		return
	}
	if a.forRoom {
		p.helpHeadLocked(a)
		return
	}
	c, now := p.nextOf(a), p.clock.Now()
	switch {
	case c == nil:
		return
	case c.When > now:
		p.helpAtLocked(a, time.Duration(c.When-now))
		return
	}
	// Behind others of its strand, c can only begin once they have: the first one is helped
	// instead. When that has ended, depart and advanceLocked come back for the next.
	if s := planOf(c).strand; s != nil {
		c = s.head
	} else if s := planOf(c).expectedBy; s != nil {
		if !p.queue.Remove(c) {
			return
		}
		s.addAwaitLocked(a) // resume takes it out, as it is the strand of c from now on
		if !p.joinLocked(c) {
			p.helpLocked(a)
			return
		}
		p.placeLocked(c, c.When)
	}
	switch {
	case !p.waitsInQueue(c): // the head of the strand is running
	case p.mayHelpLocked(a):
		p.startHelperLocked(a, c, now)
	default:
		p.denyLocked(a)
	}
}

// nextOf returns, of the tasks that a waits for and that have not begun, the one that is due first.
func (p *Pool) nextOf(a *await) (first *cell.Cell) {
	for _, c := range a.cells {
		if p.waitsToBegin(c) && (first == nil || c.When < first.When) {
			first = c
		}
	}
	return first
}

// waitsToBegin reports whether c waits in the queue, or for its turn, for its one run. A periodic
// task is not helped: no single run of it ends the wait.
func (p *Pool) waitsToBegin(c *cell.Cell) bool {
	return p.waitsInQueue(c) && !planOf(c).Periodic()
}

// waitsInQueue reports whether c has a place among those that wait.
func (p *Pool) waitsInQueue(c *cell.Cell) bool {
	return c.Place != 0 || p.custom != nil && p.custom.holds(c)
}

// mayHelpLocked reports whether there may be a helper for a. A wait that is certain has lent a
// place, and within the allowance that can be used. In excess of it there may be a helper only if
// nothing that a waits for is in progress: a run that waits for several at a time is helped with
// one after another.
func (p *Pool) mayHelpLocked(a *await) bool {
	active := p.activeLocked()
	if a.by != nil && active < p.allowanceLocked() {
		return true
	}
	// The runs on whose behalf helpers run are probably waiting too, by means that the pool does
	// not know. So each of them is granted one helper beyond the bound: otherwise tasks that join
	// goroutines which wait for tasks that do the same would block at some depth.
	if a.by != nil || p.waits.behalf[a.run] == 0 {
		active -= len(p.waits.behalf)
	}
	if active >= p.mostLocked() {
		return false
	}
	return !slices.ContainsFunc(a.cells, func(c *cell.Cell) bool {
		return c.Phase() == cell.Running
	})
}

// helpAtLocked calls helpLocked for a after d.
func (p *Pool) helpAtLocked(a *await, d time.Duration) {
	if a.timer != nil {
		a.timer.Stop()
	}
	a.timer = time.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.helpLocked(a)
	})
}

// beatLocked calls help once the patience of a is over, and doubles that. After a century, which
// only a bubble sees, it gives up: a bubble that is blocked for good must be able to notice.
func (p *Pool) beatLocked(a *await, help func(a *await)) {
	if a.patience > math.MaxInt64/2 {
		return
	}
	a.timer = time.AfterFunc(a.patience, func() { help(a) })
	a.patience *= 2
}

// helpLater helps a wait that is not certain, if what it waits for is due by now and the run is
// still in progress on whose behalf it is. It then sets the next beat, as nothing else may tell of
// a change.
func (p *Pool) helpLater(a *await) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.over || !a.run.Live() {
		return
	}
	// Not due: the next look is shortly after its time, not at a multiple of the patience.
	if c := p.nextOf(a); c != nil && c.When > p.clock.Now() {
		// A worker is to have the first try.
		a.patience = time.Duration(c.When-p.clock.Now()) + patience
	} else {
		p.helpLocked(a)
	}
	p.beatLocked(a, p.helpLater)
}

// startHelperLocked runs c, which is in the queue, for a. If the queue does not have it, which only
// a user's WorkQueue can cause, nothing happens.
func (p *Pool) startHelperLocked(a *await, c *cell.Cell, now int64) {
	if !p.queue.Remove(c) {
		return
	}
	p.helpWithLocked(a, c, now)
	p.notifyLocked(unread) // there is room in the queue now
}

// helpWithLocked runs c, which has left the queue, for a, on a goroutine of its own: so the wait
// can end before c does, and a Goexit of c ends no other run.
func (p *Pool) helpWithLocked(a *await, c *cell.Cell, now int64) {
	g := p.addExtraRunLocked()
	g.helps, g.labels, g.await = true, true, a
	if !g.startLocked(c, now) {
		delete(p.extraRuns, g) // it was cancelled a moment ago, which ends the wait
		return
	}
	p.waits.helping++
	if a.by == nil {
		if p.waits.behalf == nil {
			p.waits.behalf = map[cell.Run]int{}
		}
		p.waits.behalf[a.run]++
	}
	// Workers that claim from a batch do not take the lock, and so would not see that the pool is
	// overdrawn.
	p.recallLocked()
	go g.help()
}

// help is the goroutine of a helper.
func (g *extraRun) help() {
	g.pool.unlabel()
	g.pool.runners.enter(&g.execution)
	g.serve()
}

// makeRoom is for a submitter that waits for room on a goroutine which is not that of the run, but
// has its context: the run may be waiting for it in turn. Like helpLater it has the head of the
// queue helped, until over is called.
func (p *Pool) makeRoom(run cell.Run) (over func()) {
	a := &await{run: run, patience: patience, forRoom: true}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beatLocked(a, p.makeRoomLater)
	return func() { p.endAwait(a) }
}

// makeRoomLater is one beat of makeRoom.
func (p *Pool) makeRoomLater(a *await) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.over || p.stage >= stopping || !a.run.Live() {
		return
	}
	p.helpHeadLocked(a)
	p.beatLocked(a, p.makeRoomLater)
}

// helpHeadLocked runs the head of the queue on a helper, if it is due, for a, which waits for room.
// If the queue is empty, it runs the task of the first blocked submitter. If a still waits when the
// helper ends, depart calls helpHeadLocked again: a crowd then gets room at once, not one at each
// beat.
func (p *Pool) helpHeadLocked(a *await) {
	if !p.mayHelpLocked(a) {
		p.denyLocked(a)
		return
	}
	now := p.clock.Now()
	when, due := p.queue.Head()
	switch {
	// No head, yet no room either: under HandOff, or because of tasks held back outside the queue.
	case when == parking.Nothing:
		p.blockedSubmitters.bypassLocked(p, a, now)
	case due || when <= now:
		if c := p.queue.Pop(now).Cell; p.joinLocked(c) {
			p.helpWithLocked(a, c, now)
		}
		p.notifyLocked(unread)
	}
}
