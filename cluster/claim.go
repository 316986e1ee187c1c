package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A claim says which worker has the run of a series that is first in its queue. There is one record
// for each series, and it changes by compare-and-set alone:
//
//	nothing, or an older run  -> this run, of this worker
//	this run, of another      -> this run, of this worker     once it is older than a lease
//	this run, of this worker  -> the same, renewed            three times in a lease
//
// The one that has lost its claim may have ended the run, and what it stores next may be on its way
// for long. So a run that was taken from another is stored anew, in place of the old message, and
// runs as that: then what comes late is refused, as its author knows an older message. See takeOver.
//
// The server's own count of deliveries would not do. It is replicated after the delivery, so a
// leader that dies takes the last ones with it, and the next one delivers again, at once, what a
// worker has and goes on with. For a task that runs once that is promised; for a series it would be
// an overlap.
//
// The record's revision grows with each claim, which makes it the fencing token of the run. And it
// counts the attempts of the run: a claim of what another has claimed follows one that was lost,
// unless the other has given it back.

// claimed is the value of the record.
type claimed struct {
	sequence uint64        // of the run's message; 0 for one that was given back
	lease    time.Duration // of the worker, which may be of another version of the code
	worker   string        // its id; "free" for one that was given back
	number   uint64        // of the run in its process; of one that was given back, its sequence
	attempt  int           // of the run; 0 if an earlier version has written it
}

const nobody = "free"

// instanceOf is the name of the process of a worker, by the worker's id. It is empty for one that
// does not tell.
func instanceOf(worker string) string {
	instance, _, ok := strings.Cut(worker, "/")
	if !ok {
		return ""
	}
	return nameOf(instance)
}

func (c claimed) String() string {
	return fmt.Sprintf("%d %d %s %d %d", c.sequence, c.lease, c.worker, c.number, c.attempt)
}

func readClaim(text []byte) (c claimed, err error) {
	n, err := fmt.Sscan(string(text), &c.sequence, &c.lease, &c.worker, &c.number, &c.attempt)
	if n < 3 {
		return c, fmt.Errorf("cluster: a claim that cannot be read: %q: %w", text, err)
	}
	return c, nil
}

// before is what has become of a run before it is claimed anew.
func (c claimed) before(h *held) attempts {
	switch {
	case c.sequence != h.sequence && (c.worker != nobody || c.number != h.sequence):
		return h.carried // the record is of another run
	case c.worker == nobody:
		return attempts{c.attempt, ""}
	}
	return attempts{c.attempt, c.worker}
}

// claim takes the run of a series, and waits for as long as it is another's. It is false if the run
// is over.
func (w *worker) claim(h *held) (bool, error) {
	for {
		if first, err := w.awaitTurn(h); !first || err != nil {
			return false, err
		}
		sent := time.Now()
		revision, wait, err := w.tryClaim(h)
		switch {
		case revision > 0:
			h.renewed.Store(int64(sent.Sub(epoch)))
			h.revision.Store(revision)
			h.fence.Store(revision)
			return true, nil
		case err != nil:
			return false, err
		}
		if sleep(h.ctx, wait); h.ctx.Err() != nil {
			return false, context.Cause(h.ctx)
		}
	}
}

// errUnclaimed says that the server has not answered for a lease. Another process may fare better.
var errUnclaimed = errors.New("cluster: a run could not be claimed within its lease")

// tryClaim returns the revision of a claim that was taken, or how long to wait. It fails with
// errUnclaimed if neither is known within a lease: heartbeats would keep the run here for ever.
func (w *worker) tryClaim(h *held) (revision uint64, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeoutCause(h.ctx, h.task.lease, errUnclaimed)
	defer cancel()
	err = w.pool.persist(ctx, "claiming a run of a series", func(ctx context.Context) error {
		entry, err := w.pool.bucket.Get(ctx, h.claimKey())
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			h.attempt, h.before = h.carried.number+1, h.carried.worker
			revision, err = w.pool.bucket.Create(ctx, h.claimKey(), h.claimText())
			return unlessTaken(err, &wait)
		}
		if err != nil {
			return err
		}
		was, err := readClaim(entry.Value())
		if err != nil {
			return err
		}
		if was.worker == w.id && was.number == h.number { // taken, and the answer was lost
			revision, h.attempt = entry.Revision(), was.attempt // and before stays as it was
			return nil
		}
		left := was.lease - w.pool.age(entry.Created())
		if was.sequence == h.sequence && left > 0 {
			wait = min(left, 250*time.Millisecond)
			return nil
		}
		before := was.before(h)
		h.attempt, h.before = before.number+1, before.worker
		h.taken = was.sequence == h.sequence
		revision, err = w.pool.bucket.Update(ctx, h.claimKey(), h.claimText(), entry.Revision())
		return unlessTaken(err, &wait)
	})
	return revision, wait, err
}

