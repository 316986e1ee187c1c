package timer

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/series"
)

// Series is a function that a [Scheduler] calls again and again, until it is stopped. Make one with
// [AtFixedRate] or [WithFixedDelay]. It is safe for concurrent use.
//
// Facilities call a function once; a series arms the same handle anew after every run, so that a
// run allocates nothing where the facility does not. Its runs never overlap, and are never early.
//
// A run that panics ends the series, and so does one that calls runtime.Goexit. The panic goes on
// into the facility, which does with it what it does with any other: a wheel reports it, the classic
// [Timer] dies of it, [Runtime] ends the program.
//
// A series ends, too, when the facility refuses to arm it between two runs: because it is stopped,
// or has as many functions armed as it may.
type Series struct {
	clock clock.Clock
	f     func() // dropped at the end
	runs  atomic.Uint64
	done  chan struct{}

	// The low bits tell where the series stands:
	//
	//	waiting -> running   the facility calls, and a run begins
	//	running -> waiting   the run has returned; the handle is about to be armed
	//	waiting -> ending    Stop; or it is found that the facility will not call
	//	running -> ending    Stop; or the run panics, or calls Goexit
	//	ending  -> ended     by whoever decided it, but by the run if there is one
	//
	// The flags above tell what the first run needs to know.
	word atomic.Uint32

	handle Handle // set before the flag bound
	err    error  // set before ended, by whoever makes the transition to it

	// The run's in progress; between two, that of who arms the handle.
	plan series.Series
	due  int64 // when the next run is planned, or the one in progress was
}

const (
	waiting uint32 = iota
	running
	ending
	ended
	phases = 3

	bound = 1 << 2 // the handle is known
	owed  = 1 << 3 // a run has ended: who sets the second of the two flags arms the handle
)

// AtFixedRate calls f on s, first after initial and then every period: the n-th run is planned for
// n periods after the first, so that the long-run rate is exact however late or coarse s is. Periods
// that pass while the series cannot run get their runs late, one after the other, unless
// [CatchUp] says otherwise.
//
// An initial delay of zero or less means now; times past the end of the clock, 292 years away, mean
// never. It fails with [ErrNilFunc] for a nil f, with [ErrInvalid] for a nil s, a period that is not
// positive, and a bad option, and with the error of s, which matches [ErrRejected], if s refuses f.
func AtFixedRate(s Scheduler, initial, period time.Duration, f func(), opts ...SeriesOption) (*Series, error) {
	if period <= 0 {
		return nil, invalid("period %v is not positive", period)
	}
	var o series.Options
	for i, opt := range opts {
		if opt == nil {
			return nil, invalid("series option %d is nil", i)
		}
		if err := opt.configure(&o); err != nil {
			return nil, err
		}
	}
	return begin(s, initial, f, series.Series{Options: o, Period: series.FixedRate * int64(period)})
}

// WithFixedDelay calls f on s, first after initial and then again and again, each time when delay
// has passed since the end of the run before. Arguments and errors are those of [AtFixedRate].
func WithFixedDelay(s Scheduler, initial, delay time.Duration, f func()) (*Series, error) {
	if delay <= 0 {
		return nil, invalid("delay %v is not positive", delay)
	}
	return begin(s, initial, f, series.Series{Period: series.FixedDelay * int64(delay)})
}

func begin(on Scheduler, initial time.Duration, f func(), plan series.Series) (*Series, error) {
	switch {
	case f == nil:
		return nil, ErrNilFunc
	case on == nil:
		return nil, invalid("nil scheduler")
	}
	s := &Series{clock: clock.New(0), f: f, done: make(chan struct{}), plan: plan}
	s.due = s.plan.First(clock.Later(0, initial))
	s.handle = on.AfterFunc(initial, s.run)
	if s.word.Or(bound)&owed != 0 { // the first run was quicker than AfterFunc
		s.arm(s.due)
		return s, nil
	}
	if err := s.look(); err != nil && s.Runs() == 0 {
		return nil, err
	}
	return s, nil
}

// Stop ends the series and reports whether this call did: false when it had ended before. No run
// begins after it, but one that is just about to counts as in progress. It may be called from f. It does
// not wait for a run in progress; [Series.Done] does.
func (s *Series) Stop() bool {
	for {
		switch w := s.word.Load(); w & phases {
		case waiting:
			if s.move(waiting, ending) {
				s.handle.Stop()
				s.settle(nil)
				return true
			}
		case running:
			if s.move(running, ending) {
				return true
			}
		default:
			return false
		}
	}
}

// Done returns a channel that is closed when the series has ended and no run of it is in progress
// any more. To wait for it in f is to wait for ever.
//
// A facility that is stopped while the series waits for its next run tells nobody, and neither does
// one whose [Executor] refuses that run. Done and [Series.Err] find out when they are called, but who
// waits by then is not woken: stop a series before its facility.
func (s *Series) Done() <-chan struct{} {
	s.look()
	return s.done
}

// Err returns why the series has ended: a [*PanicError], [ErrGoexit], or the error of a facility
// that does not call it any more, which matches [ErrRejected]. It is nil after Stop, and while
// [Series.Done] is open.
func (s *Series) Err() error {
	s.look()
	if s.word.Load()&phases != ended {
		return nil
	}
	return s.err
}

// Runs returns how many runs have begun.
func (s *Series) Runs() uint64 { return s.runs.Load() }

// run is what the facility calls.
func (s *Series) run() {
	if !s.move(waiting, running) {
		return // stopped, too late for the facility
	}
	s.runs.Add(1)
	s.plan.Start(s.due, s.clock.Now())
	s.call()
	delay.At(delay.SeriesRan)
	next := s.plan.Next(s.clock.Now())
	s.due = next
	if !s.move(running, waiting) { // stopped meanwhile
		s.settle(nil)
		return
	}
	if s.word.Or(owed)&bound != 0 {
		s.arm(next)
	}
}

// call calls f. If f does not return, the series has ended, and the panic is the facility's.
func (s *Series) call() {
	var cause error
	defer func() {
		if cause != nil {
			s.fail(cause)
		}
	}()
	attempt(s.f, &cause)
	if cause != nil { // nobody but panic(nil) comes here
		v := new(runtime.PanicNilError)
		cause = newPanicError(v, debug.Stack())
		panic(v)
	}
}

// fail ends the series by its run, unless it was stopped before.
func (s *Series) fail(cause error) {
	if !s.move(running, ending) {
		cause = nil
	}
	s.settle(cause)
}

// arm has the facility call again. By the time it has armed the handle, the next run may have begun.
func (s *Series) arm(next int64) {
	delay := clock.Never
	if next != clock.Never {
		delay = next - s.clock.Now()
	}
	s.handle.Reset(time.Duration(delay))
	if s.word.Load()&phases >= ending { // by a Stop that came before Reset
		s.handle.Stop()
		return
	}
	s.look()
}

// look ends a series that waits for a call that the facility will not make, and returns why.
func (s *Series) look() error {
	if s.word.Load()&phases != waiting {
		return nil
	}
	err := Err(s.handle)
	if err == nil || !s.move(waiting, ending) {
		return nil
	}
	s.settle(err)
	return err
}

// settle completes the end. No run is in progress, and none will be.
func (s *Series) settle(err error) {
	s.err, s.f = err, nil
	s.move(ending, ended)
	close(s.done)
}

// move makes the transition if the series is in the phase from.
func (s *Series) move(from, to uint32) bool {
	for {
		w := s.word.Load()
		if w&phases != from {
			return false
		}
		if s.word.CompareAndSwap(w, w&^phases|to) {
			return true
		}
	}
}
