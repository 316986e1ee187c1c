package timer

import (
	"errors"
	"time"
)

// Scheduler is what every timer facility of this module can do: call a function once, later.
//
// An implementation keeps these promises, which package timertest checks:
//
//   - Never early: f begins when d has passed since the call of AfterFunc, or later.
//   - Once: each time f is armed it is called at most once; and exactly once unless it is stopped
//     or refused, or the facility itself is stopped.
//   - A d of zero or less means now. Even then AfterFunc does not call f itself: f runs on another
//     goroutine, perhaps before AfterFunc has returned. A d past the end of the clock, 292 years
//     away, means never.
//   - A nil f panics.
//   - The methods of the facility and of its handles are safe for concurrent use, and may be called
//     from f.
//
// Each facility states how late f may be in an otherwise idle process, and what happens when f
// panics.
type Scheduler interface {
	AfterFunc(d time.Duration, f func()) Handle
}

// Handle is one armed function. It has the method set of *time.Timer, with the same meaning.
type Handle interface {
	// Stop keeps f from being called and reports whether it did: false if f has begun, or was not
	// armed. It does not wait for a running f. Each facility states how soon it lets go of f.
	Stop() bool

	// Reset arms f anew, to be called once, d from now, and reports whether f was armed before. If
	// f is running, the new call may overlap with it. A facility that is stopped or full does not
	// arm f; [Err] then tells why.
	Reset(d time.Duration) bool
}

var (
	// ErrRejected is matched by every reason for which a facility does not call a function:
	// [ErrClosed], [ErrSaturated], and a refusal by its [Executor].
	ErrRejected = errors.New("timer: rejected")

	// ErrClosed says that the facility was closed before it called the function, perhaps even
	// before the function was armed.
	ErrClosed error = rejection("timer: closed")

	// ErrSaturated says that as many functions were armed as the facility accepts at once.
	ErrSaturated error = rejection("timer: saturated")
)

// rejection is an error that matches [ErrRejected].
type rejection string

func (r rejection) Error() string        { return string(r) }
func (r rejection) Is(target error) bool { return target == ErrRejected }

// Err returns why the facility of h will not call its function, or nil. The error matches
// [ErrRejected]. It is nil after a Stop of h, which is the caller's own doing, and always for a
// facility that refuses nothing, such as [Runtime].
func Err(h Handle) error {
	if r, ok := h.(interface{ Err() error }); ok {
		return r.Err()
	}
	return nil
}

// Executor either calls f once, on any goroutine, now or later, and returns nil; or returns an
// error and never calls f. After an error [Err] of the handle is [ErrRejected]; the error itself is
// dropped, so the Executor must keep it if it matters. An Executor that panics or ends its
// goroutine before it has called f has refused it as well.
//
// A facility hands over what is due in order, one function at a time. An Executor that calls f
// before it returns keeps that order, and keeps the facility waiting meanwhile.
//
// To run callbacks on a pool of package executor:
//
//	run := func(f func()) error {
//		return pool.Execute(func(context.Context) error { f(); return nil })
//	}
//
// An Executor must not accept f and drop it later, as a pool does when it is stopped with tasks in
// its queue or its policy discards some: the facility cannot know, and f counts as pending until
// its handle is stopped. So choose a policy that refuses, and close the facility before its pool.
type Executor = func(f func()) error

// Config says how to make a wheel. The zero Config selects the defaults of that wheel. A negative
// value panics.
type Config struct {
	Tick  time.Duration // grain of time: a function begins up to one tick late
	Slots int           // of the wheel, or of each of its levels

	// PendingLimit bounds how many functions may be armed and not yet begun; 0 means no limit.
	PendingLimit int

	// Executor calls what is due; nil means that each function gets a goroutine of its own.
	Executor Executor

	// OnPanic is called with the value and the stack when a function or the Executor panics, and
	// with [ErrGoexit] as the value when it calls runtime.Goexit; nil means that log/slog logs it.
	// The wheel goes on either way.
	OnPanic func(value any, stack []byte)
}

// Runtime returns the timers of the Go runtime, [time.AfterFunc], as a [Scheduler], to measure
// others against. It cannot be stopped and refuses nothing. Functions due at the same time run in
// any order, each on a goroutine of its own, and one that panics ends the program. In an idle
// process on Linux a function begins up to about a millisecond late.
func Runtime() Scheduler { return runtimeTimers{} }

type runtimeTimers struct{}

func (runtimeTimers) AfterFunc(d time.Duration, f func()) Handle {
	if f == nil {
		panic("timer: nil function")
	}
	return time.AfterFunc(d, f)
}
