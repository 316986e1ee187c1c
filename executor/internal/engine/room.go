package engine

import "github.com/punctual-go/punctual/internal/cell"

// roomLocked reports whether c may wait. There is room if a worker is free to begin it, or may be
// started, after those that the queue needs; or else if the queue is within its capacity. The
// caller may be about to become free itself: free says how many workers to add. Workers above the
// maximum size do not count, as they will take nothing more.
func (d *Door) roomLocked(c *cell.Cell, free int) bool {
	p := d.pool
	if !d.bounded {
		return true
	}
	if !d.roomForLocked(1) {
		return false
	}
	if p.Crew.capacity() == Unbounded {
		return true
	}
	// Tasks without a worker or, below zero, workers without a task.
	waiting := p.waiting.queue.Len() - d.startsLocked(p.Crew.freeLocked(free))
	outside := p.waiting.heldBack + len(p.waiting.deferred)
	switch s := planOf(c).strand; {
	// It needs no worker yet, so a free one is no room for it.
	case s != nil && d.closedLocked(s):
		return p.Crew.capacity() == 0 || max(waiting, 0)+outside < p.Crew.capacity()
	case p.Crew.capacity() == 0:
		return waiting < 0
	}
	// A free worker may well be free because what it has run waits for another attempt. If it were
	// room in any case, there would be no bound.
	room := p.Crew.capacity()
	return len(p.waiting.deferred) < room && (waiting < 0 || waiting+outside < room)
}

// closedLocked reports whether another task of s could not begin now, even on a free worker: the
// lane has a head already, or its gap or pace holds the next one up.
func (d *Door) closedLocked(s *strand) bool {
	if s.head != nil {
		return true
	}
	at := s.openAt(false)
	return at > 0 && at > d.pool.now()
}

// startsLocked returns how many of the free workers may begin a task now. Where nothing may queue,
// under HandOff, a task waits for the pace in the hands of its worker: there is no head of a queue
// that would have the submitters looked at again when the pace allows more.
func (d *Door) startsLocked(free int) int {
	p := d.pool
	switch {
	case p.Crew.pause.on:
		return 0
	case p.Pace == nil || p.Crew.capacity() == 0 || free == 0:
		return free
	}
	return min(free, p.Pace.left(p.now()))
}

// promisedLocked returns how many starts that the pace has left are for tasks in the queue: those
// beyond its capacity were let in because free workers may begin them.
func (d *Door) promisedLocked() int {
	p := d.pool
	if p.Pace == nil || p.Crew.capacity() == 0 || p.Crew.capacity() == Unbounded {
		return 0
	}
	waiting := p.waiting.queue.Len()
	beyond := waiting + d.outsideLocked() - p.Crew.capacity()
	if beyond <= 0 || waiting == 0 {
		return 0
	}
	return min(beyond, waiting, d.startsLocked(p.Crew.freeLocked(0)))
}

// roomForLocked reports whether n tasks more may wait as far as a PendingLimit is concerned.
func (d *Door) roomForLocked(n int) bool {
	p := d.pool
	return p.PendingLimit == 0 ||
		p.waiting.queue.Len()+p.waiting.heldBack+len(p.waiting.deferred)+n <= p.PendingLimit
}
