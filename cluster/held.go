package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
)

// The causes with which runs end that this process hands back.
var (
	errGivenBack   = errors.New("cluster: given back, as this process stops")
	errKeptWaiting = errors.New("cluster: given back, as no worker has come free here for a while")
)

// keepsWaiting is for how long a run that is due waits for a worker of this process. Then it goes
// back, as another process may have one: the runs before it may take hours, or hang. Until some
// process has room it waits in the server.
const keepsWaiting = time.Second

// held is one run that this process holds.
//
//	received -> admitted -> begun -> settled      (removed, given back, or left to its lease)
//	received, admitted -> withdrawn -> settled    (given back: this process stops, or has no room)
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
	before    string       // the id of the worker of the last attempt, if that is known
	carried   attempts     // those under messages that this one is in place of
	failed    failures     // of a task: the attempts that have failed
	paced     bool         // due is a time of its rate
	planned   time.Time    // of a task that waits for another time than its own; or zero
	began     time.Time    // of a task that may be tried again, by the server's clock
	taken     bool         // of a series: claimed by another before, which may live
	skipped   bool         // its function has left it out, which is no failure
	tombstone bool         // no run: it ends a series, see cancel.go
	due       time.Time    // by the server's clock; zero for at once
	number    uint64       // among the leases
	asked     time.Time    // when the last heartbeat was sent; the keeper's
	counted   atomic.Int32 // uncounted <-> counted, either -> released
	ready     atomic.Int64 // when it was counted, as it is due, since epoch
	body      atomic.Int32 // unbegun -> begun or withdrawn

	// Of a series: the claim's revision, its value when the run began, when the claim was last
	// renewed, since epoch, and whether that is being done.
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

// admit hands the run to the local pool, whose timer ends the wait. The server gives out no run
// that is due later than headStart, so a longer wait is for a clock that was set meanwhile.
func (h *held) admit() {
	var delay time.Duration
	if !h.due.IsZero() {
		delay = min(max(h.due.Sub(h.worker.pool.now()), 0), headStart)
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
	f, err := executor.Schedule(h.worker.local, delay, h.call, opts...)
	switch {
	case err == nil:
	case errors.Is(err, executor.ErrInvalid):
		go h.settle(nil, retry.Permanent(err)) // the task's own options: as clear an outcome as any
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

// call is the run as the local pool sees it. It may be called several times, see executor.Retry.
func (h *held) call(ctx context.Context) ([]byte, error) {
	if err := h.mayBegin(); err != nil {
		h.end(err)
	}
	if h.expired() { // after the question, which may have taken long
		h.end(ErrLost)
	}
	if h.missed() {
		h.end(errKeptWaiting)
	}
	h.count()
	first := h.body.CompareAndSwap(unbegun, begun)
	if h.body.Load() == withdrawn {
		<-h.ctx.Done()
	}
	if cause := context.Cause(h.ctx); cause != nil {
		return nil, retry.Permanent(cause)
	}
	if first {
		h.worker.window.begin()
		if h.task.storedAnew() {
			h.began = h.worker.pool.now()
		}
		if h.delivered > 1 && h.link == nil { // also the first, if there is a record without it
			now := attempts{h.attempt, h.worker.id}
			if err := h.worker.countAttempts(h.ctx, h, now); err != nil {
				h.end(err)
				return nil, retry.Permanent(err)
			}
		}
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, runKey{}, h.run()))
	defer cancel(nil)
	defer context.AfterFunc(h.ctx, func() { cancel(context.Cause(h.ctx)) })()
	result, err := h.task.invoke(ctx, h.msg.Data())
	if err != nil {
		h.rest()
	}
	return result, err
}

func (h *held) run() Run {
	r := Run{
		ID:        h.at.id(),
		Number:    1,
		Scheduled: h.scheduled(),
		Attempt:   h.attempt,
		Fence:     fence(h.sequence, h.delivered),
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
		h.ready.Store(int64(time.Since(epoch)))
		h.worker.window.take()
	}
}

// rest gives up the run's place in the window after an attempt that has failed: it may be tried
// again, and wait for that for long, see executor.Retry. If it is not it counts again until what it
// has come to is stored.
func (h *held) rest() {
	if h.counted.CompareAndSwap(counted, uncounted) {
		h.worker.window.leave()
	}
}

// keptWaiting tells that the run is due, and that no worker has come free for it for a while.
func (h *held) keptWaiting() bool {
	ready := h.ready.Load()
	return ready > 0 && time.Since(epoch)-time.Duration(ready) > keepsWaiting
}

// missed tells that a run has come too late for the time that its rate has given it, as no worker
// was free.
func (h *held) missed() bool {
	return h.paced && h.body.Load() == unbegun && h.task.rate.tooLate(h.due, h.worker.pool.now())
}

// withdraw ends a run that has not begun, and never begins then. Otherwise it does nothing.
func (h *held) withdraw(why error) {
	if h.body.CompareAndSwap(unbegun, withdrawn) {
		h.end(why)
	}
}

// What a run's body has come to.
const (
	unbegun = iota
	begun
	withdrawn
)

const (
	uncounted = iota
	counted
	released
)

// yield lets another have the run's place in the window.
func (h *held) yield() {
	if was := h.counted.Swap(released); was != released {
		h.worker.window.give(was == counted)
	}
}

// release forgets the run.
func (h *held) release() {
	h.yield()
	h.worker.forget(h)
	h.end(errReleased)
}

var errReleased = errors.New("cluster: the run has ended")

// done removes the run from the queue, which ends it for all. If that fails it comes again, and is
// seen to be over.
func (h *held) done() {
	h.yield()
	ctx, cancel := context.WithTimeout(h.worker.life, h.worker.pool.keep)
	defer cancel()
	if _, err := h.worker.pool.takeOut(ctx, h.sequence); err != nil {
		h.worker.pool.logger.Warn("run left to another", h.attr(), "why", err)
	}
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
		before := attempts{h.attempt - 1, h.before} // as nobody has died of it
		_ = h.worker.countAttempts(ctx, h, before)
	}
	switch {
	case errors.Is(why, errGivenBack):
		h.passOn(ctx)
	case errors.Is(why, errKeptWaiting):
		h.worker.window.crowd()
		_ = h.msg.Nak() // if it is lost the lease runs out
	default:
		_ = h.msg.NakWithDelay(250 * time.Millisecond)
	}
	h.release()
}

// givenBack tells whether a run has ended because this process hands it back.
func givenBack(cause error) bool {
	return errors.Is(cause, errGivenBack) || errors.Is(cause, errKeptWaiting)
}

// leave ends a run that was not begun, or whose end cannot be stored.
func (h *held) leave(why error) {
	switch cause := context.Cause(h.ctx); {
	case givenBack(cause):
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
	case givenBack(cause):
		h.giveBack(cause)
		return
	case errors.Is(cause, ErrCancelled), errors.Is(cause, errOver):
		h.done()
		return
	default:
		h.leave(cause)
		return
	}
	h.count()
	// The run is over, and what follows is decided by who is first: it may take longer than the
	// lease.
	ctx, cancel := context.WithTimeout(h.worker.life, h.worker.pool.keep)
	defer cancel()
	if h.link != nil {
		h.worker.finishSeries(ctx, h, err)
		return
	}
	if err != nil && h.worker.tryAgain(ctx, h, err) {
		return
	}
	h.skipped = errors.Is(err, executor.ErrSkipped)
	h.worker.finishTask(ctx, h, outcomeOf(result, err))
}
