package supervisor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
)

// state is where a supervisor stands.
//
//	fresh     -> waiting     Start
//	fresh     -> suspended   Start, if Suspend was called before
//	waiting   -> running     the arm rings
//	waiting   -> waiting     the arm rings, and too many runs are unfinished; Trigger, or the end
//	                         of an unfinished run that a Trigger has waited for
//	waiting   -> suspended   Suspend
//	running   -> waiting     the cycle has ended
//	running   -> suspended   the cycle has ended, and Suspend was called meanwhile
//	suspended -> waiting     Resume
//	running   -> stopped     the cycle has ended, and the pool was shut down meanwhile
//	any       -> stopped     Stop; the pool is shut down, and no cycle is in progress
type state uint8

const (
	fresh state = iota
	waiting
	running
	suspended
	stopped
)

func (s state) String() string {
	return [...]string{"new", "waiting", "running", "suspended", "stopped"}[s]
}

// Start has the first run follow after the initial delay. It does nothing on a supervisor that has been
// started, or stopped.
func (s *Supervisor) Start() {
	s.mu.Lock()
	starts := s.state == fresh
	if starts {
		s.rest()
	}
	s.mu.Unlock()
	if t, tells := s.pool.(teller); starts && tells {
		s.watch(t)
	}
}

// watch asks the pool to tell when it is shut down. No lock is held.
func (s *Supervisor) watch(t teller) {
	forget := t.AfterShutdown(s.poolShut)
	s.mu.Lock()
	stopsAlready := s.state == stopped
	if !stopsAlready {
		s.forget = forget
	}
	s.mu.Unlock()
	if stopsAlready {
		forget()
	}
}

// poolShut stops the supervisor, once the cycle in progress has ended, if there is one: a pool that
// is shut down lets its tasks end, or else ends them.
func (s *Supervisor) poolShut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = true
	if s.current == nil {
		s.stop(executor.ErrShutdown)
	}
}

// unwatch has the pool of a supervisor that has stopped forget it. No lock is held.
func (s *Supervisor) unwatch() {
	s.mu.Lock()
	forget := s.forget
	s.forget = nil
	s.mu.Unlock()
	if forget != nil {
		forget()
	}
}

// Trigger asks for a run now, in place of the one that is waited for; the interval counts from its end.
// While a run is in progress, one more follows it. While too many are unfinished, it follows the end of
// one of them, unless its turn has come before. Before Start, and while suspended, the first run to
// come is at once. Many calls are one, until that run begins. The delay stays what it is. After Stop it
// does nothing.
func (s *Supervisor) Trigger() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.again { // to arm once more would put off the run
		return
	}
	s.again = true
	s.hurry()
}

// Suspend has no run begin until Resume. One in progress goes on. Before Start it makes Start wait
// for Resume, too. It does nothing if the supervisor is suspended, or stopped.
func (s *Supervisor) Suspend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = true
	if s.state == waiting {
		s.rest()
	}
}

// Resume ends Suspend. The next run follows after the delay as it was, or the initial one, counted from
// now; or at once if there was a Trigger. If the supervisor is not suspended, or stopped, it does
// nothing.
func (s *Supervisor) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	if s.state == suspended {
		s.rest()
	}
}

// Stop ends the supervisor for good. The next run is withdrawn, and one in progress, or just about to
// begin, has its context ended with the cause [ErrClosed]; [Supervisor.Done] tells when it has returned.
// The cycle has no outcome. Stop does not wait, may be called from a run, and twice.
func (s *Supervisor) Stop() {
	s.mu.Lock()
	r := s.stop(ErrClosed)
	s.mu.Unlock()
	s.unwatch()
	if r != nil {
		r.withdraw()
	}
}

// StopContext is Stop that waits until no run is in progress, unfinished ones included, or until ctx
// ends, and then returns its error. Called by a run of this supervisor it returns
// [future.ErrSelfWait] at once; the goroutine tells. A nil ctx never ends.
func (s *Supervisor) StopContext(ctx context.Context) error {
	s.Stop()
	if ctx == nil {
		ctx = context.Background()
	}
	select {
	case <-s.done:
		return nil
	default:
	}
	if s.isInRun(goid.Current()) {
		return future.ErrSelfWait
	}
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return cell.ErrOf(ctx)
	}
}

// isInRun reports whether a body runs on the goroutine.
func (s *Supervisor) isInRun(goroutine uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[goroutine] > 0
}

// Done returns a channel that is closed when the supervisor has stopped, by Stop or because the pool is
// shut down, and no run is in progress, unfinished ones included. A callback may be.
func (s *Supervisor) Done() <-chan struct{} { return s.done }

// rest decides what follows a cycle, or a call: another cycle after the delay, or at once, or none for
// the time being. The lock is held.
func (s *Supervisor) rest() {
	s.disarm()
	switch {
	case s.shut:
		s.stop(executor.ErrShutdown)
	case s.held:
		s.state = suspended
	case s.again && !s.full():
		s.armFor(0)
	case s.cycles == 0:
		s.armFor(s.backoff.disturbed(s.initialDelay))
	default:
		s.armFor(s.backoff.disturbed(s.backoff.delay))
	}
}

// hurry has the run of a Trigger follow at once, if it may. The lock is held.
func (s *Supervisor) hurry() {
	if s.state == waiting && s.again && !s.full() {
		s.rest()
	}
}

// armFor has the next cycle begin d from now. The lock is held.
func (s *Supervisor) armFor(d time.Duration) {
	s.state = waiting
	s.armed++
	number := s.armed
	s.due = time.Now().Add(d)
	s.arm = time.AfterFunc(d, func() { s.ring(number) })
}

// disarm withdraws the arm, if there is one. The lock is held.
func (s *Supervisor) disarm() {
	if s.arm != nil {
		s.arm.Stop()
		s.arm, s.due = nil, time.Time{}
	}
}

// stop ends the supervisor, and returns the run to withdraw, if there is one. The lock is held.
func (s *Supervisor) stop(cause error) *run {
	if s.state == stopped {
		return nil
	}
	s.disarm()
	s.state = stopped
	r := s.current
	if r != nil {
		s.retire(r, cause)
	}
	s.quit()
	return r
}

// quit tells when a supervisor that is stopped has no run in progress any more: once, as no run comes
// after. The lock is held.
func (s *Supervisor) quit() {
	if s.state == stopped && s.present == 0 {
		close(s.done)
	}
}
