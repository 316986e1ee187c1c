package engine

import (
	"cmp"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// Overview: a task that has waited for too long, or a series without a run to wait for, is not kept
// until a worker is free. It is set aside: taken out of wherever it waits, so that it takes no
// room, and put through the states of a run at once, of which only the body is left out. Who does
// that is no worker and takes no worker's place.

// SetAsideLocked is that of [run.Host].
func (h *Host) SetAsideLocked(c *cell.Cell, why run.Skip) (finish func()) {
	p := (*Pool)(h)
	ls := &p.loans
	turn := turnOf(c)
	if p.Life.stage >= stopping || !p.waiting.takeOutLocked(c) {
		return nil
	}
	p.unexpectLocked(c)
	g := ls.addExtraRunLocked()
	g.Aside, g.labels = why, true
	started := g.startLocked(c, p.clock.Now())
	// What it has waited for, if late runs are explained.
	g.Freed, g.Meant = turn, p.Crew.lot.Until()
	if !started {
		delete(ls.extraRuns, g) // it was cancelled a moment ago, and has been counted
		p.Crew.notifyLocked(unread)
		return nil
	}
	p.counts.busy--
	p.Crew.notifyLocked(unread) // there is room where it was
	return func() { go g.serveApart() }
}

// turnOf returns when it was the turn of c, which waits, in its serial executor: clock.Never if it
// was not yet, and 0 if it is in none.
func turnOf(c *cell.Cell) int64 {
	pl := planOf(c)
	s := cmp.Or(pl.strand, pl.expectedBy)
	switch {
	case s == nil:
		return 0
	case s.head != nil && s.head != c:
		return clock.Never
	}
	return max(s.ended, s.openAt(pl.Retrying()))
}
