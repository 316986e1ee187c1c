package eventloop

import "github.com/punctual-go/punctual/internal/cell"

// withdrawn is called when a waiting task has been cancelled. It waits for the lock only if the
// loop is short, as the shortage may be over by that. Otherwise, if it does not get the lock, the
// holder is about to look at the notices, or the next canceller processes them.
func (ws *waiting) withdrawn(c *cell.Cell) {
	switch {
	case !ws.notices.leave(c):
		return
	case ws.notices.many.Load() == 0:
		ws.loop.mu.Lock()
	case !ws.loop.mu.TryLock():
		return
	}
	defer ws.loop.mu.Unlock()
	ws.collectLocked()
	ws.loop.runs.RecheckShortageLocked()
}

// reclaimCancelledLocked removes cancelled tasks from the heap. One that stands in the line or on
// the intake is dropped when its turn comes.
func (ws *waiting) reclaimCancelledLocked() {
	if ws.notices.top.Load() == nil {
		return
	}
	seen := uint64(0)
	for n := ws.notices.top.Swap(nil); n != nil; n = n.before {
		seen++
		if ws.agenda.remove(n.cell) {
			ws.loop.counts.reclaimed++
		} else {
			ws.agenda.line.tombstones++ // an upper bound: it may have left the line already
		}
	}
	ws.notices.seen += seen
	ws.notices.heedLocked(ws.notices.heeds)
	ws.loop.counts.reclaimed += ws.agenda.line.tidy()
}

// tombstonesLocked returns how many cancelled tasks have not been removed yet. It may be below 0
// for a moment: the loop may drop a cancelled task before its canceller has left the notice.
func (ws *waiting) tombstonesLocked() int {
	return int(ws.notices.left.Load() - ws.loop.counts.reclaimed)
}
