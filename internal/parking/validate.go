package parking

import "fmt"

// Census is who is parked in a lot, for the tests of those that own one.
type Census struct {
	Places map[*Waiter]bool // of all, the leader included
	Leader *Waiter
	Rung   bool  // the leader has been called
	Armed  int64 // when its alarm rings
}

// Validate counts who is parked, and returns an error if the lot is not in order in itself. The owner's lock is
// held.
func (l *Lot) Validate() (Census, error) {
	c := Census{Places: map[*Waiter]bool{}, Leader: l.leader, Rung: l.rung, Armed: l.armed}
	var above *Waiter
	for w := l.top; w != nil; above, w = w, w.down {
		switch {
		case c.Places[w]:
			return c, fmt.Errorf("lot: a follower stands below itself")
		case w.up != above, !w.isFollower:
			return c, fmt.Errorf("lot: a follower does not know its place")
		case len(w.call) > 0:
			return c, fmt.Errorf("lot: a follower has been called")
		}
		c.Places[w] = true
	}
	switch {
	case l.followers != len(c.Places):
		return c, fmt.Errorf("lot: %d followers, counted as %d", len(c.Places), l.followers)
	case l.coming < 0:
		return c, fmt.Errorf("lot: %d takers are coming", l.coming)
	case l.leader != nil && (c.Places[l.leader] || l.leader.isFollower):
		return c, fmt.Errorf("lot: the leader follows")
	case l.leader != nil:
		c.Places[l.leader] = true
	}
	return c, nil
}

// Free reports whether nobody waits in w, and no call lies there.
func (w *Waiter) Free() bool {
	return len(w.call) == 0 && !w.isFollower && w.up == nil && w.down == nil
}
