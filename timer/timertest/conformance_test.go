package timertest_test

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestTheReferencePasses(t *testing.T)       { timertest.Run(t, exact(none)) }
func TestACoarseReferencePasses(t *testing.T)   { timertest.Run(t, coarse(none)) }
func TestASerialReferencePasses(t *testing.T)   { timertest.Run(t, serial(none)) }
func TestAReferenceThatDiesPasses(t *testing.T) { timertest.Run(t, deadly(none)) }

// exact describes the reference with a fault.
func exact(broken fault) timertest.Facility {
	return timertest.Facility{
		New:      func(_ testing.TB, cfg timer.Config) timer.Scheduler { return newReference(cfg, broken) },
		Stop:     func(s timer.Scheduler) []timer.Handle { return s.(*reference).stop() },
		Returns:  true,
		Executor: true,
		Ordered:  true,
		Limited:  true,
		Wakeups:  func(s timer.Scheduler) uint64 { return s.(*reference).wakeUps() },
	}
}

// coarse describes one that begins functions at the end of a tick.
func coarse(broken fault) timertest.Facility {
	f := exact(broken)
	f.Tick, f.Slots = 10*time.Millisecond, 32
	f.Lateness = f.Tick - 1
	f.New = func(_ testing.TB, cfg timer.Config) timer.Scheduler {
		r := newReference(cfg, broken)
		r.tick = f.Tick
		return r
	}
	return f
}

// serial describes one that has no Executor, and calls one function after the other.
func serial(broken fault) timertest.Facility {
	f := exact(broken)
	f.Executor, f.Serial = false, true
	f.Panics = timertest.Survives
	f.New = func(_ testing.TB, cfg timer.Config) timer.Scheduler { return newSerial(cfg, broken) }
	return f
}

// deadly describes one that is stopped by a function that fails, and returns nothing.
func deadly(broken fault) timertest.Facility {
	f := serial(broken)
	f.Panics = timertest.Dies
	f.Limited, f.Returns, f.Wakeups = false, false, nil
	f.New = func(_ testing.TB, cfg timer.Config) timer.Scheduler {
		r := newSerial(cfg, broken)
		r.deadly = true
		return r
	}
	return f
}

func newSerial(cfg timer.Config, broken fault) *reference {
	cfg.Executor = func(f func()) error { f(); return nil }
	return newReference(cfg, broken)
}

// harmful describes one of which it is said that a panic ends the program.
func harmful(broken fault) timertest.Facility {
	f := exact(broken)
	f.Panics = timertest.EndsProgram
	return f
}
