package supervisor

import (
	"time"

	"github.com/punctual-go/punctual/future"
)

// ring begins a cycle, unless the arm of that number has been withdrawn. It runs on the goroutine
// of the arm's timer.
func (s *Supervisor) ring(number uint64) {
	if r := s.begin(number); r != nil {
		s.offer(r)
	}
}

// begin returns the run to submit, or nil if there is none to start.
func (s *Supervisor) begin(number uint64) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A timer may fire although its arm has just been withdrawn; then the number is an old one.
	if s.state != waiting || s.armed != number {
		return nil
	}
	if s.early() {
		s.rest()
		return nil
	}
	s.disarm()
	s.cycles++
	now := time.Now()
	r := &run{number: s.cycles, started: now, deadline: now.Add(s.timeout)}
	if s.full() {
		s.conclude(r, Capped, nil)
		return nil
	}
	s.again = false
	s.state = running
	s.current = r
	s.hold(r)
	r.timer = time.AfterFunc(s.timeout, func() { s.expire(r) })
	return r
}

// expire ends the cycle of r when its timeout is over. It runs on the timer's goroutine, not on the
// pool: all of its workers may be stuck. The context of a body that has begun ends by its own
// deadline.
func (s *Supervisor) expire(r *run) {
	s.mu.Lock()
	if s.current != r {
		s.mu.Unlock()
		return
	}
	s.conclude(r, TimedOut, future.ErrTimeout)
	s.mu.Unlock()
	// Now that r is retired no body of it begins, so interrupts does not change any more.
	if len(r.interrupts) == 0 {
		r.withdraw()
	}
}

// conclude ends the cycle of r: it counts the outcome, adapts the delay, reports, and arms the next
// cycle. The lock is held.
func (s *Supervisor) conclude(r *run, kind Kind, err error) {
	s.retire(r, err)
	s.counts[kind]++
	switch {
	case kind == Succeeded, kind == Failed && s.onFailure == Reset:
		s.backoff.reset()
		s.agenda.trouble = false
	case kind == Failed && s.onFailure == Keep:
	default:
		s.backoff.grow()
		s.agenda.trouble = true
	}
	now := time.Now()
	if kind == Succeeded {
		s.lastSuccess = now
	}
	s.report(Outcome{
		Name:       s.shared.Name,
		Kind:       kind,
		Err:        err,
		Number:     r.number,
		Started:    r.started,
		Took:       now.Sub(r.started),
		Delay:      s.backoff.delay,
		Unfinished: s.unfinished(),
	})
	s.rest()
}

// retire makes r a run of the past: from here on nothing that it does matters. The lock is held.
func (s *Supervisor) retire(r *run, cause error) {
	r.cause = cause
	if r.timer != nil {
		r.timer.Stop()
	}
	s.current = nil
}
