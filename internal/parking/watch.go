package parking

import "time"

// Overview: a taker that has taken what is due used to call another, so that somebody waits for the
// next head while it runs. To wake another is most of what a run costs if the body is brief; and a
// body that is shorter than waking another is over before that one could be of use. So a taker that
// expects its run to be brief says that it watches, and calls nobody. In case it is wrong there is
// the guard, a runtime timer, which hands the watch over while the body runs on.

// watch is kept by takers that run something brief.
type watch struct {
	out     int    // takers that are watching
	entered uint64 // how often one began to

	guard  *time.Timer // made on first use
	set    bool
	at     int64  // when it calls, if it is set
	seen   uint64 // entered when it was set
	notify func() // tells the owner to notify
}

// guardAfter is when the guard calls. An idle process waits for its timers in whole milliseconds,
// so a shorter time would not be kept, and would only cost more in a busy one.
const guardAfter int64 = 900_000

// OnGuard sets what the guard calls, with the lock held, when somebody has to be called: it is to
// call Notify. Without it Watch must not be used.
func (l *Lot) OnGuard(notify func()) { l.watch.notify = notify }

// Watch is called in place of Notify by a taker that leaves with an element, expects to be back
// within Cost, and will call Back. It calls nobody, even if the head is due: then the
// owner allows it to be late by that much.
func (l *Lot) Watch(head, now int64) {
	l.watch.out++
	l.watch.entered++
	switch {
	case head == Nothing, l.coming > 0:
	case l.leader != nil:
		l.rearm(head, now) // this taker may have brought the head forward
	case l.top != nil:
		l.setGuard(head, now)
	}
}

// Back ends what Watch began. The caller will look at the head, or call Notify.
func (l *Lot) Back() { l.watch.out-- }

// setGuard sets the guard, unless it is set early enough. Where time is virtual it calls exactly
// when the head is due.
func (l *Lot) setGuard(head, now int64) {
	w := &l.watch
	at := now + guardAfter
	if l.Virtual() {
		at = max(head, now)
	}
	if w.set && w.at <= at {
		return
	}
	w.set, w.at, w.seen = true, at, w.entered
	if w.guard == nil {
		w.guard = time.AfterFunc(time.Duration(at-now), l.challenge)
		return
	}
	w.guard.Reset(time.Duration(at - now))
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
		l.setGuard(0, l.clock.Now()) // it is out with another, so the first was brief
	default:
		out := w.out
		w.out = 0 // nobody is trusted to be back
		w.notify()
		w.out += out
	}
}

// relieve stops the guard when nobody watches. If it calls soon, it need not be stopped: a pool
// whose takers come and go would do that all the time.
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
