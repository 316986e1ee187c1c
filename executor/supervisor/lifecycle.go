package supervisor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
)

// state is the state of a supervisor.
//
//	fresh     -> waiting     Start
//	fresh     -> suspended   Start, if Suspend was called before
//	waiting   -> running     the arm rings
//	waiting   -> waiting     the arm rings, and too many runs are unfinished; Trigger; or the end
//	                         of an unfinished run that a Trigger has been waiting for
//	waiting   -> waiting     the wall clock was set, or does not show the time of the arm yet
//	waiting   -> suspended   Suspend
//	running   -> waiting     the cycle has ended
//	running   -> suspended   the cycle has ended, and Suspend was called meanwhile
//	suspended -> waiting     Resume
//	running   -> stopped     the cycle has ended, and the pool was shut down meanwhile
//	waiting   -> stopped     the calendar has ended, or failed
//	any       -> stopped     Stop; or the pool is shut down while no cycle is in progress
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

// Start starts the supervisor: its first run follows after the initial delay. It does nothing on a
// supervisor that has been started or stopped before.
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

// watch asks the pool to announce its shutdown. The pool is called without the lock, so the
// supervisor may stop meanwhile; then watch takes the request back itself.
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

// poolShut stops the supervisor, once the cycle in progress, if any, has ended: a pool that is shut
// down lets its tasks end or ends them, so that will happen.
func (s *Supervisor) poolShut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = true
	if s.current == nil {
		s.stop(executor.ErrShutdown)
	}
}

// unwatch takes back the request of watch, once the supervisor has stopped. No lock is held.
func (s *Supervisor) unwatch() {
	s.mu.Lock()
	forget := s.forget
	s.forget = nil
	s.mu.Unlock()
	if forget != nil {
		forget()
	}
}

// Trigger asks for a run now, in place of the one that is waited for; the interval counts from its
// end. While a run is in progress, one more follows it at once. While too many runs are unfinished,
// it follows the end of one of them, unless its regular time comes first. Before Start, and while
// suspended, it makes the first run that follows start without delay. Several calls before that run
// begins count as one. Trigger does not change the delay. After Stop it does nothing.
func (s *Supervisor) Trigger() {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A run has been asked for already. Arming again would put off one that is about to begin.
	if s.again {
		return
	}
	s.again = true
	s.hurry()
}

// Suspend keeps runs from beginning until Resume. A run in progress goes on. Called before Start,
// it makes Start wait for Resume as well. It does nothing on a supervisor that is suspended or
// stopped.
func (s *Supervisor) Suspend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = true
	if s.state == waiting {
		s.rest()
	}
}

// Resume ends Suspend. The next run follows after the delay that was in force, or the initial
// delay, counted from now; or at once if Trigger was called. It does nothing on a supervisor that
// is not suspended, or is stopped.
func (s *Supervisor) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	if s.state == suspended {
		s.rest()
	}
}

// Stop ends the supervisor for good. The next run is withdrawn. A run in progress, or about to
// begin, has its context ended with the cause [ErrClosed]; [Supervisor.Done] tells when it has
// returned. Its cycle has no outcome. Stop does not wait, may be called from a run, and may be
// called twice.
func (s *Supervisor) Stop() {
	s.mu.Lock()
	r := s.stop(ErrClosed)
	s.mu.Unlock()
	s.unwatch()
	if r != nil {
		r.withdraw()
	}
}

// StopContext is [Supervisor.Stop], but then waits until no run is in progress, unfinished ones
// included; or until ctx ends, and returns the error of ctx. Called from a run of this supervisor,
// on its own goroutine, it returns [future.ErrSelfWait] at once. A nil ctx never ends.
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

// isInRun reports whether a body of a run is on that goroutine.
func (s *Supervisor) isInRun(goroutine uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[goroutine] > 0
}

// Done returns a channel that is closed when the supervisor has stopped, by Stop or because the
// pool was shut down, and no run is in progress, unfinished ones included. A callback may still be
// in progress.
func (s *Supervisor) Done() <-chan struct{} { return s.done }

// rest decides what follows a cycle, or a call that changes the plan: another cycle after the
// delay, or at once, or none for the time being. The lock is held.
func (s *Supervisor) rest() {
	s.disarm()
	switch {
	case s.shut:
		s.stop(executor.ErrShutdown)
	case s.held:
		s.state = suspended
	case s.again && !s.full():
		s.armFor(0)
	case s.wantsSlot():
		s.consult()
	case s.cycles == 0:
		s.armFor(s.backoff.disturbed(s.initialDelay))
	default:
		s.armFor(s.backoff.disturbed(s.backoff.delay))
	}
}

// hurry makes the run of a Trigger follow at once, if nothing stands in its way. The lock is held.
func (s *Supervisor) hurry() {
	if s.state == waiting && s.again && !s.full() {
		s.rest()
	}
}

// armFor makes the next cycle begin d from now. The lock is held.
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
		s.agenda.slot = time.Time{}
	}
}

// stop ends the supervisor, and returns the run to withdraw, if there is one. The lock is held.
func (s *Supervisor) stop(cause error) *run {
	if s.state == stopped {
		return nil
	}
	s.disarm()
	s.state = stopped
	if s.agenda.stop != nil {
		s.agenda.stop()
	}
	r := s.current
	if r != nil {
		s.retire(r, cause)
	}
	s.quit()
	return r
}

// quit closes done when the supervisor has stopped and no run is in progress. That happens once: no
// run begins after the stop, so present falls to 0 once. The lock is held.
func (s *Supervisor) quit() {
	if s.state == stopped && s.present == 0 {
		close(s.done)
	}
}
