package supervisor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Runs are the runs of a supervisor whose bodies have begun, as its task notes them.
type Runs struct {
	mu    sync.Mutex
	begun []*run
}

// Note notes the run that ctx is, or derives from, the context of.
func (rs *Runs) Note(ctx context.Context, s *Supervisor) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r := ctx.Value(inside{s}).(*run); !slices.Contains(rs.begun, r) {
		rs.begun = append(rs.begun, r)
	}
}

// validate checks the accounts of the runs in progress, and that those of the past ring no more.
func (rs *Runs) validate(s *Supervisor) error {
	if n := rs.holding(s); n != s.present {
		return fmt.Errorf("%d runs are in progress, counted as %d", n, s.present)
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.begun {
		if r != s.current && r.timer.Stop() {
			return fmt.Errorf("the timeout of run %d, which is over, was still to come", r.number)
		}
	}
	return nil
}

// holding returns how many runs are in progress, the current one of s included. Submit must not be
// in progress but for that one.
func (rs *Runs) holding(s *Supervisor) (n int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.begun {
		if r.holds > 0 {
			n++
		}
	}
	if r := s.current; r != nil && r.holds > 0 && !slices.Contains(rs.begun, r) {
		n++
	}
	return n
}

// Validate checks, at rest, what must hold of a supervisor in a bubble.
func Validate(s *Supervisor, runs *Runs) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, check := range []func() error{
		s.validateState,
		s.validateCurrent,
		s.validateCounts,
		func() error { return runs.validate(s) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// validateState checks what goes with the states.
func (s *Supervisor) validateState() error {
	done := false
	select {
	case <-s.done:
		done = true
	default:
	}
	switch {
	case (s.arm != nil) != (s.state == waiting), (s.arm != nil) != !s.due.IsZero():
		return fmt.Errorf("%v, armed: %v, for %v", s.state, s.arm != nil, s.due)
	case s.state == waiting && !s.due.After(time.Now()):
		return fmt.Errorf("what was due at %v has not rung", s.due)
	case (s.current != nil) != (s.state == running):
		return fmt.Errorf("%v, with a current run: %v", s.state, s.current != nil)
	case s.state == fresh && (s.cycles > 0 || s.armed > 0):
		return fmt.Errorf("new, after %d cycles and %d arms", s.cycles, s.armed)
	case s.held && s.state == waiting, !s.held && s.state == suspended:
		return fmt.Errorf("%v, held: %v", s.state, s.held)
	case s.again && s.state == waiting && !s.full():
		return fmt.Errorf("nobody heeds a Trigger")
	case done != (s.state == stopped && s.present == 0):
		return fmt.Errorf("%v, %d runs in progress, done: %v", s.state, s.present, done)
	case s.calling || len(s.calls) > 0:
		return fmt.Errorf("%d callbacks are to be made, by somebody: %v", len(s.calls), s.calling)
	}
	return nil
}

// validateCurrent checks the current run.
func (s *Supervisor) validateCurrent() error {
	r := s.current
	switch {
	case r == nil:
	case r.number != s.cycles:
		return fmt.Errorf("the current run is %d of %d", r.number, s.cycles)
	case r.timer == nil, !r.deadline.Equal(r.started.Add(s.timeout)), !r.deadline.After(time.Now()):
		return fmt.Errorf("the current run is to end at %v, with a timer: %v", r.deadline, r.timer != nil)
	case r.cause != nil, r.cutOff:
		return fmt.Errorf("the current run has ended, by %v", r.cause)
	case r.future == nil:
		return fmt.Errorf("the current run has no future, and Submit has returned")
	case r.holds < 0, r.holds > len(r.interrupts):
		return fmt.Errorf("the current run has %d holds and has begun %d bodies", r.holds, len(r.interrupts))
	}
	return nil
}

// validateCounts checks the accounts, and the delay.
func (s *Supervisor) validateCounts() error {
	open := s.cycles // cycles without an outcome
	for _, n := range s.counts {
		open -= n
	}
	b := &s.backoff
	switch {
	case s.state == running && open != 1, s.state != running && s.state != stopped && open != 0, open > 1:
		return fmt.Errorf("%v, and %d of %d cycles have no outcome", s.state, open, s.cycles)
	case s.unfinished() < 0, s.unfinished() > s.maxUnfinished:
		return fmt.Errorf("%d runs are unfinished, with %d allowed", s.unfinished(), s.maxUnfinished)
	case b.delay < b.interval, b.delay > b.ceiling:
		return fmt.Errorf("a delay of %v is not between %v and %v", b.delay, b.interval, b.ceiling)
	case s.counts[Succeeded] > 0 == s.lastSuccess.IsZero():
		return fmt.Errorf("%d successes, the last at %v", s.counts[Succeeded], s.lastSuccess)
	}
	return nil
}
