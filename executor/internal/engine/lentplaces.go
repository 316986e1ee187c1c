package engine

import (
	"container/list"

	"github.com/punctual-go/punctual/internal/cell"
)

// Overview: a run whose wait is certain has lent its place, and has it back as soon as what it
// waits for has ended. Its goroutine may take a while to wake up and say so. Until then its place
// would seem to be free, and the worker that ran the task is the first to look for one.

// inProgressLocked returns how many goroutines run tasks of the pool. A nested run shares the
// goroutine of the run outside it.
func (ls *loans) inProgressLocked() int { return ls.pool.counts.busy - ls.waits.nested }

// activeLocked returns how many of these have not lent their places, or have them back. As long
// as there are places for all, the end of a run returns none, see accountLocked. That is made up
// for here, before the first place that has been lent is used by another.
func (ls *loans) activeLocked() int {
	if ls.waits.lent.Len() > 0 && ls.inProgressLocked() == ls.allowanceLocked() {
		ls.returnLocked()
	}
	return ls.inProgressLocked() - ls.waits.lent.Len()
}

// lend lends the place of the run that waits.
func (ws *awaits) lend(a *await) { a.lent = ws.lent.PushBack(a) }

// giveBack gives it back: the run is active from here on, whenever its goroutine wakes up.
func (ws *awaits) giveBack(a *await) {
	ws.lent.Remove(a.lent)
	a.lent = nil
}

// serve notes that a helper runs c for a. If that is all that a waits for, no other run ends the
// wait, and it goes to the front of those whose runs have lent their places.
func (ws *awaits) serve(a *await, c *cell.Cell) {
	if a.lent != nil && len(a.cells) == 1 && a.cells[0] == c {
		a.served = true
		ws.lent.MoveToFront(a.lent)
	}
}

// unserve notes that the helper of a, which may be nil, is about to leave. If that ends the wait,
// the place goes back to where it came from.
func (ws *awaits) unserve(a *await) {
	switch {
	case a == nil || a.lent == nil || a.over:
	case a.isEnding():
		a.over = true
		ws.giveBack(a)
	case a.served:
		a.served = false
		ws.lent.MoveToBack(a.lent)
	}
}

// returnLocked gives their places back to the runs whose waits are about to end.
func (ls *loans) returnLocked() {
	var before *list.Element
	for place := ls.waits.lent.Back(); place != nil; place = before {
		before = place.Prev()
		a := place.Value.(*await)
		if a.served {
			return // and so are all in front of it
		}
		if a.over || !a.isEnding() {
			continue
		}
		// Several have waited for the same task, or a caller has run it, on a place of its own.
		active := ls.inProgressLocked() - ls.waits.lent.Len()
		if ls.pool.confines() && active >= ls.allowanceLocked() {
			return
		}
		a.over = true
		ls.waits.giveBack(a)
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
