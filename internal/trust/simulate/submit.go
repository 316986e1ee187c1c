package simulate

import (
	"context"
	"errors"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// offer submits k and reports whether it has been accepted. Anybody may call it.
func (s *shop) offer(k *task) bool {
	if k == nil {
		return false
	}
	s.mu.Lock()
	calm := s.calm == s.stamp && s.last == s.now() && s.exact()
	room := s.hasRoom()
	before := s.pass()
	k.came, k.cameInstant = s.stamp, s.instant
	k.first = sum(before, k.initial)
	k.due, k.latest = k.first, never
	s.guests++
	s.report.Ops++
	closing := s.closing
	s.mu.Unlock()

	err := k.submit()

	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.pass()
	s.guests--
	switch {
	case err == nil:
		k.known = true
		s.count(k)
		if k.begun == 0 && !(k.isChild && s.callerRuns) { // its parent may have to run it later
			k.latest = sum(k.due, now-before)
		}
		if k.begun == 0 {
			k.there = s.stamp
		}
		if closing && s.exact() && s.closedAt < before && !s.quieting {
			s.fault(&s.report.Lost, "task %v is accepted after the end", k)
		}
		return true
	case errors.Is(err, executor.ErrShutdown) && s.closing:
	case errors.Is(err, executor.ErrRejected) && errors.Is(err, context.DeadlineExceeded) && k.how == submitsPatiently:
		s.judgePatience(k, before, now)
	case errors.Is(err, executor.ErrSaturated) && s.limited && k.how != submitsPatiently:
		if calm && room && !s.discards && s.table == nil {
			s.fault(&s.report.Lost, "task %v is refused, with %d of %d running and %d of %d waiting",
				k, s.running, s.most, s.pendings, s.capacity)
		}
	default:
		s.fault(&s.report.Lost, "task %v refused: %v", k, err)
	}
	k.refused = true
	if k.begun > 0 {
		s.fault(&s.report.Duplicate, "task %v runs and is refused", k)
	}
	return false
}

// judgePatience judges a submitter who has waited for room in vain.
func (s *shop) judgePatience(k *task, before, now time.Duration) {
	switch end := before + k.wait; {
	case now < end:
		s.fault(&s.report.Early, "who would wait for room until %v for task %v gives up", end, k)
	case end < s.quiet:
		s.fault(&s.report.Late, "who would wait for room until %v for task %v gives up", end, k)
	case s.roomy > before && !s.discards:
		s.fault(&s.report.Late, "who waits for room from %v on for task %v has not got it, though there was some at %v",
			before, k, s.roomy)
	}
}

// cancel cancels k in one of three ways.
func (s *shop) cancel(k *task, way int) {
	if !s.knows(k) {
		return
	}
	s.mu.Lock()
	s.pass()
	if way < 2 {
		k.cancelling = true
	}
	k.cancellers++
	s.report.Ops++
	was := k.cancelled
	s.mu.Unlock()
	var cancelled bool
	switch way {
	case 0:
		cancelled = k.future.Cancel()
	case 1:
		cancelled = k.future.CancelCause(errBoom)
	default:
		cancelled = k.future.Stop()
	}
	allowed := 1
	if cancelled && k.timed != nil {
		allowed = int(k.timed.Runs())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.pass()
	k.cancellers--
	if way < 2 && (cancelled || was) && !k.interrupt {
		k.interrupt, k.interruptAt = true, now
	}
	switch {
	case cancelled && was:
		s.fault(&s.report.Duplicate, "task %v is cancelled twice", k)
	case cancelled && k.ended && k.settledAt < s.quiet:
		s.fault(&s.report.Duplicate, "task %v, ended at %v, is cancelled", k, k.settledAt)
	case cancelled:
		s.leave(k, now, allowed)
	case !k.settled() && k.cancellers == 0 && !s.stopped && !s.closing && !s.discards && k.timeout == 0 && k.accepted:
		s.fault(&s.report.Lost, "task %v has not ended, and cannot be cancelled", k)
	}
}

// leave notes that k has been cancelled; the lock is held.
func (s *shop) leave(k *task, now time.Duration, allowed int) {
	switch {
	case k.inBody && k.handedBack: // it is one already
	case k.inBody:
		s.zombies++
	case k.ended: // in this instant: the future was settled by the cancellation
		k.ended = false
	default:
		s.pendings--
		if k.timed == nil && k.settledAt == 0 {
			s.overdue(k)
		} else if k.begun >= allowed {
			s.overdue(k)
		}
	}
	k.cancelled, k.allowed, k.settledAt = true, allowed, now
	s.changed = now
}

// knows reports whether k has been submitted, as far as its submitter knows, and has a future.
func (s *shop) knows(k *task) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return k.known && k.how != executes
}

// get waits for the outcome of k for so long.
func (s *shop) get(k *task, d time.Duration, byContext bool) {
	if !s.knows(k) {
		return
	}
	s.mu.Lock()
	from := s.pass()
	s.report.Ops++
	s.mu.Unlock()
	var err error
	if byContext {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		_, err = k.future.Get(ctx)
		cancel()
	} else {
		_, err = k.future.GetTimeout(d)
	}
	gaveUp := !k.future.State().Settled()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.pass()
	switch {
	case gaveUp && now < from+d:
		s.fault(&s.report.Early, "who waits for task %v from %v on for %v gives up: %v", k, from, d, err)
	case gaveUp && !errors.Is(err, future.ErrTimeout) && !errors.Is(err, context.DeadlineExceeded):
		s.fault(&s.report.Lost, "who waits for task %v gets %v", k, err)
	case gaveUp && from+d < s.quiet:
		s.fault(&s.report.Late, "who waits for task %v from %v on for %v gives up", k, from, d)
	case gaveUp && (k.cancelled || k.ended) && k.settledAt < s.quiet && s.exact():
		s.fault(&s.report.Late, "who waits for task %v has not been told that it ended at %v", k, k.settledAt)
	case !gaveUp && (k.cancelled || k.ended) && max(from, k.settledAt) < s.quiet && k.timeout == 0:
		s.fault(&s.report.Late, "who waits for task %v, ended at %v, is told", k, k.settledAt)
	}
}
