// Package alarm wakes one goroutine at a time, as exactly as the system can.
//
// An idle Go process on Linux waits in epoll with millisecond time-outs, so every
// time.Timer may be a millisecond late. A timerfd has no such grain: the kernel
// makes it readable at its nanosecond and the netpoller resumes the reader at once.
// A busy process is the other way about: it fires timers as it goes from goroutine
// to goroutine, and may look at the netpoller every ten milliseconds only. So the
// read has a deadline too, which is a runtime timer, and the first of the two wins.
// An Alarm is a timerfd where there is one, and a time.Timer elsewhere, inside a
// testing/synctest bubble (a descriptor knows nothing of virtual time), and when the
// process is out of descriptors.
//
// States, of which the owner's lock guards all but the wait itself:
//
//	idle -> set       Set
//	set  -> set       Set, earlier or later; whoever waits is not disturbed
//	set  -> rung      the time comes, or Ring
//	rung -> idle      Wait returns
package alarm

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Alarm wakes its one waiter. Set, Ring and Close are called with the owner's lock held, Wait
// without it and by one goroutine at a time.
type Alarm struct {
	clock clock.Clock

	// The first Set makes one of the two, for good.
	precise precise
	timer   *time.Timer

	rung    chan struct{} // rings the timer
	virtual bool
}

// precise is an alarm of the operating system.
type precise interface {
	set(at, now int64)
	ring()
	wait()
	close()
}

// New returns an alarm on the clock of its owner, who has made it where the alarm is made: outside
// of a testing/synctest bubble, or in it. It holds no resource before the first Set.
func New(c clock.Clock) *Alarm {
	return &Alarm{clock: c, rung: make(chan struct{}, 1), virtual: inBubble()}
}

// Set makes Wait return at a time of the clock, or at once if that has gone by. It replaces the
// time set before. Now is the present, as the caller has read it; that it is a little old does no
// harm where the system takes a time, and no duration.
func (a *Alarm) Set(at, now int64) {
	if a.precise == nil && a.timer == nil && !a.virtual {
		a.precise = newPrecise(a.clock)
	}
	switch {
	case a.precise != nil:
		a.precise.set(at, now)
	case a.timer != nil:
		a.timer.Reset(time.Duration(at - now))
	default:
		a.timer = time.NewTimer(time.Duration(at - now))
	}
}

// Ring makes Wait return now. Only a set alarm can ring.
func (a *Alarm) Ring() {
	if a.precise != nil {
		a.precise.ring()
		return
	}
	select {
	case a.rung <- struct{}{}:
	default: // rings already
	}
}

// Wait returns when the time set has come, on Ring, or early for no reason, as under
// GODEBUG=asynctimerchan=1, where a tick of a time set before may be left; the caller looks again at
// what it waits for. Where Interruptible reports true it also returns when done closes.
func (a *Alarm) Wait(done <-chan struct{}) {
	if a.precise != nil {
		a.precise.wait()
		return
	}
	select {
	case <-a.timer.C:
	case <-a.rung:
	case <-done:
	}
}

// Interruptible reports whether Wait watches its done channel. If not, the owner rings.
func (a *Alarm) Interruptible() bool { return a.precise == nil }

// Close releases what the alarm holds. Nobody may be in Wait, and nobody may use it afterwards.
func (a *Alarm) Close() {
	switch {
	case a.precise != nil:
		a.precise.close()
	case a.timer != nil:
		a.timer.Stop()
	}
}
