package parking

import "fmt"

// Census says who is parked in a lot. It is for the tests of the owners of lots.
type Census struct {
	Places map[*Waiter]bool // all of them, the leader included
	Leader *Waiter
	Rung   bool   // the leader has been called
	Armed  int64  // when the leader's alarm is set to ring
	Out    int    // takers that are watching, and relied on
	Round  uint64 // of what Watch has returned to those
	Guard  int64  // when the guard is set to call, or Nothing
}

// Validate returns who is parked, and an error if the lot is inconsistent. The owner's lock is
// held.
func (l *Lot) Validate() (Census, error) {
	c := Census{Places: map[*Waiter]bool{}, Leader: l.leader, Rung: l.rung, Armed: l.armed,
		Out: l.watch.out, Round: l.watch.round, Guard: Nothing}
	if l.watch.set {
		c.Guard = l.watch.at
	}
	var above *Waiter
	for w := l.top; w != nil; above, w = w, w.down {
		switch {
		case c.Places[w]:
			return c, fmt.Errorf("lot: the stack of followers has a cycle")
		case w.up != above, !w.isFollower:
			return c, fmt.Errorf("lot: a follower has the wrong neighbours")
		case len(w.call) > 0:
			return c, fmt.Errorf("lot: a called taker is still a follower")
		}
		c.Places[w] = true
	}
	switch {
	case l.followers != len(c.Places):
		return c, fmt.Errorf("lot: %d followers, counted as %d", len(c.Places), l.followers)
	case l.coming < 0:
		return c, fmt.Errorf("lot: %d takers are coming", l.coming)
	case l.watch.unsure < 0, l.watch.unsure > l.watch.out:
		return c, fmt.Errorf("lot: %d takers are watching, %d unsure", l.watch.out, l.watch.unsure)
	case l.leader != nil && (c.Places[l.leader] || l.leader.isFollower):
		return c, fmt.Errorf("lot: the leader follows")
	case l.leader != nil:
		c.Places[l.leader] = true
	}
	return c, nil
}

// Free reports whether nobody waits in w and no call is left in it.
func (w *Waiter) Free() bool {
	return len(w.call) == 0 && !w.isFollower && w.up == nil && w.down == nil
}
