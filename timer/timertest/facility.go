// Package timertest checks that a timer facility keeps the contract of package timer: a conformance
// suite for everything that implements [timer.Scheduler], of this module or not.
//
// A facility is described by a [Facility] and checked by [Run], which runs one subtest for each
// promise. Nearly all of them run inside bubbles of testing/synctest, where time is virtual: a
// function is on time to the nanosecond or late, and a century passes at once. So the facility must
// take its time from package time, and let nothing run while nothing is due.
package timertest

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// Facility describes a timer facility: how to make and stop it, and what it promises beyond
// [timer.Scheduler]. Checks of what it does not promise are skipped.
type Facility struct {
	// New returns a new facility with the given Executor, PendingLimit and OnPanic, as far as the
	// facility honours them. Tick and Slots of cfg are zero: New puts in what it wants. It is called
	// inside the bubble of the check that uses the facility, whose test is tb.
	New func(tb testing.TB, cfg timer.Config) timer.Scheduler

	// Stop stops what New has returned, and returns the handles whose functions it has kept from
	// being called. It does not wait for functions that run, so that one of them may call it; all
	// goroutines of the facility end soon after the last function has returned. Nil means that the
	// facility cannot be stopped, and then a forgotten one leaves no goroutine behind.
	Stop func(s timer.Scheduler) []timer.Handle

	// Returns tells that Stop returns those handles, which can be compared by ==. Without it, too,
	// [timer.Err] has to tell of each that the facility was stopped.
	Returns bool

	// Lateness is the stated bound: on an idle machine a function begins no earlier than its time,
	// and no later than that and Lateness. Zero is for a facility that is exact in virtual time.
	Lateness time.Duration

	// Tick and Slots are the grain of time, and the size of one turn or level, as far as there is
	// such a thing. They promise nothing: the checks try delays around their multiples. Zero means a
	// millisecond, and 512 slots.
	Tick  time.Duration
	Slots int

	// Executor tells that Config.Executor is honoured.
	Executor bool

	// Serial tells that without an Executor the facility calls one function after the other itself.
	Serial bool

	// Ordered tells that functions which are called one after the other, by an Executor that calls
	// them at once or because the facility is Serial, begin in order of time, and those of equal
	// time in order of arming. A function armed without a delay may overtake one that is due and not
	// yet late, if the facility has a Lateness.
	Ordered bool

	// Limited tells that Config.PendingLimit is honoured.
	Limited bool

	// Panics tells what a panic of a function does.
	Panics Panics

	// Wakeups returns how often the facility has woken so far; nil if it does not count.
	Wakeups func(s timer.Scheduler) uint64
}

// Panics is what a facility does when a function panics, or ends its goroutine by
// [runtime.Goexit].
type Panics uint8

const (
	Recovers    Panics = iota // it tells Config.OnPanic of a panic, and goes on
	Survives                  // it goes on; who is told of a panic is not for this suite to say
	Dies                      // it stops, and refuses all that follows with [timer.ErrClosed] and the cause
	EndsProgram               // a panic ends the program; a Goexit does no harm
)

// Run checks the facility, each promise in a subtest with its name. It takes some seconds, and for a
// moment replaces the default logger of log/slog: do not run it in parallel with tests that log.
//
//	func TestConformance(t *testing.T) {
//		timertest.Run(t, timertest.Facility{
//			New:  func(_ testing.TB, cfg timer.Config) timer.Scheduler { return mywheel.New(cfg) },
//			Stop: func(s timer.Scheduler) []timer.Handle { return s.(*mywheel.Wheel).Stop() },
//		})
//	}
//
// Two subtests make random calls and compare the facility with a list. They name the seed with which
// they fail; the environment variable TIMERTEST_SEED makes them try that one alone. Two others are in
// real time, for a second or so. Under the race detector the suite finds more.
func Run(t *testing.T, f Facility) {
	for _, k := range checks() {
		t.Run(k.name, func(t *testing.T) {
			if what := k.missing(f); what != "" {
				t.Skip("the facility " + what)
			}
			for _, failure := range k.failures(t, f, 30*time.Second) {
				t.Error(failure)
			}
		})
	}
}

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
