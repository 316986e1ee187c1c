package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// errGivenBack is the cause with which runs end that a worker process hands back as it stops.
var errGivenBack = errors.New("cluster: given back, as this process stops")

// held is one run that this process holds.
//
//	received -> admitted -> begun -> settled      (acknowledged, given back, or left to its lease)
//	received, admitted -> dropped                 (it is over: done already, cancelled, superseded)
//	received -> cleared                           (a tombstone)
//
// The goroutine that fetches makes it; the local pool runs it; one goroutine settles it. What is
// over does not begin, see cancel.go.
type held struct {
	worker *worker
	task   *definition
	msg    jetstream.Msg
	at     place
	link   *link // of a series; nil for a task that runs once

	calendar Calendar // by which the link is planned; nil for none

	sequence  uint64 // of the message in the stream
	delivered uint64
	attempt   int
	tombstone bool         // no run: it ends a series, see cancel.go
	due       time.Time    // by the server's clock; zero for at once
	number    uint64       // among the leases
	asked     time.Time    // when the last heartbeat was sent; the keeper's
	counted   atomic.Int32 // uncounted -> counted -> released
	begun     atomic.Bool

	// Of a series: the claim's revision, its value when the run began, when the claim was last renewed,
	// since epoch, and whether that is being done.
	revision, fence atomic.Uint64
	renewed         atomic.Int64
	renewing        atomic.Bool

	confirmed atomic.Int64  // when the last heartbeat that was answered was sent, since epoch
	checked   atomic.Int64  // when the server was asked that said it is not over, since epoch; or 0
	asking    chan struct{} // has a token while that is being asked

	ctx context.Context // ends with the cause why the run is not this process's any more
	end context.CancelCauseFunc
}

// expired tells that the lease may have passed to another.
func (h *held) expired() bool {
	sure := h.confirmed.Load()
	if h.revision.Load() != 0 {
		sure = min(sure, h.renewed.Load())
	}
	return time.Since(epoch)-time.Duration(sure) > h.task.lease
}

// admit hands the run to the local pool, whose timer ends the wait.
func (h *held) admit() {
	var delay time.Duration
	if !h.due.IsZero() {
		delay = max(h.due.Sub(h.worker.pool.now()), 0)
	}
	ask := func() { _ = h.mayBegin() } // if it fails the body asks again
	if delay == 0 {
		h.count()
		go ask()
	} else {
		due, soon := time.AfterFunc(delay, h.count), time.AfterFunc(delay-early, ask)
		context.AfterFunc(h.ctx, func() {
			due.Stop()
			soon.Stop()
		})
	}
	opts := append([]executor.TaskOption{executor.Name(h.task.name)}, h.task.local...)
	f, err := executor.Schedule(h.worker.local, delay, h.body, opts...)
	switch {
	case err == nil:
	case errors.Is(err, executor.ErrInvalid):
		go h.settle(nil, err) // the task's own options: as clear an outcome as any
		return
	default:
		if errors.Is(err, executor.ErrShutdown) {
			h.worker.stop(err)
		}
		go h.giveBack(err)
		return
	}
	stop := context.AfterFunc(h.ctx, func() { f.Withdraw() })
	future.AfterSettled(f.Future, func(r future.Result[[]byte]) {
		stop()
		if f.State() == future.Cancelled && context.Cause(h.ctx) == nil {
			h.end(errGivenBack) // the local pool was shut down
		}
		go h.settle(r.Value, r.Err)
	})
}

// body is the run as the local pool sees it. It may be called several times, see executor.Retry.
func (h *held) body(ctx context.Context) ([]byte, error) {
	if err := h.mayBegin(); err != nil {
		h.end(err)
	}
	if h.expired() { // after the question, which may have taken long
		h.end(ErrLost)
	}
	if cause := context.Cause(h.ctx); cause != nil {
		return nil, executor.Permanent(cause)
	}
	h.count()
	if first := !h.begun.Swap(true); first && h.attempt > 1 && h.link == nil {
		if err := h.worker.countAttempts(h.ctx, h, h.attempt); err != nil {
			h.end(err)
			return nil, executor.Permanent(err)
		}
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, runKey{}, h.run()))
	defer cancel(nil)
	defer context.AfterFunc(h.ctx, func() { cancel(context.Cause(h.ctx)) })()
	return h.task.invoke(ctx, h.msg.Data())
}

func (h *held) run() Run {
	r := Run{
		ID:        h.at.id(),
		Number:    1,
		Scheduled: h.due,
		Attempt:   h.attempt,
		Fence:     fence(h.sequence, h.delivered),
	}
	if r.Scheduled.IsZero() {
		if meta, err := h.msg.Metadata(); err == nil {
			r.Scheduled = meta.Timestamp
		}
	}
	if h.link != nil {
		h.link.tell(&r)
		r.Fence = h.fence.Load()
	}
	return r
}

// count makes the run one of those that keep this process from fetching more: from when it is due
// until it is released.
func (h *held) count() {
	if h.counted.CompareAndSwap(uncounted, counted) {
		h.worker.window(h.task).take()
	}
}

const (
	uncounted = iota
	counted
	released
)

// release forgets the run.
func (h *held) release() {
	h.worker.forget(h)
	h.worker.window(h.task).give(h.counted.Swap(released) == counted)
	h.end(errReleased)
}

var errReleased = errors.New("cluster: the run has ended")

// done acknowledges the run, which ends it for all.
func (h *held) done() {
	_ = h.msg.Ack() // if it is lost the run comes again, and is seen to be done
	h.release()
}

// giveBack has another take the run, or this process again: at once if this one stops, and else
// after a moment, as there is no room.
func (h *held) giveBack(why error) {
	h.worker.pool.logger.Debug("run given back", h.attr(), "why", why)
	ctx, cancel := context.WithTimeout(h.worker.life, 2*time.Second)
	defer cancel()
	if h.at.series() {
		h.unclaim(ctx)
	} else {
		_ = h.worker.countAttempts(ctx, h, h.attempt-1) // nobody has died of it
	}
	if errors.Is(why, errGivenBack) {
		_ = h.msg.Nak() // if it is lost the lease runs out
	} else {
		_ = h.msg.NakWithDelay(250 * time.Millisecond)
	}
	h.release()
}

// leave ends a run that was not begun, or whose end cannot be stored.
func (h *held) leave(why error) {
	switch cause := context.Cause(h.ctx); {
	case errors.Is(cause, errGivenBack):
		h.giveBack(cause)
		return
	case errors.Is(cause, ErrCancelled), errors.Is(cause, errOver):
		h.done()
		return
	}
	h.worker.pool.logger.Warn("run left to another", h.attr(), "why", why)
	h.release()
}

// settle ends a run that the local pool has ended.
func (h *held) settle(result []byte, err error) {
	if h.expired() {
		h.end(ErrLost)
	}
	switch cause := context.Cause(h.ctx); {
	case cause == nil:
	case errors.Is(cause, errGivenBack):
		h.giveBack(cause)
		return
	case errors.Is(cause, ErrCancelled), errors.Is(cause, errOver):
		h.done()
		return
	default:
		h.leave(cause)
		return
	}
	// The run is over, and what follows is decided by who is first: it may take longer than the lease.
	ctx, cancel := context.WithTimeout(h.worker.life, h.worker.pool.keep)
	defer cancel()
	if h.link != nil {
		h.worker.finishSeries(ctx, h, err)
		return
	}
	h.worker.finishTask(ctx, h, outcomeOf(result, err))
}
