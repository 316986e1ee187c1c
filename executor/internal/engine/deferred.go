package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// deferLocked queues c once it may begin.
func (ws *waiting) deferLocked(c *cell.Cell, at int64) {
	p := ws.pool
	if ws.deferred == nil {
		ws.deferred = deferred{}
	}
	ws.deferred[c] = nil
	if at == clock.Never {
		return
	}
	ws.deferred[c] = p.later(time.Duration(at-p.clock.Now()), func() {
		// A timer that comes too late must not end another wait.
		if ws.readyAt(c) <= p.clock.Now() && ws.endDeferLocked(c) {
			ws.placeLocked(c, at)
			ws.wake()
		}
	})
}

// endDeferLocked takes c out of the deferred tasks, and reports whether it was among them.
func (ws *waiting) endDeferLocked(c *cell.Cell) bool {
	timer, found := ws.deferred[c]
	if timer != nil {
		timer.Stop()
	}
	delete(ws.deferred, c)
	return found
}

// takeDeferredLocked takes out the deferred tasks that keep does not accept, and returns them in
// the order of their times.
func (ws *waiting) takeDeferredLocked(keep func(c *cell.Cell) bool) (cells []*cell.Cell) {
	for c := range ws.deferred {
		if !keep(c) {
			cells = append(cells, c)
		}
	}
	for _, c := range cells {
		ws.endDeferLocked(c)
	}
	slices.SortFunc(cells, compareDue)
	return cells
}

// compareDue orders tasks by when they are due, and then by when they came to the queue.
func compareDue(a, b *cell.Cell) int {
	due := cmp.Compare(planOf(a).DueAt(a), planOf(b).DueAt(b))
	return cmp.Or(due, cmp.Compare(a.Order, b.Order))
}
