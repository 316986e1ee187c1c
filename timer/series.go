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

// Series is a function that a [Scheduler] calls again and again until it is stopped. Its runs are
// never early and never overlap, and what one run writes the next one sees. Make one with
// [AtFixedRate] or [WithFixedDelay]; the zero Series is not usable. It is safe for concurrent use.
//
// A facility calls a function once, so a series arms the same handle anew after every run. A run
// therefore allocates nothing if arming a handle anew does not.
//
// A series ends when it is stopped; when a run panics or calls runtime.Goexit; or when, between two
// runs, the facility refuses to arm it again because it is closed or full. A panic continues into
// the facility, which treats it like any other: a wheel reports it, the classic [Timer] dies of it,
// and [Runtime] ends the program.
type Series struct {
	clock clock.Clock
	f     func() // set to nil at the end, so that nothing it refers to is retained
	runs  atomic.Uint64
	done  chan struct{}

	// The low bits of word are the phase of the series:
	//
	//	waiting -> running   the facility calls, and a run begins
	//	running -> waiting   the run has returned; the handle is about to be armed
	//	waiting -> ending    Stop, or the facility turns out to have refused the next run
	//	running -> ending    Stop, or the run panics or calls Goexit
	//	ending  -> ended     settle, by the run if one is in progress, else by whoever ended it
	//
	// The flags above them, bound and owed, are for the first run, which may be over before
	// AfterFunc has returned the handle.
	word atomic.Uint32

	handle Handle // written before the flag bound is set
	err    error  // written before the phase becomes ended

	// Owned by the run in progress; between runs, by whoever re-arms the handle.
	plan series.Series
	due  int64 // when the run in progress was planned, or the next one is
}

const (
	waiting uint32 = iota
	running
	ending
	ended
	phases = 3

	bound = 1 << 2 // the handle is known
	owed  = 1 << 3 // a run has ended: whoever sets the second of the two flags arms the handle
)

// AtFixedRate calls f on s, first after initial and then every period, until the series ends. The
// n-th run after the first is planned for exactly n periods after it, so the long-run rate is exact
// however late or coarse s is. Periods that pass while the series cannot run get their runs late,
// one right after the other, unless [CatchUp] says otherwise.
//
// An initial delay of zero or less means now. A time past the end of the clock, 292 years away,
// means never. AtFixedRate fails with [ErrNilFunc] for a nil f; with [ErrInvalid] for a nil s, a
// period that is not positive, or a bad option; and with an error that matches [ErrRejected] if s
// refuses f.
func AtFixedRate(
	s Scheduler, initial, period time.Duration, f func(), opts ...SeriesOption,
) (*Series, error) {
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
	grid := series.Grid{Options: o, Period: series.FixedRate * int64(period)}
	return begin(s, initial, f, series.Series{Grid: grid})
}

// WithFixedDelay calls f on s, first after initial and then each time delay has passed since the
// end of the run before, until the series ends. Arguments and errors are those of [AtFixedRate].
func WithFixedDelay(s Scheduler, initial, delay time.Duration, f func()) (*Series, error) {
	if delay <= 0 {
		return nil, invalid("delay %v is not positive", delay)
	}
	grid := series.Grid{Period: series.FixedDelay * int64(delay)}
	return begin(s, initial, f, series.Series{Grid: grid})
}

// begin makes a series and arms it for the first time.
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
	if s.word.Or(bound)&owed != 0 { // the first run ended before AfterFunc returned
		s.arm(s.due)
		return s, nil
	}
	// A refusal after a run is not the caller's error: the series has begun, and Err tells.
	if err := s.look(); err != nil && s.Runs() == 0 {
		return nil, err
	}
	return s, nil
}

// Stop ends the series and reports whether this call did: false if it had ended before. No run
// begins after Stop, though one that is just about to call f counts as in progress. Stop does not
// wait for a run in progress; to do that, wait for [Series.Done]. It may be called from f.
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
			if s.move(running, ending) { // the run settles when it has returned
				return true
			}
		default:
			return false
		}
	}
}

// Done returns a channel that is closed once the series has ended and no run of it is in progress.
// To wait for it in f is to wait for ever.
//
// A facility that is closed while the series waits for its next run tells nobody, and neither does
// one whose [Executor] refuses that run. A call of Done or [Series.Err] finds out and closes the
// channel, but without such a call a goroutine that waits on it is not woken. So stop a series
// before you close its facility.
func (s *Series) Done() <-chan struct{} {
	s.look()
	return s.done
}

// Err returns why the series has ended: a [*PanicError], [ErrGoexit], or the error of a facility
// that no longer calls it, which matches [ErrRejected]. It is nil after Stop, and as long as
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

// run is the function that the facility calls.
func (s *Series) run() {
	if !s.move(waiting, running) {
		return // stopped, but the facility had already begun the call
	}
	s.runs.Add(1)
	s.plan.Start(s.due, s.clock.Now())
	s.call()
	delay.At(delay.SeriesRan)
	next := s.plan.Next(s.clock.Now())
	s.due = next
	// From the move on, plan and due belong to whoever arms the handle: use the copy.
	if !s.move(running, waiting) { // stopped meanwhile
		s.settle(nil)
		return
	}
	if s.word.Or(owed)&bound != 0 {
		s.arm(next)
	}
}

// call calls f. If f does not return, call ends the series and lets the panic or Goexit continue
// into the facility.
func (s *Series) call() {
	var cause error
	defer func() {
		if cause != nil {
			s.fail(cause)
		}
	}()
	attempt(s.f, &cause)
	if cause != nil { // only a panic(nil) under GODEBUG=panicnil=1 gets here
		v := new(runtime.PanicNilError)
		cause = newPanicError(v, debug.Stack())
		panic(v)
	}
}

// fail ends the series because its run has failed, with no error if it was stopped meanwhile.
func (s *Series) fail(cause error) {
	if !s.move(running, ending) {
		cause = nil
	}
	s.settle(cause)
}

// arm makes the facility call again at next. When it returns, that run may already have begun.
func (s *Series) arm(next int64) {
	delay := clock.Never
	if next != clock.Never {
		delay = next - s.clock.Now()
	}
	s.handle.Reset(time.Duration(delay))
	if s.word.Load()&phases >= ending { // a Stop came before Reset, which has armed it again
		s.handle.Stop()
		return
	}
	s.look()
}

// look ends the series if it waits for a call that the facility will not make, and returns why. It
// returns nil if there is nothing to find, or somebody else has ended the series meanwhile.
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

// settle completes the end. No run is in progress, and none will be. Only the one that made the
// transition to ending, or its run, calls it, so done is closed once.
func (s *Series) settle(err error) {
	s.err, s.f = err, nil
	s.move(ending, ended)
	close(s.done)
}

// move changes the phase if it is from, leaving the flags alone, and reports whether it did.
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
