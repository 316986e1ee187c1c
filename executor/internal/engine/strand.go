package engine

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// Overview: a serial executor could be a pool of one worker, but that would cost a goroutine each,
// and its tasks would have no part in the order of a shared pool. It could also be built on top of
// a pool, like the SerialExecutor in the documentation of java.util.concurrent's Executor, which
// submits the next task when one has ended. Then the pool would not see the tasks that wait: it
// could not count, bound or hand them back, and if it refused the next one, the sequence would
// stop. So the pool itself knows of strands: only the head of each is in the queue, and whoever
// ends it queues the next.

// A task of a serial executor that is scheduled for later is expected there: it waits in the queue
// by its time, and takes its place in the order when a worker takes it.
//
//	expected -> head     joinLocked: the strand is idle, and the task starts
//	expected -> waiting  joinLocked: it is held back behind the others
//	expected -> gone     unexpectLocked: it was cancelled or dropped
//
// Until then it keeps the strand from being forgotten, as a second one of the same key would not
// know of the first.

// advanceLocked queues the next task of s, after the head has ended or been taken out of the queue.
func (p *Pool) advanceLocked(s *strand) {
	if s.waiting.Len() == 0 {
		s.head = nil
		p.releaseLocked(s)
		return
	}
	s.head = s.waiting.First()
	p.waiting.endHoldLocked(s, s.head)
	p.waiting.queueLocked(s.head)
	s.helpLocked(p) // the new head may be what somebody waits for, or in front of that
}

// helpLocked looks again at the waits for tasks of the strand.
func (s *strand) helpLocked(p *Pool) {
	for _, a := range s.awaits {
		p.loans.helpLocked(a)
	}
}

// addAwaitLocked has a looked at again when the strand advances, or its head is put off.
func (s *strand) addAwaitLocked(a *await) {
	if !slices.Contains(s.awaits, a) {
		s.awaits = append(s.awaits, a)
	}
}

// releaseLocked forgets s if it has no task, and no submission is about to give it one.
func (p *Pool) releaseLocked(s *strand) {
	// Its pace must be kept: see to it again at its end.
	if s.head != nil || s.users > 0 || s.forget == nil {
		return
	}
	next := s.openAt(false)
	if next == clock.Never {
		return
	}
	if next == 0 {
		s.forget()
		return
	}
	if wait := next - p.clock.Now(); wait > 0 {
		s.users++
		p.later(time.Duration(wait), func() {
			s.users--
			p.releaseLocked(s)
		})
		return
	}
	s.forget()
}

// vacateLocked tells the serial executors that none of their tasks wait any more. If the head of
// one is running, it stays the head until it has ended.
func (lf *Life) vacateLocked(swept []*cell.Cell) {
	for group := range cell.Ahead(swept) {
		for _, c := range group {
			lf.pool.unexpectLocked(c)
			if s := planOf(c).strand; s != nil && s.head == c {
				s.head = nil
				lf.pool.releaseLocked(s)
			}
		}
	}
}

// vacatedLocked uses the room that c, which was cancelled, has left in the queue. Removing a task
// needs no call of a worker by itself: at worst the leader wakes up once for nothing.
func (p *Pool) vacatedLocked(c *cell.Cell) {
	pl := planOf(c)
	p.unexpectLocked(c)
	s := pl.strand
	if s != nil {
		p.advanceLocked(s)
	}
	if s != nil || p.Door.blockedSubmitters.list.Len() > 0 {
		p.Crew.notifyLocked(unread)
	}
}

// joinLocked gives c, which is due and has left the queue, its place in the strand that expects it.
// It reports whether c may start.
func (p *Pool) joinLocked(c *cell.Cell) bool {
	if c.Phase().Settled() {
		return true // whoever tries to start it finds that out
	}
	pl := planOf(c)
	s := pl.expectedBy
	pl.expected, pl.strand = false, s
	s.users--
	if s.head != nil {
		p.waiting.holdBackLocked(s, c)
		return false
	}
	s.head = c
	if now := p.clock.Now(); p.waiting.readyAt(c) > now {
		p.waiting.queueLocked(c)
		p.Crew.notifyLocked(now)
		return false
	}
	return true
}

// unexpectLocked is called when c will not come.
func (p *Pool) unexpectLocked(c *cell.Cell) {
	if pl := planOf(c); pl.expected {
		pl.expected = false
		pl.expectedBy.users--
		p.releaseLocked(pl.expectedBy)
	}
}
