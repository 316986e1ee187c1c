// Package wall reads the wall clock beside the monotonic one, and tells when the two have parted:
// the wall clock has been set, or the machine was suspended, when the monotonic clock may stand
// still.
package wall

import (
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/alarm"
)

// Clock is a wall clock.
type Clock interface {
	// Read returns the present moment: with a reading of the monotonic clock, and as the wall clock
	// shows it, without one.
	Read() (mono, wall time.Time)

	// Watch has parted called after the two clocks have parted, and perhaps at other times, one
	// call at a time and on a goroutine of the clock. After stop no call begins.
	Watch(parted func()) (stop func())
}

// New returns the clock of the system.
//
// In a testing/synctest bubble the clocks never part, and Watch costs nothing. Otherwise it is a
// goroutine and, on Linux, a file descriptor: the kernel tells at once when the wall clock was set,
// or the machine has been resumed. Elsewhere the clocks are compared each minute.
func New() Clock {
	if c := replaced.Load(); c != nil {
		return *c
	}
	return system{}
}

// replaced is what New returns in a test.
var replaced atomic.Pointer[Clock]

// Replace has New return another clock, for tests, until restore is called.
func Replace(c Clock) (restore func()) {
	before := replaced.Swap(&c)
	return func() { replaced.Store(before) }
}

type system struct{}

func (system) Read() (mono, wall time.Time) {
	now := time.Now()
	return now, now.Round(0)
}

func (system) Watch(parted func()) (stop func()) {
	if alarm.InBubble() {
		return func() {}
	}
	if stop, ok := watch(parted); ok {
		return stop
	}
	return compare(parted)
}

const (
	// often is how often the clocks are compared where the system tells nothing.
	often = time.Minute

	// apart is how far apart they may be: the wall clock may be slewed, and the other not.
	apart = time.Millisecond
)

// compare watches by comparing.
func compare(parted func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(often)
		defer ticker.Stop()
		for last := time.Now(); ; {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			now := time.Now()
			if d := now.Round(0).Sub(last.Round(0)) - now.Sub(last); d.Abs() >= apart {
				last = now
				parted()
			}
		}
	}()
	return func() { close(done) }
}
