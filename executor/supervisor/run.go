package supervisor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
)

// run is one run of the task. It exists from its submission until neither Submit nor its body is in
// progress.
//
//	offered -> begun     enter: the pool calls the body
//	offered -> retired   the pool refuses or drops it; timeout, Stop
//	begun   -> retired   its future is settled; timeout, Stop
//
// Until it is retired, it is its supervisor's current run. After that no body of it begins, and of
// its fields only holds changes. The supervisor's lock guards holds for ever, and the other fields
// until the run is retired.
type run struct {
	number   uint64
	started  time.Time
	deadline time.Time
	timer    *time.Timer // fires at the deadline

	future *future.Future[struct{}] // set once Submit has returned

	// One for each body begun. There may be several: a pool's decorator may call a task twice.
	interrupts []context.CancelCauseFunc
	cutOff     bool  // the pool was stopped during the body, which may explain its error
	cause      error // why it was retired; the cause its context ends with

	holds int // calls of Submit and of bodies in progress
}

// inside is the key under which the context of a run holds that run: one for each supervisor, so
// that nested ones are told apart.
type inside struct{ *Supervisor }

// offer submits the run to the pool. Submit may take its time, and may even run the body. offer has
// a goroutine of its own, so whatever Submit does ends no more than that: a panic comes from a
// rejection policy, Goexit from a task that was run by its caller.
func (s *Supervisor) offer(r *run) {
	var f *future.Future[struct{}]
	var err error
	shut := false
	defer func() { s.offered(r, f, shut, err) }()
	future.Invoke(context.Background(), func(context.Context) (err error) {
		f, err = s.pool.Submit(s.bodyOf(r), s.options...)
		shut = cell.Matches(err, executor.ErrShutdown)
		if f == nil && err == nil {
			err = errNoFuture
		}
		return err
	}, &err)
}

// offered takes the answer of the pool. It is deferred by offer, so it is called after Goexit too.
func (s *Supervisor) offered(r *run, f *future.Future[struct{}], shut bool, err error) {
	s.mu.Lock()
	s.letGo(r)
	isCurrent, begun := s.current == r, len(r.interrupts) > 0
	switch {
	case !isCurrent: // it was retired while Submit was in progress
	case err == nil:
		r.future = f
	case shut:
		s.stop(executor.ErrShutdown)
	case begun && err == future.ErrGoexit: // of the body, run by the caller of Submit
		s.conclude(r, Failed, err)
	default:
		s.conclude(r, Rejected, err)
	}
	over := s.state == stopped
	s.mu.Unlock()
	if over {
		s.unwatch()
	}
	switch {
	case err != nil:
	case isCurrent:
		future.AfterSettled(f, func(result future.Result[struct{}]) { s.settled(r, result) })
	case !begun:
		f.CancelCause(r.cause)
	}
}

// bodyOf returns the task for the pool: the body of r with its deadline, and with its bookkeeping.
func (s *Supervisor) bodyOf(r *run) executor.Task {
	return func(ctx context.Context) error {
		ctx, interrupt := context.WithCancelCause(context.WithValue(ctx, inside{s}, r))
		defer interrupt(context.Canceled)
		ctx, release := context.WithDeadlineCause(ctx, r.deadline, future.ErrTimeout)
		defer release()
		goroutine := goid.Current()
		if !s.enter(r, goroutine, interrupt) {
			return future.CancelledError(r.cause)
		}
		defer s.leave(r, goroutine, ctx)
		return s.task(ctx)
	}
}

// enter begins a body, and reports whether it may begin: false once r is retired. It notes the
// goroutine, by which StopContext recognizes a call from a run.
func (s *Supervisor) enter(r *run, goroutine uint64, interrupt context.CancelCauseFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != r {
		return false
	}
	if s.bodies == nil {
		s.bodies = map[uint64]int{}
	}
	s.bodies[goroutine]++
	r.interrupts = append(r.interrupts, interrupt)
	s.hold(r)
	return true
}

// leave ends a body that has begun, however it has ended.
func (s *Supervisor) leave(r *run, goroutine uint64, ctx context.Context) {
	cutOff := context.Cause(ctx) == executor.ErrShutdown
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bodies[goroutine]--; s.bodies[goroutine] == 0 {
		delete(s.bodies, goroutine)
	}
	s.letGo(r)
	if s.current == r {
		r.cutOff = cutOff
	}
}

// hold counts that r is inside Submit or a body. The lock is held.
func (s *Supervisor) hold(r *run) {
	if r.holds == 0 {
		s.present++
	}
	r.holds++
}

// letGo ends a hold. Once r has no more, a run that a Trigger asked for may follow, or the
// supervisor may be done. The lock is held.
func (s *Supervisor) letGo(r *run) {
	r.holds--
	if r.holds > 0 {
		return
	}
	s.present--
	s.hurry()
	s.quit()
}

// unfinished returns how many runs are in progress besides the current one. The lock is held.
func (s *Supervisor) unfinished() int {
	if s.current != nil && s.current.holds > 0 {
		return s.present - 1
	}
	return s.present
}

// full reports whether too many runs are unfinished to start another. The lock is held.
func (s *Supervisor) full() bool { return s.unfinished() >= s.maxUnfinished }

// settled is called once the future of r is settled, on the goroutine that has settled it.
func (s *Supervisor) settled(r *run, result future.Result[struct{}]) {
	dropped := r.future.State() == future.Cancelled
	shut := dropped && cell.Matches(result.Err, executor.ErrShutdown)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != r {
		return
	}
	shut = shut || r.cutOff
	switch {
	case !time.Now().Before(r.deadline): // the timer, about to fire, would say the same
		s.conclude(r, TimedOut, future.ErrTimeout)
	case result.Err == nil:
		s.conclude(r, Succeeded, nil)
	case shut: // no outcome: that its pool shut down is not the task's failure
	case dropped:
		s.conclude(r, Rejected, result.Err)
	default:
		s.conclude(r, Failed, result.Err)
	}
	if shut {
		s.stop(executor.ErrShutdown)
	}
}

// withdraw ends what is left of a retired run: it cancels it in the pool's queue, or ends the
// context of its body. No lock is held, as both may call others.
func (r *run) withdraw() {
	for _, interrupt := range r.interrupts {
		interrupt(r.cause)
	}
	if len(r.interrupts) == 0 && r.future != nil {
		r.future.CancelCause(r.cause)
	}
}
