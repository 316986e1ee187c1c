package cluster

import (
	"context"
	"errors"
	"fmt"
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
// The server's own count of deliveries would not do. It is replicated after the delivery, so a leader
// that dies takes the last ones with it, and the next one delivers again, at once, what a worker
// has and goes on with. For a task that runs once that is promised; for a series it would be an
// overlap.
//
// The record's revision grows with each claim, which makes it the fencing token of the run.

// claim takes the run of a series, and waits for as long as it is another's. It is false if the run
// is over.
func (w *worker) claim(h *held) (bool, error) {
	mine := h.claimText()
	for {
		if first, err := w.awaitTurn(h); !first || err != nil {
			return false, err
		}
		sent := time.Now()
		revision, wait, err := w.tryClaim(h, mine)
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
func (w *worker) tryClaim(h *held, mine string) (revision uint64, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeoutCause(h.ctx, h.task.lease, errUnclaimed)
	defer cancel()
	err = w.pool.persist(ctx, "claiming a run of a series", func(ctx context.Context) error {
		entry, err := w.pool.bucket.Get(ctx, h.claimKey())
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			revision, err = w.pool.bucket.Create(ctx, h.claimKey(), []byte(mine))
			return unlessTaken(err, &wait)
		}
		if err != nil {
			return err
		}
		if string(entry.Value()) == mine { // taken, and the answer was lost
			revision = entry.Revision()
			return nil
		}
		var sequence uint64
		var lease time.Duration // the other's, which may be of another version of the code
		if _, err := fmt.Sscan(string(entry.Value()), &sequence, &lease); err != nil {
			return fmt.Errorf("cluster: a claim that cannot be read: %q: %w", entry.Value(), err)
		}
		if left := lease - w.pool.now().Sub(entry.Created()); sequence == h.sequence && left > 0 {
			wait = min(left, 250*time.Millisecond)
			return nil
		}
		revision, err = w.pool.bucket.Update(ctx, h.claimKey(), []byte(mine), entry.Revision())
		return unlessTaken(err, &wait)
	})
	return revision, wait, err
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
func (h *held) claimText() string {
	return fmt.Sprintf("%d %d %s %d", h.sequence, h.task.lease, h.worker.id, h.number)
}

// unclaim gives the claim back, so that the next need not wait for a lease.
func (h *held) unclaim(ctx context.Context) {
	if revision := h.revision.Swap(0); revision != 0 {
		// If it fails the lease runs out.
		_, _ = h.worker.pool.bucket.Update(ctx, h.claimKey(), []byte("0 0 free"), revision)
	}
}

func (h *held) claimKey() string { return "hold." + h.at.tail }

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
	revision, err := h.worker.pool.bucket.Update(ctx, h.claimKey(), []byte(mine), h.revision.Load())
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
	case string(entry.Value()) == mine: // renewed, and the answer was lost
		h.revision.Store(max(entry.Revision(), h.revision.Load()))
	case entry.Revision() > h.revision.Load():
		h.end(ErrLost)
	}
}
