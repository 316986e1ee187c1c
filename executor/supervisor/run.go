package supervisor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
)

// run is one run of the task, from its submission until neither Submit nor its body is in progress.
//
//	offered -> begun     enter: the pool calls the body
//	offered -> retired   the pool refuses or drops it; time-out, Stop
//	begun   -> retired   its future is settled; time-out, Stop
//
// It is the current run of its supervisor until it is retired. After that no body of it begins, and of
// its fields only holds changes. The lock of the supervisor guards holds, and the others until then.
type run struct {
	number   uint64
	started  time.Time
	deadline time.Time
	timer    *time.Timer // rings at the deadline

	future     *future.Future[struct{}]  // once Submit has returned
	interrupts []context.CancelCauseFunc // one for each body begun, several if the pool decorates tasks so
	cutOff     bool                      // the pool was stopped during the body
	cause      error                     // of the retirement

	holds int // Submit, and bodies, in progress
}

// inside marks the contexts of runs of a supervisor.
type inside struct{ *Supervisor }

// offer submits the run. It may take its time there, and even run the body. Nothing that Submit does
// ends more than this goroutine: a panic is that of a rejection policy, and Goexit that of a task run
// by its caller.
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

// offered takes the answer of the pool.
func (s *Supervisor) offered(r *run, f *future.Future[struct{}], shut bool, err error) {
	s.mu.Lock()
	s.letGo(r)
	isCurrent, begun := s.current == r, len(r.interrupts) > 0
	switch {
	case !isCurrent:
	case err == nil:
		r.future = f
	case shut:
		s.stop(executor.ErrShutdown)
	case begun && err == future.ErrGoexit:
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

// bodyOf returns what the pool has to run.
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

// enter begins a body, and reports whether it may: false when the run is retired.
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

// hold counts that r is inside of Submit or a body. The lock is held.
func (s *Supervisor) hold(r *run) {
	if r.holds == 0 {
		s.present++
	}
	r.holds++
}

// letGo ends hold. The lock is held.
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

// full reports whether too many runs are unfinished for another one. The lock is held.
func (s *Supervisor) full() bool { return s.unfinished() >= s.maxUnfinished }

// settled is called once the future of r is.
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
	case !time.Now().Before(r.deadline):
		s.conclude(r, TimedOut, future.ErrTimeout)
	case result.Err == nil:
		s.conclude(r, Succeeded, nil)
	case shut: // no outcome, as it would be noise
	case dropped:
		s.conclude(r, Rejected, result.Err)
	default:
		s.conclude(r, Failed, result.Err)
	}
	if shut {
		s.stop(executor.ErrShutdown)
	}
}

// withdraw ends what is left of a retired run: it is taken out of the queue of the pool, or has its
// context ended. No lock is held.
func (r *run) withdraw() {
	for _, interrupt := range r.interrupts {
		interrupt(r.cause)
	}
	if len(r.interrupts) == 0 && r.future != nil {
		r.future.CancelCause(r.cause)
	}
}
