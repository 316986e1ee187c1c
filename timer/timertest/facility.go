// Package timertest is a conformance suite for timers: it checks that anything that implements
// [timer.Scheduler], of this module or not, keeps the contract of package timer.
//
// Describe what you want checked by a [Facility], and pass it to [Run], which runs one subtest for
// each promise. Nearly all of them run inside testing/synctest bubbles, where time is virtual: a
// function is on time to the nanosecond or it is late, and a century passes at once. So the
// facility must take its time from package time, and run nothing while nothing is due.
package timertest

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// Facility describes a timer facility: how to make and stop it, and what it promises beyond
// [timer.Scheduler]. Only New is required. Checks of what the facility does not promise are
// skipped.
type Facility struct {
	// New returns a new facility with the Executor, PendingLimit and OnPanic of cfg, as far as the
	// facility supports them. Tick and Slots of cfg are zero, for New to fill in. It is called
	// inside the bubble of the check that uses the facility; tb is the test of that bubble.
	New func(tb testing.TB, cfg timer.Config) timer.Scheduler

	// Stop stops what New has returned, and returns the handles whose functions it has kept from
	// being called. It must not wait for running functions, one of which may call it. All
	// goroutines of the facility must end soon after the last function has returned. Nil means that
	// the facility cannot be stopped; then it must leave no goroutine behind when nobody refers to
	// it any more.
	Stop func(s timer.Scheduler) []timer.Handle

	// Returns says that Stop returns those handles, and that they can be compared by ==. Even
	// without it, [timer.Err] must tell of each of them that the facility was stopped.
	Returns bool

	// Lateness is the stated bound: on an idle machine a function begins no earlier than it is due,
	// and no later than Lateness after that. Zero is for a facility that is exact in virtual time.
	Lateness time.Duration

	// Tick and Slots are the grain of time and the size of one turn or level, if the facility has
	// such a thing. They promise nothing: the checks try delays around their multiples. Zero means
	// a millisecond, and 512 slots.
	Tick  time.Duration
	Slots int

	// Executor says that the facility supports Config.Executor.
	Executor bool

	// Serial says that without an Executor the facility itself calls one function after the other.
	Serial bool

	// Ordered says that functions called one after the other begin in order of time, and those of
	// equal time in order of arming. They are called so by an Executor that calls each before it
	// returns, or because the facility is Serial. In a facility with a Lateness a function armed
	// without a delay may overtake one that is due and not yet late.
	Ordered bool

	// Limited says that the facility supports Config.PendingLimit.
	Limited bool

	// Panics says what happens when a function panics.
	Panics Panics

	// Wakeups returns how often the facility has woken so far; nil if it does not count that.
	Wakeups func(s timer.Scheduler) uint64
}

// Panics is what a facility does when a function panics, or ends its goroutine by
// [runtime.Goexit].
type Panics uint8

const (
	Recovers    Panics = iota // it reports a panic to Config.OnPanic, and goes on
	Survives                  // it goes on; this suite does not check who is told of a panic
	Dies                      // it stops; what follows is refused with ErrClosed and the cause
	EndsProgram               // a panic ends the program; a Goexit does no harm
)

// tick is the grain of time whose edges are tried.
func (f Facility) tick() time.Duration {
	if f.Tick > 0 {
		return f.Tick
	}
	return time.Millisecond
}

// slots is the number of ticks in a turn whose edges are tried.
func (f Facility) slots() int {
	if f.Slots > 0 {
		return f.Slots
	}
	return 512
}

// turn is the length of slots ticks.
func (f Facility) turn() time.Duration { return f.tick() * time.Duration(f.slots()) }

// serial returns a Config with which functions are called one after the other.
func (f Facility) serial() timer.Config {
	if f.Executor {
		return timer.Config{Executor: callItself}
	}
	return timer.Config{}
}
