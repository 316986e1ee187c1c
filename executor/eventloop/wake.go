package eventloop

import (
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
)

// rest.next tells submitters whether the loop needs to be told of a task. It holds one of the two
// values below, or the time T until which the loop sleeps; clock.Never is a sleep without a timer.
// Every due time is above awake and absent, and no sleep ends at hung.
//
//	absent -> awake     signal: the first caller starts the goroutine
//	awake  -> T         sleep: nothing is due before T
//	T      -> awake     T comes; or signal, for a task due before T, which then wakes the loop
//	awake  -> absent    leave: nothing waits
//	awake  -> hung      the loop has been in one run for long; see shortage.go
//	hung   -> awake     signal: a task has come to it
//	hung   -> T, absent as from awake
//
// No wake-up is lost. A submitter pushes, then reads next; the loop writes next, then looks at the
// intake. So one of the two sees what the other did: either the submitter wakes the loop, or the
// loop finds the task before it sleeps.
const (
	awake  int64 = 0
	absent int64 = -1
	hung   int64 = clock.Never - 2
)

// signal is called after a task that is due at when has been put on the intake or the agenda, or,
// with 0, when the loop must look at its stage. It takes no lock. Of several callers only one wakes
// the loop, and none wakes a loop that will look in time by itself.
func (r *rest) signal(when int64) {
	for {
		next := r.next.Load()
		switch {
		case next == absent:
			if r.next.CompareAndSwap(absent, awake) {
				go r.loop.worker.work()
				return
			}
		case when >= next:
			return
		case r.next.CompareAndSwap(next, awake):
			r.ring(next)
			return
		}
	}
}

// ring wakes the loop from a sleep until the given time. The caller has ended that sleep in next,
// and is the only one to do so. If ring comes late, the loop has woken for another reason, and at
// worst wakes once more for nothing.
func (r *rest) ring(until int64) {
	if until == hung {
		go r.loop.unhang() // a submitter waits for no lock
		return
	}
	if until != clock.Never {
		r.alarm.Ring() // a set alarm: it was set before next said so
		return
	}
	// The channel has room for one call; a call that is there already is enough.
	select {
	case r.call <- struct{}{}:
	default:
	}
}

// look returns when to look at a head that is not due yet: at its time, or later, but no later than
// the slack, if the loop has woken a moment ago.
func (r *rest) look(head int64) int64 {
	if r.slack == 0 {
		return head
	}
	return max(head, clock.Later(r.woke, r.slack))
}

// sleep waits until the given time, or until the loop is rung. It returns at once if something has
// arrived meanwhile. The lock is held at the call and at the return, but not while it waits.
func (r *rest) sleep(until, now int64) {
	l := r.loop
	if until == hung {
		until++ // which nobody will notice in 292 years
	}
	if until != clock.Never {
		r.alarm.Set(until, now)
	}
	r.next.Store(until)
	delay.At(delay.LoopSleepsLocked)
	// If the exchange fails, a submitter has ended this sleep already and is about to ring. Take
	// that ring here, rather than leave it to the next sleep.
	if !l.waiting.intake.empty() && r.next.CompareAndSwap(until, awake) {
		return
	}
	l.mu.Unlock()
	if until == clock.Never {
		<-r.call
		now = l.clock.Now()
	} else {
		now = r.alarm.Wait(nil)
	}
	r.woke, l.worker.exec.Meant = now, min(until, now)
	r.next.Store(awake)
	l.mu.Lock()
	l.counts.wakeups++
	l.busyLocked()
}
