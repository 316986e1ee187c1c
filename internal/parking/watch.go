package parking

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Overview: while a taker runs what it has taken, somebody else has to wait for the next head. To
// wake another for that is most of what a run costs if the body is brief; and a body that is
// shorter than waking another is over before that one could be of use. So a taker that expects its
// run to be brief says that it watches, and calls nobody. In case it is wrong there is the guard, a
// runtime timer, which hands the watch over while the body runs on; nobody relies on that taker any
// more until it is back.

// Watch is one absence of a taker that watches.
type Watch struct {
	round  uint64
	unsure bool
}

// In tells whether Watch has returned w in this round.
func (w Watch) In(round uint64) bool { return w.round == round }

// watch is kept by takers that run something brief.
type watch struct {
	out     int    // takers that are out and relied on
	unsure  int    // of those, what they run is not known to be brief
	round   uint64 // rises when those who are out are relied on no more
	entered uint64
	last    int64 // when the last one began to watch

	guard  *time.Timer // made on first use
	set    bool
	at     int64  // when it calls, if it is set
	seen   uint64 // entered when it was set
	notify func() // tells the owner to notify
}

// guardAfter is when the guard calls. An idle process waits for its timers in whole milliseconds,
// so a shorter time would not be kept, and would only cost more in a busy one.
const guardAfter int64 = 900_000

// GuardWithin is by when the guard has called, and who was called looks at the head, unless the
// system is too busy for that.
const GuardWithin int64 = 3_000_000

// OnGuard sets what the guard calls, with the lock held, when somebody has to be called: it is to
// call Notify. Without it Watch must not be used.
func (l *Lot) OnGuard(notify func()) { l.watch.notify = notify }

// Watch is called in place of Notify by a taker that leaves with an element, and expects to be back
// within Cost; or that is unsure of that, but the head is farther away than GuardWithin. The latter
// is relied on only as long as no head is nearer. It must pass what Watch returns to Back. It calls
// nobody, even if the head is due: then the owner allows it to be late by Cost.
func (l *Lot) Watch(head, now int64, unsure bool) Watch {
	l.watch.out++
	if unsure {
		l.watch.unsure++
	}
	l.watch.entered++
	l.watch.last = now
	switch {
	case head == Nothing, head == clock.Never, l.coming > 0:
	case l.leader != nil:
		l.rearm(head) // this taker may have brought the head forward
	case l.top != nil:
		l.setGuard(head, now)
	}
	return Watch{l.watch.round, unsure}
}

// relies reports whether somebody is out who will be back in time for the head.
func (l *Lot) relies(head, now int64) bool {
	return l.watch.out > 0 && head > now &&
		(l.watch.unsure == 0 || l.top == nil || head-now > GuardWithin)
}

// Back ends what Watch began. The caller will look at the head, or call Notify.
func (l *Lot) Back(w Watch) {
	if w.round != l.watch.round {
		return
	}
	l.watch.out--
	if w.unsure {
		l.watch.unsure--
	}
}

// setGuard sets the guard, unless it is set early enough. Where time is virtual it calls exactly
// when the head is due.
func (l *Lot) setGuard(head, now int64) {
	at := l.watch.last + guardAfter
	if l.Virtual() {
		at = max(head, now)
	}
	if !l.watch.set || at < l.watch.at {
		l.resetGuard(at)
	}
}

// resetGuard has the guard call at the given time. It reads the clock for the reason that rearm has.
func (l *Lot) resetGuard(at int64) {
	w := &l.watch
	w.set, w.at, w.seen = true, at, w.entered
	in := time.Duration(at - l.clock.Now())
	if w.guard == nil {
		w.guard = time.AfterFunc(in, l.challenge)
		return
	}
	w.guard.Reset(in)
}

// challenge is what the guard does: if a taker is still out with what it took before, somebody else
// takes over the watch.
func (l *Lot) challenge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &l.watch
	if !w.set {
		return
	}
	w.set = false
	switch {
	case w.out == 0 || l.leader != nil || l.coming > 0:
	case w.seen != w.entered && !l.Virtual():
		// Somebody has begun to watch since, whose time is not over yet.
		l.resetGuard(w.last + guardAfter)
	default:
		w.round++
		w.out, w.unsure = 0, 0
		w.notify()
	}
}

// relieve stops the guard when nobody watches. If the head is due soon it need not be stopped: a
// pool whose takers come and go would do that all the time.
func (l *Lot) relieve(head, now int64) {
	if l.watch.set && l.watch.out == 0 &&
		(l.Virtual() || head == Nothing || head-now > guardAfter) {
		l.stopGuard()
	}
}

func (l *Lot) stopGuard() {
	if l.watch.set {
		l.watch.set = false
		l.watch.guard.Stop()
	}
}
