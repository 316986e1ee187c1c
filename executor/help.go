package executor

import (
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// helpLocked starts what a waits for, or what that waits for its turn behind, if it is due and there
// may be one more helper. If it is not due, that happens at its time.
func (p *Pool) helpLocked(a *await) {
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
	if s := planOf(c).strand; s != nil {
		c = s.head
	}
	switch {
	case !p.waitsInQueue(c): // the head of the strand, which runs
	case p.mayHelpLocked(a):
		p.startHelperLocked(a, c, now)
	default:
		p.denyLocked(a)
	}
}

// nextOf returns the first task to be due of those that a waits for and that have not begun.
func (p *Pool) nextOf(a *await) (first *cell.Cell) {
	for _, c := range a.cells {
		if p.waitsToBegin(c) && (first == nil || c.When < first.When) {
			first = c
		}
	}
	return first
}

// waitsToBegin reports whether c waits in the queue, or for its turn, for its one run.
func (p *Pool) waitsToBegin(c *cell.Cell) bool {
	return p.waitsInQueue(c) && !planOf(c).Periodic()
}

func (p *Pool) waitsInQueue(c *cell.Cell) bool {
	return c.Place != 0 || p.custom != nil && p.custom.holds(c)
}

// mayHelpLocked reports whether there may be a helper for a. Beyond the size there may be one if
// nothing is in progress of what a waits for: a run that waits for several at a time is helped with one
// after another.
func (p *Pool) mayHelpLocked(a *await) bool {
	active := p.activeLocked()
	if a.by != nil && active < p.allowanceLocked() {
		return true
	}
	if a.by != nil || p.waits.behalf[a.run] == 0 {
		active -= len(p.waits.behalf) // these runs wait in all likelihood, by means not known here
	}
	if active >= p.mostLocked() {
		return false
	}
	return !slices.ContainsFunc(a.cells, func(c *cell.Cell) bool { return c.Phase() == cell.Running })
}

// helpAtLocked is helpLocked after d.
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

// beatLocked calls help when the patience of a, which is not certain, is over. After a century,
// which only a bubble sees, it gives up: a bubble that is blocked for ever is to find that out.
func (p *Pool) beatLocked(a *await, help func(a *await)) {
	if a.patience > math.MaxInt64/2 {
		return
	}
	a.timer = time.AfterFunc(a.patience, func() { help(a) })
	a.patience *= 2
}

// helpLater helps what a wait that is not certain is for, if it is due by then, and the run goes on
// that the wait is on behalf of. It does so again after a while, as nothing else may tell.
func (p *Pool) helpLater(a *await) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.over || !a.run.Live() {
		return
	}
	if c := p.nextOf(a); c != nil && c.When > p.clock.Now() {
		a.patience = time.Duration(c.When-p.clock.Now()) + patience // a worker is to have the first try
	} else {
		p.helpLocked(a)
	}
	p.beatLocked(a, p.helpLater)
}

// startHelperLocked runs c, which is in the queue, for a.
func (p *Pool) startHelperLocked(a *await, c *cell.Cell, now int64) {
	if !p.queue.Remove(c) {
		return
	}
	p.helpWithLocked(a, c, now)
	p.notifyLocked(unread) // there is room in the queue
}

// helpWithLocked runs c, which has left the queue, on a goroutine of its own, for a.
func (p *Pool) helpWithLocked(a *await, c *cell.Cell, now int64) {
	g := p.addExtraRunLocked()
	g.helps, g.labels, g.await = true, true, a
	if !g.startLocked(c, now) {
		delete(p.extraRuns, g)
		return
	}
	p.waits.helping++
	if a.by == nil {
		if p.waits.behalf == nil {
			p.waits.behalf = map[cell.Run]int{}
		}
		p.waits.behalf[a.run]++
	}
	p.recallLocked() // from here on, workers look for each task whether there is a place
	go g.help()
}

// help is the goroutine of an extra run that helps.
func (g *extraRun) help() {
	g.pool.unlabel()
	g.pool.runners.enter(&g.execution)
	g.serve()
}

// makeRoom is for a submitter that waits for room with a context of the run, on another goroutine
// than that, which may wait for it in turn. It has the queue helped, as helpLater helps a task,
// until the function returned is called.
func (p *Pool) makeRoom(run cell.Run) (over func()) {
	a := &await{run: run, patience: patience, forRoom: true}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beatLocked(a, p.makeRoomLater)
	return func() { p.endAwait(a) }
}

func (p *Pool) makeRoomLater(a *await) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.over || p.stage >= stopping || !a.run.Live() {
		return
	}
	p.helpHeadLocked(a)
	p.beatLocked(a, p.makeRoomLater)
}

// helpHeadLocked runs the head of the queue, if it is due, on a helper, for a, which waits for room.
// If the queue is empty, it runs the task of the first of those who do. If a waits still when the
// helper ends, the next follows at once: a crowd gets room together, not at the next try of each.
func (p *Pool) helpHeadLocked(a *await) {
	if !p.mayHelpLocked(a) {
		p.denyLocked(a)
		return
	}
	now := p.clock.Now()
	when, due := p.queue.Head()
	switch {
	case when == parking.Nothing:
		p.blockedSubmitters.bypassLocked(p, a, now)
	case due || when <= now:
		p.helpWithLocked(a, p.queue.Pop(now).Cell, now)
		p.notifyLocked(unread)
	}
}
