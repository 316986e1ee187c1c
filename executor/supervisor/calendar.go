package supervisor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/wall"
)

// On has cycles begin at the times of a calendar while all is well, and not the interval after the
// end of the last. A cycle that goes wrong is followed by others after the delay, which grows as
// without a calendar, until one succeeds: that is a nightly job which is tried again. What the
// calendar shows meanwhile is covered by them. There is no initial delay then.
//
// No cycle begins before the wall clock shows its time, and the supervisor follows when that is
// set; see [executor.ScheduledPool.On]. It stops when the calendar has no more times. If the
// calendar fails, which the error handler is told of, it stops as well.
func On(calendar executor.Calendar) Option {
	return option(func(s *settings) {
		if calendar == nil {
			panic("supervisor: nil calendar")
		}
		s.calendar = calendar
	})
}

// agenda is what a supervisor with a calendar knows. The lock guards it. The calendar is user code,
// so it is asked without the lock, on the goroutine of a timer of its own:
//
//	idle    -> asking    rest: all is well
//	asking  -> planned   the calendar has answered
//	asking  -> idle      a command has made another plan meanwhile
//	planned -> idle      the cycle begins, or a command makes another plan
//	planned -> asking    the wall clock was set
type agenda struct {
	wall    wall.Clock
	last    time.Time // for which a cycle has begun
	slot    time.Time // for which the arm is set; zero unless planned
	stop    func()    // ends watching the wall clock
	trouble bool      // the last cycle has not gone well
}

// farBack is how far the wall clock may be set back so that times do not come again.
const farBack = 3 * time.Hour

// wantsSlot reports whether the calendar decides when the next cycle begins. The lock is held.
func (s *Supervisor) wantsSlot() bool { return s.calendar != nil && !s.agenda.trouble }

// consult has the calendar asked. The lock is held.
func (s *Supervisor) consult() {
	s.state = waiting
	s.armed++
	number := s.armed
	if s.agenda.stop == nil {
		s.agenda.stop = s.agenda.wall.Watch(s.parted)
	}
	s.arm = time.AfterFunc(0, func() { s.ask(number) })
}

// ask asks the calendar, and arms the cycle of its answer.
func (s *Supervisor) ask(number uint64) {
	s.mu.Lock()
	last := s.agenda.last
	s.mu.Unlock()
	_, now := s.agenda.wall.Read()
	slot, err := time.Time{}, future.ErrGoexit
	defer func() { s.plan(number, slot, now, err) }()
	future.Invoke(context.Background(), func(context.Context) (failed error) {
		slot, failed = s.nextSlot(last, now)
		return failed
	}, &err)
}

// nextSlot asks for the first time that is later than now, or than the last one, if the clock has
// been set back a little.
func (s *Supervisor) nextSlot(last, now time.Time) (time.Time, error) {
	interval, ok := s.calendar.(interface{ Interval() bool })
	base := now.Local()
	if back := last.Sub(now); 0 < back && back <= farBack && !(ok && interval.Interval()) {
		base = last
	}
	slot := s.calendar.Next(base)
	if !slot.IsZero() && !slot.After(base) {
		return slot, executor.ErrCalendar
	}
	return slot, nil
}

// plan arms the cycle for a slot, or stops the supervisor.
func (s *Supervisor) plan(number uint64, slot, now time.Time, err error) {
	s.mu.Lock()
	if s.state != waiting || s.armed != number {
		s.mu.Unlock()
		return
	}
	if err == nil && !slot.IsZero() {
		s.armFor(s.backoff.disturbed(slot.Sub(now)))
		s.agenda.slot = slot
		s.mu.Unlock()
		return
	}
	about := Outcome{Name: s.shared.Name, Number: s.cycles}
	s.stop(ErrClosed)
	s.mu.Unlock()
	s.unwatch()
	if err != nil {
		s.reportFailure(call{name: "calendar", Outcome: about}, err)
	}
}

// parted makes another plan after the wall clock has been set.
func (s *Supervisor) parted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == waiting && !s.agenda.slot.IsZero() {
		s.rest()
	}
}

// early reports whether the arm has rung before the wall clock shows its time, which has been set;
// else the slot has had its cycle. The lock is held.
func (s *Supervisor) early() bool {
	slot := s.agenda.slot
	if slot.IsZero() {
		return false
	}
	if _, now := s.agenda.wall.Read(); now.Before(slot) {
		return true
	}
	s.agenda.last = slot
	return false
}
