package engine

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
)

// Overview: when may a task begin? It has a time of its own, and other things may put it off:
//
//	time     the one that was asked for: by its submission, its period, its calendar, by Reset
//	attempt  if the last one has failed, when the next is due; it takes the place of the time
//	lane     in a serial executor: not before those ahead of it have ended, not before the gap
//	         after the last is over, nor before the pace of the lane allows another start
//	pace     of the pool, not before that allows another start
//
// The task may begin at the latest of these. Everybody who starts a task asks here: the worker, for
// the head of the queue; a helper, for what a run waits for or the head of its lane; a caller that
// runs its task itself, who waits. So a task begins early for nobody, whoever is in need of it.
//
// What has been asked for and what puts it off are kept apart. When, in the cell, is the task's own
// time: it is what is shown, what lateness is measured from, and what decides whether a shutdown
// finds the task due. What puts it off is worked out from the state of the series, of the lane and
// of the pool, and does not change while the task waits, but for the pace of the pool. That is the
// same for all, so the queue is ordered without it.

// readyAt returns from when on c may begin, as the head of its lane if it is in one, by all but the
// pace of the pool. It is what the queue is ordered by.
func (ws *waiting) readyAt(c *cell.Cell) int64 {
	pl := planOf(c)
	at := pl.DueAt(c)
	if s := pl.strand; s != nil {
		at = max(at, s.openAt(pl.Retrying()))
	}
	return at
}

// beginsAtLocked is readyAt with the pace of the pool: from then on c may begin.
func (p *Pool) beginsAtLocked(c *cell.Cell) int64 {
	return max(p.waiting.readyAt(c), p.Pace.next())
}

// headLocked is peekLocked for a caller who sees to it that the head is taken, or looked at in
// time: whoever schedules something without the lock relies on that.
func (p *Pool) headLocked() (when int64, due, dealt bool) {
	ws := &p.waiting
	if ws.delayed != nil && (ws.batch == nil || ws.batch.Left() == 0) {
		if when, due = ws.delayed.Await(); p.Pace != nil {
			when, due = p.pacedLocked(when)
		}
		return when, due, false
	}
	return p.peekLocked()
}

// peekLocked tells from when on the next task of the queue may begin, as [runqueue.Queue.Head]
// does, and whether it is in a batch: then another worker may claim it before the caller does.
func (p *Pool) peekLocked() (when int64, due, dealt bool) {
	if p.waiting.batch.Left() > 0 {
		return 0, true, true
	}
	if when, due = p.waiting.queue.Head(); p.Pace != nil {
		when, due = p.pacedLocked(when)
	}
	return when, due, false
}

// pacedLocked puts off a head that is in no batch until the pace of the pool allows it.
func (p *Pool) pacedLocked(head int64) (when int64, due bool) {
	if head == parking.Nothing {
		return head, false
	}
	return max(head, p.Pace.next()), false
}

// mayStayLocked reports whether c, which waits, still runs after a shutdown. A task that is due may
// stay in any case: it might have begun already, had a worker been free. So may one that is put off
// by nothing but its lane or a pace.
func (lf *Life) mayStayLocked(c *cell.Cell, now int64) bool {
	pl := planOf(c)
	if pl.Periodic() {
		return lf.pool.continuePeriodic.Load()
	}
	return lf.pool.executeDelayed.Load() || pl.DueAt(c) <= now
}

// openAt returns from when on another body of the lane may begin, once its last has ended; 0 means
// at any time. The gap lies between two tasks, so it does not hold up the next attempt of one.
func (s *strand) openAt(attempt bool) int64 {
	at := s.pace.next()
	if s.gap > 0 && s.ended > 0 && !attempt {
		at = max(at, clock.Later(s.ended, time.Duration(s.gap)))
	}
	return at
}

// now is the time that decides what is due. In a plain pool everything is, so it does without the
// clock.
func (p *Pool) now() int64 {
	if p.plain {
		return 0
	}
	return p.clock.Now()
}

// unread stands for a time that nobody has read from the clock.
const unread = runqueue.Unread