// stillMine returns ErrLost if another has claimed a run. It is asked before what no condition
// guards: the removal of a run that has something behind it.
func (w *worker) stillMine(ctx context.Context, h *held) error {
	return w.pool.persist(ctx, "reading a claim", func(ctx context.Context) error {
		entry, err := w.pool.bucket.Get(ctx, h.claimKey())
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return ErrLost
		}
		if err != nil {
			return err
		}
		c, err := readClaim(entry.Value())
		if err == nil && (c.worker != w.id || c.number != h.number) {
			err = ErrLost
		}
		return err
	})
}

// takeOver stores a run anew that was taken from another worker, which may live: whatever that
// stores late is refused then. The new message has the attempts with it. taken is false if
// something is behind the run already, which refuses the other as well.
func (w *worker) takeOver(h *held) (taken bool, err error) {
	m, err := h.again()
	if err != nil {
		return false, err
	}
	attempts{h.attempt - 1, h.before}.write(m.Header)
	expect(m, w.pool.on.any(h.at), h.sequence)
	if _, err := w.pool.publish(h.ctx, m); err != nil {
		return false, unlessConflict(err)
	}
	h.done()
	return true, nil
}

// unlessTaken makes an error that somebody else was first one for which to wait a little.
func unlessTaken(err error, wait *time.Duration) error {
	if errors.Is(err, jetstream.ErrKeyExists) || conflict(err) || undecided(err) {
		*wait = 5 * time.Millisecond
		return nil
	}
	return err
}

// claimText is the value of the claim of a run, which no other has.
func (h *held) claimText() []byte {
	return []byte(claimed{h.sequence, h.task.lease, h.worker.id, h.number, h.attempt}.String())
}

// unclaim gives the claim back, so that the next need not wait for a lease. The attempt does not
// count.
func (h *held) unclaim(ctx context.Context) {
	if revision := h.revision.Swap(0); revision != 0 {
		free := claimed{worker: nobody, number: h.sequence, attempt: h.attempt - 1}
		// If it fails the lease runs out.
		_, _ = h.worker.pool.bucket.Update(ctx, h.claimKey(), []byte(free.String()), revision)
	}
}

func (h *held) claimKey() string { return "hold." + h.at.tail }

// claimIsOld tells that the claim was last renewed a good part of its lease ago. The head start of
// a run is that for leases of less than five seconds, and costs those one write more.
func (h *held) claimIsOld() bool {
	renewed := time.Since(epoch) - time.Duration(h.renewed.Load())
	return h.revision.Load() != 0 && renewed > h.task.lease/8
}

// renew renews the claim, and ends the run if it is another's.
func (h *held) renew() {
	if !h.renewing.CompareAndSwap(false, true) {
		return
	}
	defer h.renewing.Store(false)
	ctx, cancel := context.WithTimeout(h.ctx, h.task.lease/3)
	defer cancel()
	mine := h.claimText()
	sent := time.Now()
	revision, err := h.worker.pool.bucket.Update(ctx, h.claimKey(), mine, h.revision.Load())
	if err == nil {
		h.renewed.Store(int64(sent.Sub(epoch)))
		h.revision.Store(revision)
		return
	}
	if !errors.Is(err, jetstream.ErrKeyExists) && !conflict(err) {
		return // not reached; the next beat tries again, until the lease is over
	}
	entry, err := h.worker.pool.bucket.Get(ctx, h.claimKey())
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		h.end(ErrLost)
	case err != nil:
	case bytes.Equal(entry.Value(), mine): // renewed, and the answer was lost
		h.revision.Store(max(entry.Revision(), h.revision.Load()))
	case entry.Revision() > h.revision.Load():
		h.end(ErrLost)
	}
}
