package cluster

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/punctual-go/punctual/executor/retry"
)

// A run whose task has a [Rate] gets a time from the record of its key, of which there is one for
// the fleet, and which changes by compare-and-set:
//
//	came     -> admitted   it may begin within headStart: the local timer ends the wait
//	came     -> planned    not before: stored anew for the time that it was given, see restore.go
//	planned  -> admitted   at that time, if those that were late leave it
//	planned  -> reserved   stored anew for the next time that is left
//	reserved -> admitted   it came in time
//	reserved -> reserved   it did not
//	admitted -> came       no worker was free in time: it goes back
//
// So the record has two times. The first is until when the key is busy with those that are planned,
// which may be far away. The second is until when it is busy with those that were admitted or have
// reserved a time: that bounds what begins. Without it all whose planned times have passed while
// nobody served would begin at once. With it alone a run that is late by a moment would have to wait
// behind all that are planned.
//
// A worker that dies leaves a time unused. The record vanishes once its times have passed: one that
// has to outlive all else of the bucket does not age, until the run at the last of those times
// writes it anew.
type pacing struct{ planned, admitted time.Time }

// headerReserved says that a message has a time of its key, and how: planned or reserved. Its due
// time is that.
const (
	headerReserved = "Punctual-Reserved"
	isPlanned      = "planned"
	isReserved     = "reserved"
)

func (p pacing) String() string {
	return p.planned.UTC().Format(time.RFC3339Nano) + " " + p.admitted.UTC().Format(time.RFC3339Nano)
}

// readPacing reads a record. One that cannot be read says nothing, as one that is not there.
func readPacing(text []byte) (p pacing) {
	var planned, admitted string
	_, _ = fmt.Sscan(string(text), &planned, &admitted)
	p.planned, _ = time.Parse(time.RFC3339Nano, planned)
	p.admitted, _ = time.Parse(time.RFC3339Nano, admitted)
	return p
}

// grant gives a run that is due a time, and tells whether that is only planned.
func (r *rate) grant(
	p pacing, due, now time.Time, was string,
) (next pacing, at time.Time, planned bool) {
	next, at = p, later(due, now)
	if was == "" {
		at, next.planned = r.next(p.planned, at)
		if at.Sub(now) > headStart {
			return next, at, true
		}
	}
	at, next.admitted = r.next(p.admitted, at)
	return next, at, false
}

// pace has a run wait for a time of its key. It is false if the run is not to be admitted now.
func (w *worker) pace(h *held) bool {
	if h.task.rate == nil || h.link != nil {
		return true
	}
	where, err := h.task.rateKey(h.msg.Data())
	if err != nil {
		h.settle(nil, retry.Permanent(err))
		return false
	}
	was, now := h.msg.Headers().Get(headerReserved), w.pool.now()
	if where == "" {
		return true
	}
	if was == isReserved && !now.After(h.due) {
		h.paced = true
		return true
	}
	if err := h.check(); err != nil { // what is over takes no time
		h.leave(err)
		return false
	}
	at, planned, err := w.reserve(h, where, was)
	if err != nil {
		h.leave(err)
		return false
	}
	if !planned && at.Sub(w.pool.now()) <= headStart {
		h.due, h.paced = at, true
		return true
	}
	header := nats.Header{}
	header.Set(headerReserved, isReserved)
	if planned {
		header.Set(headerReserved, isPlanned)
	}
	w.pool.logger.Debug("run waits for its rate", h.attr(), "due", at)
	if err := h.storeAnew(h.ctx, at, attempts{h.attempt - 1, h.before}, header); err != nil {
		h.leave(err)
	}
	return false
}

// reserve takes a time from the record of a key.
func (w *worker) reserve(h *held, where, was string) (at time.Time, planned bool, err error) {
	unlock, err := w.paces.lock(h.ctx, where)
	if err != nil {
		return at, false, err
	}
	defer unlock()
	p, rate := w.pool, h.task.rate
	err = p.persist(h.ctx, "reading and writing the rate of a task", func(ctx context.Context) error {
		for {
			stored, err := p.kept.GetLastMsgForSubject(ctx, p.results.subject(where))
			if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
				return err
			}
			var known pacing
			if stored != nil {
				known = readPacing(stored.Data)
			}
			var next pacing
			now := p.now()
			next, at, planned = rate.grant(known, h.due, now, was)
			err = p.setPacing(ctx, where, next, sequenceOf(stored), now)
			if !conflict(err) && !undecided(err) {
				return err
			}
			if sleep(ctx, 2*time.Millisecond); ctx.Err() != nil {
				return ctx.Err()
			}
		}
	})
	return at, planned, err
}

// setPacing writes the record of a key, if it was last stored at a sequence.
func (p *Pool) setPacing(
	ctx context.Context, where string, next pacing, last uint64, now time.Time,
) error {
	m := nats.NewMsg(p.results.subject(where))
	m.Data = []byte(next.String())
	m.Header.Set(jetstream.MsgTTLHeader, "never")
	left := later(next.planned, next.admitted).Sub(now) + min(paceSlack, p.keep/4)
	if left < p.keep { // nothing but "never" is kept for longer than all
		m.Header.Set(jetstream.MsgTTLHeader, (left + time.Second).Truncate(time.Second).String())
	}
	m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	expect(m, m.Subject, last)
	_, err := p.js.PublishMsg(ctx, m)
	return err
}

// paceSlack is for how much longer than its times a record is kept: another server may lead then,
// whose clock is behind.
const paceSlack = time.Minute

// paces has the runs of this process wait for each other that ask for times of the same key: they
// would refuse each other at the server.
type paces [64]chan struct{}

func newPaces() (p paces) {
	for i := range p {
		p[i] = make(chan struct{}, 1)
	}
	return p
}

var paceSeed = maphash.MakeSeed()

func (p *paces) lock(ctx context.Context, where string) (unlock func(), err error) {
	turn := p[maphash.String(paceSeed, where)%uint64(len(p))]
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
