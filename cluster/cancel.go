package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// What is cancelled does not begin. A record says that it is cancelled, and is stored before Cancel
// returns:
//
//   - For a task it is the outcome. The first one recorded wins, so if a run ends while it is
//     cancelled, everybody sees the same of the two.
//   - For a series it is a tombstone, a message that is appended to its queue. What the run under
//     way would store next is refused then, as its own message is no longer the newest.
//
// A worker asks for the record before each run, even if the server delivers it for the first time:
// it may have waited for long, in the queue or in the worker. That alone keeps what is cancelled
// from running. All else saves work, and may fail or come too late:
//
//	task:    open  -> cancelled -> hinted -> taken out
//	series:  there -> entombed  -> hinted -> cleared
//
//	hinted     A hint goes to those who serve the task, and ends the context of its run. It may get
//	           lost: then the run goes on to its end, and what it stores is refused.
//	taken out  The message of the task, a schedule or a run, is removed by its sequence, see
//	           takeout.go. If that fails a worker gets it when it is due, and drops it.
//	cleared    The worker that gets the tombstone removes, by their sequences, the messages that
//	           are before it in the queue. Only then does it remove the tombstone. Without it the
//	           run of a worker that has died would be the newest message again, and the series
//	           would go on.
//
// A message leaves the queue by its sequence, and in no other way. A roll-up or purge of its
// subject loses others. If it removes a message that is delivered and not acknowledged,
// nats-server, up to 2.15.2 at least, takes those that were delivered before that one for
// acknowledged, and when their worker dies they are never delivered again. The trial
// TestTheServerForgetsWhatIsBelowARollUp tells when that has changed. A schedule may be purged: no
// worker's consumer reads its subject.

// Cancel asks that the task be cancelled. prevented tells whether it is: then its outcome is
// [ErrCancelled], for everybody and for good. Otherwise it had one already. A task that has not
// begun does not run. One that runs is told by its context, with the cause ErrCancelled; what it
// does until it returns, it has done, and what it returns is dropped. Cancel does not wait for it.
// Of an ID that is unknown, or whose outcome is no longer kept, it is [ErrGone].
func (f *Future[R]) Cancel(ctx context.Context) (prevented bool, err error) {
	if !validID(f.id) {
		return false, f.badID()
	}
	if f.own != nil {
		select {
		case <-f.own.done: // known here, though perhaps not kept any more
			return false, f.own.fault
		default:
		}
	} else if err := f.pool.requireKnown(ctx, taskPlace(f.task.name, f.id), f.id); err != nil {
		return false, err
	}
	return f.pool.cancelTask(ctx, taskPlace(f.task.name, f.id))
}

// cancelTask cancels a task that is known.
func (p *Pool) cancelTask(ctx context.Context, at place) (prevented bool, err error) {
	prevented, err = p.results.record(ctx, at.id(), outcome{cancelled, []byte(nuid.Next())})
	if err != nil {
		return false, err
	}
	if !prevented {
		// Who has cancelled it may have died before the hint.
		o, ok, err := p.results.recorded(ctx, at.id())
		if err != nil || !ok || o.kind != cancelled {
			return false, err
		}
	}
	return prevented, p.removeTask(ctx, at)
}

// requireKnown returns ErrGone for a task of which nothing is kept: it was never submitted, or its
// outcome is forgotten. To record another one would say that it was prevented. The message is asked
// for first: it is removed after its outcome is recorded.
func (p *Pool) requireKnown(ctx context.Context, at place, id string) error {
	gone, err := p.gone(ctx, &pending{id: id, at: at})
	if err == nil && gone {
		err = fmt.Errorf("%w: task %q (%s)", ErrGone, nameOf(at.task()), id)
	}
	return err
}

// removeSeries ends a series, whatever there is of it, and tells whether there was anything.
func (p *Pool) removeSeries(ctx context.Context, at place) (there bool, err error) {
	var last uint64
	err = p.change(ctx, at, func(newest *jetstream.RawStreamMsg) (*nats.Msg, error) {
		if last = sequenceOf(newest); last == 0 {
			return nil, nil
		}
		there = !isTombstone(newest.Header)
		m := p.command(at)
		m.Header.Set(headerEnd, "1")
		return m, nil
	})
	if err != nil || last == 0 {
		return false, err
	}
	return there, p.hint(at, last+1)
}

func tombstoneText(sequence uint64) string { return strconv.FormatUint(sequence, 10) }

// hint tells those who serve a task that it is cancelled: of a series, the runs that were stored
// before its tombstone.
func (p *Pool) hint(at place, tombstone uint64) error {
	if err := p.nc.Publish(p.on.hint(at), []byte(tombstoneText(tombstone))); err != nil {
		return explained(err)
	}
	return nil
}

// hinted ends the runs of what was cancelled. A hint may overtake the run that it is about: then
// the run finds the record, which was there before the hint.
func (w *worker) hinted(m *nats.Msg) {
	at := w.pool.on.placeOfAny(m.Subject)
	tombstone, err := strconv.ParseUint(string(m.Data), 10, 64)
	if err != nil {
		return
	}
	w.mu.Lock()
	hit := append([]*held(nil), w.at[at]...)
	w.mu.Unlock()
	for _, h := range hit {
		switch {
		case !at.series():
			go h.check() //nolint:errcheck // if it fails the run goes on
		case h.sequence < tombstone:
			h.end(ErrCancelled)
		}
	}
}

func isTombstone(h nats.Header) bool { return h.Get(headerEnd) != "" }

// clear removes a tombstone when nothing is before it any more.
func (w *worker) clear(h *held) {
	if _, err := w.awaitTurn(h); err != nil {
		h.leave(err)
		return
	}
	h.done()
}

const (
	// fresh is how old the answer may be, when a run begins, that it is not over.
	fresh = 100 * time.Millisecond
	// early is how long before its time a run is asked about, so that it need not begin late.
	early = fresh / 4
)

// errOver is the cause with which runs end that are not to begin any more.
var errOver = errors.New("cluster: the run is over")

// mayBegin returns nil if it is known that a run is not over. It asks the server unless the last
// answer is fresh.
func (h *held) mayBegin() error {
	select {
	case h.asking <- struct{}{}:
	case <-h.ctx.Done():
		return context.Cause(h.ctx)
	}
	defer func() { <-h.asking }()
	checked := h.checked.Load()
	if checked > 0 && time.Since(epoch)-time.Duration(checked) < fresh {
		return nil
	}
	return h.check()
}

// check asks the server whether a run is over, ends it here if it is, and returns why. Of a series
// it renews the claim if that has been held for long before the run's time: so a lease counts from
// when a run begins, not from when it came here.
func (h *held) check() error {
	asked := time.Since(epoch)
	if h.claimIsOld() {
		h.renew()
	}
	cause, err := h.over()
	if err != nil {
		return err
	}
	if cause != nil {
		h.end(cause)
		return context.Cause(h.ctx)
	}
	h.checked.Store(int64(asked))
	return nil
}

// over returns why a run is over, nil if it is not.
func (h *held) over() (cause, err error) {
	if h.at.series() {
		switch superseded, err := h.worker.superseded(h); {
		case err != nil:
			return nil, err
		case superseded:
			return errOver, nil
		}
		return nil, nil
	}
	o, ended, err := h.worker.pool.results.recorded(h.ctx, h.at.id())
	switch {
	case err != nil:
		return nil, err
	case ended && o.kind == cancelled:
		return ErrCancelled, nil
	case ended:
		return errOver, nil
	}
	if replaced, err := h.replaced(); replaced || err != nil {
		return errOver, err
	}
	return nil, nil
}
