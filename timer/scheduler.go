package timer

import (
	"errors"
	"time"
)

// Scheduler is what every timer facility of this module can do: call a function once, later.
//
// Whoever implements it keeps these promises, which package timertest checks:
//
//   - Never early: f begins at or after d has passed since the call of AfterFunc.
//   - Once: an arming leads to at most one call of f, and to exactly one unless it is stopped or
//     refused, or the facility itself is stopped.
//   - A d of zero or less means now, but AfterFunc does not call f itself: it returns first, or at
//     the same time. A d past the end of the clock, 292 years away, means never.
//   - How late f may be in an otherwise idle process is stated by the facility.
//   - A nil f panics.
//
// All methods are safe for concurrent use and may be called from f. What a panic of f does is stated
// by the facility.
type Scheduler interface {
	AfterFunc(d time.Duration, f func()) Handle
}

// Handle is one armed function. It has the method set of *time.Timer, with the same meaning.
type Handle interface {
	// Stop keeps f from being called and reports whether this call did: false when f has begun, or was
	// not armed. It does not wait for an f that runs. How soon the facility lets go of f is stated by
	// it.
	Stop() bool

	// Reset arms f anew, to be called once d from now, whether or not it was armed, and reports
	// whether it was. If f is running, the new call may overlap with it. On a facility that is
	// stopped, or full, f is not armed; [Err] tells.
	Reset(d time.Duration) bool
}

var (
	// ErrRejected is matched by every reason for which a facility does not call a function:
	// [ErrClosed], [ErrSaturated], and a refusal by its [Executor].
	ErrRejected = errors.New("timer: rejected")

	// ErrClosed says that the facility was closed: before the function was armed, or before the
	// facility came to it.
	ErrClosed error = rejection("timer: closed")

	// ErrSaturated says that the facility had as many functions armed as it may.
	ErrSaturated error = rejection("timer: saturated")
)

// rejection is a reason to reject a function.
type rejection string

func (r rejection) Error() string        { return string(r) }
func (r rejection) Is(target error) bool { return target == ErrRejected }

// Err returns why the facility of h, and not a Stop of h, has left its function uncalled; nil if it
// has not. The error matches [ErrRejected]. Handles of facilities that refuse nothing, such as
// [Runtime], need not know the question.
func Err(h Handle) error {
	if r, ok := h.(interface{ Err() error }); ok {
		return r.Err()
	}
	return nil
}

// Executor calls f, on any goroutine, now or later, or returns an error, and then never calls it;
// [Err] of the handle is then [ErrRejected], and what the error was the Executor has to remember.
// One that panics, or ends the goroutine, before it has called f, has refused it too. A facility
// hands over what is due in order, one function after the other: an Executor that calls f itself
// keeps the order, and keeps the facility waiting.
//
// To run callbacks on a pool of package executor:
//
//	run := func(f func()) error {
//		return pool.Execute(func(context.Context) error { f(); return nil })
//	}
//
// An Executor must not take f and drop it later, as a pool does that is stopped with tasks in its queue, or
// whose policy discards some: the facility cannot know, and f counts as pending until it is stopped by its
// handle. So let the pool refuse what is too much, and stop the facility before its pool.
type Executor = func(f func()) error

// Config says how a wheel is made. The zero Config has the defaults of the wheel. A negative value
// is refused by a panic.
type Config struct {
	Tick  time.Duration // grain of time: a callback is up to one tick late
	Slots int           // of the wheel, or of each of its levels

	// PendingLimit bounds how many functions may be armed and not yet begun; 0 means any number.
	PendingLimit int

	// Executor calls what is due; nil means a goroutine for each.
	Executor Executor

	// OnPanic is told when a callback, or the Executor, has panicked: the value, and the stack. Nil
	// means that it is logged by log/slog. The wheel goes on.
	OnPanic func(value any, stack []byte)
}

// Runtime returns the timers of the Go runtime, [time.AfterFunc], as a [Scheduler]: the measure for all
// others. It cannot be stopped and refuses nothing; functions due at the same time run in any order,
// each on a goroutine of its own, and one that panics ends the program. In an idle process on Linux it
// is up to about a millisecond late.
func Runtime() Scheduler { return runtimeTimers{} }

type runtimeTimers struct{}

func (runtimeTimers) AfterFunc(d time.Duration, f func()) Handle {
	if f == nil {
		panic("timer: nil function")
	}
	return time.AfterFunc(d, f)
}
