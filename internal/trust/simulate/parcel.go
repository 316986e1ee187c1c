package simulate

import (
	"time"

	"github.com/punctual-go/punctual/delayqueue"
)

// parcel is an element with its history.
type parcel struct {
	item   *delayqueue.Item[*parcel]
	due    time.Duration
	latest time.Duration // it may be due as late as this, if who put it was held up
	seq    int
	from   int64 // the stamp of when it came to the queue at the earliest
	since  int64 // and at the latest; 0 before
	gone   bool
}

// taken notes that k has been delivered; p.mu is held.
func (p *post) taken(k *parcel, now time.Duration) {
	p.report.Runs++
	if now < k.due {
		p.fault(&p.report.Early, "parcel %d, due at %v, delivered", k.seq, k.due)
	}
	p.leave(k)
	s := start{id: k.seq, due: k.due, from: k.from, then: k.from, left: p.instant, at: now}
	if !p.exact() || k.since == 0 {
		return
	}
	if by, bad := p.order.overtaken(s, k.since, true, false); bad {
		p.fault(&p.report.Late, "parcel %d, due at %v, has been overtaken by %d, due at %v", k.seq, k.due, by.id, by.due)
	}
}

// leave notes that k has left the queue, or is about to be due at another time; p.mu is held.
func (p *post) leave(k *parcel) {
	if k.gone {
		p.fault(&p.report.Duplicate, "parcel %d has left the queue twice", k.seq)
	}
	k.gone = true
	p.in--
	p.overdue(k)
}

// overdue judges the time that k has been in the queue; p.mu is held.
func (p *post) overdue(k *parcel) {
	if k.latest < p.free {
		p.fault(&p.report.Late, "parcel %d, due at %v, was there beside a taker at %v", k.seq, k.due, p.free)
	}
}

func (p *post) put() {
	n := len(p.parcels)
	if n == len(p.room) {
		return
	}
	k, d := &p.room[n], p.steps(20)
	if p.oneIn(64) {
		d = never
	}
	p.mu.Lock()
	k.seq = n
	k.due, k.latest, k.from = sum(p.pass(), d), never, p.stamp
	p.in++
	p.mu.Unlock()
	var item *delayqueue.Item[*parcel]
	var err error
	if p.oneIn(4) {
		item, err = p.queue.PutAt(k, p.start.Add(k.due))
	} else {
		item, err = p.queue.Put(k, d)
	}
	p.mu.Lock()
	if err != nil {
		p.fault(&p.report.Lost, "parcel %d refused: %v", n, err)
	}
	now := p.pass()
	k.item, k.latest, k.since = item, sum(now, d), p.stamp
	p.mu.Unlock()
	p.parcels = append(p.parcels, k)
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

func (p *post) drain() {
	got := p.queue.Drain(p.rng.IntN(3))
	if p.oneIn(2) {
		if k, ok := p.queue.Poll(); ok {
			got = append(got, k)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.pass()
	for _, k := range got {
		p.taken(k, now)
	}
}

func (p *post) remove(k *parcel) {
	removed := k.item.Remove()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pass()
	switch {
	case removed:
		p.leave(k)
	case !k.gone && k.latest > p.last && p.exact():
		p.fault(&p.report.Lost, "parcel %d, due at %v, is not there to be removed", k.seq, k.due)
	}
}

func (p *post) reset(k *parcel) {
	d := p.steps(20)
	p.mu.Lock()
	before, from := p.pass(), p.stamp
	old, latest, since := k.due, k.latest, k.since
	k.due, k.latest, k.since = min(k.due, before+d), never, 0 // who takes it meanwhile may see either time
	p.mu.Unlock()
	reset := k.item.Reset(d)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.pass()
	if !reset {
		k.due, k.latest, k.since = old, latest, since
		return
	}
	if latest < p.free && !k.gone {
		p.fault(&p.report.Late, "parcel %d, due at %v, was there beside a taker at %v", k.seq, old, p.free)
	}
	k.due, k.latest, k.from, k.since = before+d, now+d, from, p.stamp // as if put anew
}
