package supervisor

import (
	"time"

	"github.com/punctual-go/punctual/future"
)

// ring begins a cycle, if the arm has not been withdrawn meanwhile. It runs on a goroutine of its own.
func (s *Supervisor) ring(number uint64) {
	if r := s.begin(number); r != nil {
		s.offer(r)
	}
}

// begin returns the run to submit, or nil if there is none.
func (s *Supervisor) begin(number uint64) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != waiting || s.armed != number {
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

// expire ends the cycle of r when its time is over. It needs no worker, as all of them may be stuck.
// The context of a body ends by itself.
func (s *Supervisor) expire(r *run) {
	s.mu.Lock()
	if s.current != r {
		s.mu.Unlock()
		return
	}
	s.conclude(r, TimedOut, future.ErrTimeout)
	s.mu.Unlock()
	if len(r.interrupts) == 0 {
		r.withdraw()
	}
}

// conclude ends the cycle of r: it counts, adapts the delay, and has the next one follow. The lock is
// held.
func (s *Supervisor) conclude(r *run, kind Kind, err error) {
	s.retire(r, err)
	s.counts[kind]++
	switch {
	case kind == Succeeded, kind == Failed && s.onFailure == Reset:
		s.backoff.reset()
	case kind == Failed && s.onFailure == Keep:
	default:
		s.backoff.grow()
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

// retire makes r a run of the past: whatever it does from here on is of no interest. The lock is
// held.
func (s *Supervisor) retire(r *run, cause error) {
	r.cause = cause
	if r.timer != nil {
		r.timer.Stop()
	}
	s.current = nil
}
