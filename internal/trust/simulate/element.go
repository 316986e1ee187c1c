package simulate

import (
	"time"

	"github.com/punctual-go/punctual/delayqueue"
)

// element is an element of the queue with its history.
type element struct {
	item       *delayqueue.Item[*element]
	due        time.Duration
	dueBy      time.Duration // it may be due as late as this, if who put it was held up
	seq        int
	queuedFrom int64 // the stamp of when it came to the queue at the earliest
	queuedBy   int64 // and at the latest; 0 before
	gone       bool
}

// takenLocked notes that e has been delivered; qs.mu is held.
func (qs *queueSim) takenLocked(e *element, now time.Duration) {
	qs.report.Runs++
	if now < e.due {
		qs.faultLocked(&qs.report.Early, "element %d, due at %v, delivered", e.seq, e.due)
	}
	qs.leaveLocked(e)
	s := startRecord{id: e.seq, due: e.due, queuedFrom: e.queuedFrom, queuedInstant: e.queuedFrom,
		leftFrom: qs.instantStamp, startedAt: now}
	if !qs.exact() || e.queuedBy == 0 {
		return
	}
	if by, bad := qs.order.overtaken(s, e.queuedBy, true, false); bad {
		qs.faultLocked(&qs.report.Late,
			"element %d, due at %v, has been overtaken by %d, due at %v",
			e.seq, e.due, by.id, by.due)
	}
}

// leaveLocked notes that e has left the queue, or is about to be due at another time; qs.mu is
// held.
func (qs *queueSim) leaveLocked(e *element) {
	if e.gone {
		qs.faultLocked(&qs.report.Duplicate, "element %d has left the queue twice", e.seq)
	}
	e.gone = true
	qs.queued--
	qs.checkOverdueLocked(e)
}

// checkOverdueLocked judges the time that e has been in the queue; qs.mu is held.
func (qs *queueSim) checkOverdueLocked(e *element) {
	if e.dueBy < qs.freeUntil {
		qs.faultLocked(&qs.report.Late, "element %d, due at %v, was there beside a taker at %v",
			e.seq, e.due, qs.freeUntil)
	}
}

func (qs *queueSim) put() {
	n := len(qs.elements)
	if n == len(qs.arena) {
		return
	}
	e, d := &qs.arena[n], qs.steps(20)
	if qs.oneIn(64) {
		d = never
	}
	qs.mu.Lock()
	e.seq = n
	e.due, e.dueBy, e.queuedFrom = sum(qs.advanceLocked(), d), never, qs.stamp
	qs.queued++
	qs.mu.Unlock()
	var item *delayqueue.Item[*element]
	var err error
	if qs.oneIn(4) {
		item, err = qs.queue.PutAt(e, qs.start.Add(e.due))
	} else {
		item, err = qs.queue.Put(e, d)
	}
	qs.mu.Lock()
	if err != nil {
		qs.faultLocked(&qs.report.Lost, "element %d refused: %v", n, err)
	}
	now := qs.advanceLocked()
	e.item, e.dueBy, e.queuedBy = item, sum(now, d), qs.stamp
	qs.mu.Unlock()
	qs.elements = append(qs.elements, e)
}

// sum is a+b, or never.
func sum(a, b time.Duration) time.Duration {
	if b < 0 {
		return a
	}
	if a > never-b {
		return never
	}
	return a + b
}

func (qs *queueSim) drain() {
	got := qs.queue.Drain(qs.rng.IntN(3))
	if qs.oneIn(2) {
		if e, ok := qs.queue.Poll(); ok {
			got = append(got, e)
		}
	}
	qs.mu.Lock()
	defer qs.mu.Unlock()
	now := qs.advanceLocked()
	for _, e := range got {
		qs.takenLocked(e, now)
	}
}

func (qs *queueSim) remove(e *element) {
	removed := e.item.Remove()
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.advanceLocked()
	switch {
	case removed:
		qs.leaveLocked(e)
	case !e.gone && e.dueBy > qs.lastChange && qs.exact():
		qs.faultLocked(&qs.report.Lost, "element %d, due at %v, is not there to be removed",
			e.seq, e.due)
	}
}

func (qs *queueSim) reset(e *element) {
	d := qs.steps(20)
	qs.mu.Lock()
	before, from := qs.advanceLocked(), qs.stamp
	old, latest, since := e.due, e.dueBy, e.queuedBy
	// Whoever takes it meanwhile may see either time.
	e.due, e.dueBy, e.queuedBy = min(e.due, before+d), never, 0
	qs.mu.Unlock()
	reset := e.item.Reset(d)
	qs.mu.Lock()
	defer qs.mu.Unlock()
	now := qs.advanceLocked()
	if !reset {
		e.due, e.dueBy, e.queuedBy = old, latest, since
		return
	}
	if latest < qs.freeUntil && !e.gone {
		qs.faultLocked(&qs.report.Late, "element %d, due at %v, was there beside a taker at %v",
			e.seq, old, qs.freeUntil)
	}
	e.due, e.dueBy, e.queuedFrom, e.queuedBy = before+d, now+d, from, qs.stamp // as if put anew
}
