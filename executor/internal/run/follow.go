package run

import "github.com/punctual-go/punctual/internal/cell"

// follow tells the follower of a series, if there is one, that a run is over.
func (x *Execution) follow() {
	pl := x.Plan
	if pl.Follower == nil || !x.Began() && !x.Expired() {
		return
	}
	x.Owner.Lock.Lock()
	last := x.Owner.LastRunOf(pl, x.RecordLocked())
	x.Owner.Lock.Unlock()
	x.Owner.Guard("follower", x.Info(), func() { pl.Follower.RunEnded(last, x.Failed) })
}

// Ask is Trigger for a series that is not paused. It returns the number of the run that it has
// asked for, which is the next to begin.
func (ct *Control) Ask(c *cell.Cell, pl *Plan) (number uint64, ok bool) {
	ok = ct.command(c, pl, func(now int64) bool {
		if pl.Paused() {
			return false
		}
		pl.Series.Trigger(now)
		number = pl.Runs + 1
		return true
	})
	return number, ok
}
