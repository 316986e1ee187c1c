package engine

import (
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
)

// helpLocked starts what a waits for, or what that waits behind in its strand, on a helper. If it
// may not begin yet, that happens once it may; if there may not be another helper, when there is a
// place.
func (ls *loans) helpLocked(a *await) {
	// A wait that is not certain matters only while the run is in progress on whose behalf it is.
	if a.over || ls.pool.Life.stage >= stopping || a.by == nil && !a.run.Live() {
		return
	}
	if a.forRoom {
		ls.helpHeadLocked(a)
		return
	}
	c, at := ls.nextOf(a)
	now := ls.pool.clock.Now()
	switch {
	case c == nil:
	case at > now:
		ls.helpAtLocked(a, at, now)
	case planOf(c).expected && !ls.meetLocked(c):
		ls.helpLocked(a) // others come before it
	case !ls.mayHelpLocked(a):
		ls.denyLocked(a)
	// A user's WorkQueue may not have it after all.
	case ls.pool.waiting.takeLocked(c):
		ls.helpWithLocked(a, c, now)
		ls.pool.Crew.notifyLocked(unread) // there is room in the queue now
	}
}

// nextOf returns what has to begin next so that the wait of a can end, and from when on it may: of
// the tasks that a waits for, or the heads of the strands in which they wait, the one that may
// begin first. It returns nil if there is none, or if it is running: when that has ended, depart
// and advanceLocked come back for the next.
func (ls *loans) nextOf(a *await) (next *cell.Cell, at int64) {
	p := ls.pool
	for _, c := range a.cells {
		s := planOf(c).strand
		if s != nil {
			s.addAwaitLocked(a) // c may have come to the strand during the wait
		}
		// No single run of a periodic task ends the wait.
		if planOf(c).Periodic() || !p.waiting.waitsToBegin(c) {
			continue
		}
		if s != nil {
			if c = s.head; !p.waiting.waitsToBegin(c) {
				continue
			}
		}
		if begins := p.beginsAtLocked(c); next == nil || begins < at {
			next, at = c, begins
		}
	}
	return next, at
}

// meetLocked gives c, which is due, its place in the strand that expects it, and reports whether it
// may begin. It is in the queue then.
func (ls *loans) meetLocked(c *cell.Cell) bool {
	p := ls.pool
	if !p.waiting.queue.Remove(c) || !p.joinLocked(c) {
		return false
	}
	p.waiting.placeLocked(c, p.waiting.readyAt(c))
	return true
}

// mayHelpLocked reports whether there may be a helper for a. A wait that is certain has lent a
// place, and within the allowance that can be used. In excess of it there may be a helper only if
// nothing that a waits for is in progress: a run that waits for several at a time is helped with
// one after another.
func (ls *loans) mayHelpLocked(a *await) bool {
	active := ls.activeLocked()
	if a.over { // as has just been found
		return false
	}
	if a.by != nil && active < ls.allowanceLocked() {
		return true
	}
	// The runs on whose behalf helpers run are probably waiting too, by means that the pool does
	// not know. So each of them is granted one helper beyond the bound: otherwise tasks that join
	// goroutines which wait for tasks that do the same would block at some depth.
	if a.by != nil || ls.waits.behalf[a.run] == 0 {
		active -= len(ls.waits.behalf)
	}
	if active >= ls.mostLocked() {
		return false
	}
	return !slices.ContainsFunc(a.cells, func(c *cell.Cell) bool {
		return c.Phase() == cell.Running
	})
}

// helpAtLocked looks at a again when what it waits for may begin; if the wait is not certain,
// shortly after that, not at a multiple of its patience.
func (ls *loans) helpAtLocked(a *await, at, now int64) {
	a.stopTimer()
	switch {
	case a.by == nil: // a worker is to have the first try
		a.patience = time.Duration(clock.Later(at-now, patience))
		ls.beatLocked(a)
	case at != clock.Never:
		a.timer = ls.pool.later(time.Duration(at-now), func() { ls.helpLocked(a) })
	}
}

// beatLocked looks at a again once its patience is over, and doubles that. After a century, which
// only a bubble sees, it gives up: a bubble that is blocked for good must be able to notice.
func (ls *loans) beatLocked(a *await) {
	a.stopTimer()
	if a.patience > math.MaxInt64/2 {
		return
	}
	a.timer = ls.pool.later(a.patience, func() { ls.helpLaterLocked(a) })
	a.patience *= 2
}

// helpLaterLocked helps a wait that is not certain, if what it waits for is due by now and the run
// is still in progress on whose behalf it is. It then sets the next beat, as nothing else may tell
// of a change.
func (ls *loans) helpLaterLocked(a *await) {
	if a.over || ls.pool.Life.stage >= stopping || !a.run.Live() {
		return
	}
	ls.beatLocked(a)
	ls.helpLocked(a)
}

// helpWithLocked runs c, which has left the queue, for a, on a goroutine of its own: so the wait
// can end before c does, and a Goexit of c ends no other run.
func (ls *loans) helpWithLocked(a *await, c *cell.Cell, now int64) {
	g := ls.addExtraRunLocked()
	g.helps, g.labels, g.await = true, true, a
	if !g.startLocked(c, now) {
		delete(ls.extraRuns, g) // it was cancelled a moment ago, which ends the wait
		return
	}
	ls.waits.helping++
	ls.waits.serve(a, c)
	if a.by == nil {
		if ls.waits.behalf == nil {
			ls.waits.behalf = map[cell.Run]int{}
		}
		ls.waits.behalf[a.run]++
	}
	// Workers that claim from a batch do not take the lock, and so would not see that the pool is
	// overdrawn.
	ls.pool.waiting.recallLocked()
	go g.serveApart()
}

// helpHeadLocked runs the head of the queue on a helper, if it is due, for a, which waits for room.
// If the queue is empty, it runs the task of the first blocked submitter. If a still waits when the
// helper ends, depart calls helpHeadLocked again: a crowd then gets room at once, not one at each
// beat.
func (ls *loans) helpHeadLocked(a *await) {
	p := ls.pool
	if !ls.mayHelpLocked(a) {
		ls.denyLocked(a)
		return
	}
	now := p.clock.Now()
	switch when, due, _ := p.peekLocked(); {
	// No head, yet no room either: under HandOff, or because of tasks held back outside the queue.
	case when == parking.Nothing:
		p.Door.blockedSubmitters.bypassLocked(p, a, now)
	case due || when <= now:
		c := p.waiting.queue.Pop(now).Cell // cancelled just now, if there is none
		if c != nil && (!planOf(c).expected || p.joinLocked(c)) {
			ls.helpWithLocked(a, c, now)
		}
		p.Crew.notifyLocked(unread)
	}
}

// helpAnewLocked looks again at the waits for c, which is queued for another time than before, and
// for those behind it in its lane.
func (ls *loans) helpAnewLocked(c *cell.Cell) {
	if s := planOf(c).strand; s != nil {
		s.helpLocked(ls.pool)
		return
	}
	if ls.waits.lent.Len() == 0 {
		return
	}
	for x := range ls.pool.Crew.executionsLocked() {
		if a := x.waits; a != nil && slices.Contains(a.cells, c) {
			ls.helpLocked(a)
		}
	}
}
