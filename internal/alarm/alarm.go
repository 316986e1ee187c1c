// Package alarm wakes one goroutine at a time, as precisely as the system can.
//
// An idle Go process on Linux waits in epoll with millisecond timeouts, so every time.Timer may be
// a millisecond late. A timerfd is finer: the kernel makes it readable at the nanosecond, and the
// netpoller resumes the reader at once. In a busy process it is the other way round: it fires
// timers as it switches goroutines, but may look at the netpoller only every ten milliseconds. So
// the read of the timerfd also has a deadline, which is a runtime timer, and the first of the two
// wins.
//
// An Alarm is a timerfd where there is one. It is a time.Timer elsewhere, inside a testing/synctest
// bubble (a descriptor knows nothing of virtual time), and when the process has run out of
// descriptors.
//
// The states, which the owner's lock guards except for the wait itself:
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

	// The first Set makes one of the two, which stays.
	precise precise
	timer   *time.Timer

	rung    chan struct{} // what Ring signals when there is no precise alarm
	virtual bool          // made inside a testing/synctest bubble
}

// precise is an alarm of the operating system.
type precise interface {
	set(at, now int64)
	ring()
	wait()
	close()
}

// New returns an alarm on the clock of its owner. Alarm and clock must both be made outside
// testing/synctest bubbles, or in the same one. The alarm holds no resource before the first Set.
func New(c clock.Clock) *Alarm {
	return &Alarm{clock: c, rung: make(chan struct{}, 1), virtual: inBubble()}
}

// Set makes Wait return at a time of the clock, or at once if that is past. It replaces the time
// set before. Now is the present time as the caller has read it. A slightly old reading does no
// harm to an alarm that is set to a time; one that is set to a duration is late by that much.
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

// Ring makes Wait return now. The alarm must be set.
func (a *Alarm) Ring() {
	if a.precise != nil {
		a.precise.ring()
		return
	}
	select {
	case a.rung <- struct{}{}:
	default: // it is ringing already
	}
}

// Wait returns when the time set has come, after Ring, or early for no reason; the caller looks
// again at what it waits for. (Under GODEBUG=asynctimerchan=1, a tick of an earlier time may be
// left in the channel.) If Interruptible reports true, Wait also returns when done is closed.
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

// Interruptible reports whether Wait watches its done channel. If not, the owner has to ring.
func (a *Alarm) Interruptible() bool { return a.precise == nil }

// Close releases what the alarm holds. Nobody may be in Wait, and nobody may use the alarm
// afterwards.
func (a *Alarm) Close() {
	switch {
	case a.precise != nil:
		a.precise.close()
	case a.timer != nil:
		a.timer.Stop()
	}
}
