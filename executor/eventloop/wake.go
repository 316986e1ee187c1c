package eventloop

import (
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
)

// Loop.next tells submitters whether the loop has to be told of a task. It holds one of these, or the time
// until which the loop sleeps; clock.Never is a sleep without a timer. Every task is due after both.
//
//	absent -> awake     signal: whoever comes first starts the goroutine
//	awake  -> T         sleep: nothing is due before T
//	T      -> awake     the time comes; or signal, of a task due before T, which then wakes the loop
//	awake  -> absent    leave: nothing waits
//
// No wake-up is lost: a submitter pushes, then reads next; the loop writes next, then looks at the intake.
// One of the two sees the other. That is the check before and after the sleep; as a push by itself wakes
// nobody, the submitter needs no check before it.
const (
	awake  int64 = 0
	absent int64 = -1
)

// signal is called after a task due at the given time has been put on the intake or the agenda; or, with
// a time of 0, when the loop is to look at its stage. It takes no lock. Only one caller wakes a loop, and
// none one that will look in time.
func (l *Loop) signal(when int64) {
	for {
		next := l.next.Load()
		switch {
		case next == absent:
			if l.next.CompareAndSwap(absent, awake) {
				go l.loop()
				return
			}
		case when >= next:
			return
		case l.next.CompareAndSwap(next, awake):
			l.ring(next)
			return
		}
	}
}

// ring wakes the loop out of a sleep until the given time. The caller has ended that sleep in next, and
// is the only one. It may be late: then the loop is awake for another reason, and at worst wakes once more
// for nothing.
func (l *Loop) ring(until int64) {
	if until != clock.Never {
		l.alarm.Ring() // set before next said so
		return
	}
	select {
	case l.call <- struct{}{}:
	default:
	}
}

// sleep waits until the given time, or until it is called. It returns at once if something has come
// meanwhile. The lock is held at the call and at the return, and not while waiting.
func (l *Loop) sleep(until, now int64) {
	if until != clock.Never {
		l.alarm.Set(until, now)
	}
	l.next.Store(until)
	delay.At(delay.LoopSleepsLocked)
	if !l.intake.empty() && l.next.CompareAndSwap(until, awake) {
		return
	}
	l.mu.Unlock()
	if until == clock.Never {
		<-l.call
	} else {
		l.alarm.Wait(nil)
	}
	l.next.Store(awake)
	l.mu.Lock()
	l.counts.wakeups++
}
