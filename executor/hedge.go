package executor

import (
	"context"
	"errors"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// InvokeAnyHedged is [InvokeAny] that gives each function a head start: it starts the first, and
// the next each time when delay has passed since the last start without a success, or as soon as
// one has failed. So a slow replica costs a second request, and a usual one does not. The first
// success cancels the others. A delay of zero or less is that of InvokeAny, none.
//
// A further call never costs the one under way. If the pool has no room for it, it is tried again
// when the delay has passed once more, or as soon as a call fails; if the pool is shut down, no
// other is started. Only if no call is under way does InvokeAnyHedged return the refusal.
//
// Functions are started by the goroutine of the caller. While all workers are busy, those that have
// been started wait in the queue, and the delay passes for them too.
func InvokeAnyHedged[V any](
	ctx context.Context, p Submitter, delay time.Duration, fns ...future.Func[V],
) (V, error) {
	var none V
	ctx, err := checkBulk(ctx, fns)
	if err != nil {
		return none, err
	}
	if len(fns) == 0 {
		return none, invalid("InvokeAny of no functions")
	}
	h := hedge[V]{service: NewCompletionService[V](p), fns: fns, delay: delay, due: true}
	defer func() { cancelAll(h.started, errNotNeeded) }()
	var failures []error
	for len(failures) < len(h.fns) {
		f, err := h.next(ctx)
		if err != nil {
			return none, err
		}
		r, _ := f.Poll()
		if r.Err == nil {
			return r.Value, nil
		}
		failures = append(failures, r.Err)
		h.underWay--
		h.due = true
	}
	if h.refused != nil {
		failures = append(failures, h.refused)
	}
	return none, errors.Join(failures...)
}

// hedge is one call of InvokeAnyHedged.
type hedge[V any] struct {
	service *CompletionService[V]
	fns     []future.Func[V]
	delay   time.Duration
	started []*future.Future[V]
	last    time.Time // of the starts
	due     bool      // the next one need not wait for the delay

	underWay int   // calls that have been started, and have not failed
	refused  error // why no other is started
}

// next returns the next future that is settled, and starts functions until there is one.
func (h *hedge[V]) next(ctx context.Context) (*future.Future[V], error) {
	for {
		if f, ok := h.service.Poll(); ok {
			return f, nil
		}
		if err := endOf(ctx); err != nil {
			return nil, err
		}
		switch left := h.delay - time.Since(h.last); {
		case len(h.started) == len(h.fns):
			return h.service.Take(ctx)
		case !h.due && left > 0:
			if f, err := h.takeWithin(ctx, left); f != nil || err != nil {
				return f, err
			}
		default:
			if err := h.start(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// start starts the next function. If the pool refuses that while a call is under way, the call goes
// on, unless there is no delay: all are needed at once then.
func (h *hedge[V]) start(ctx context.Context) error {
	f, err := h.service.submit(ctx, false, h.fns[len(h.started)], nil)
	h.last, h.due = time.Now(), h.delay <= 0
	switch {
	case err == nil:
		h.started = append(h.started, f)
		h.underWay++
	case h.underWay == 0 || h.delay <= 0:
		return err
	case !errors.Is(err, ErrSaturated): // nor will it be accepted later
		h.refused = err
		h.fns = h.fns[:len(h.started)]
	}
	return nil
}

// takeWithin returns the next future, or nothing if none is settled within that time.
func (h *hedge[V]) takeWithin(
	ctx context.Context, limit time.Duration,
) (*future.Future[V], error) {
	within, release := context.WithTimeout(cell.Faithful(ctx), limit)
	defer release()
	f, err := h.service.Take(within)
	switch {
	case err == nil:
		return f, nil
	case endOf(ctx) != nil:
		return nil, endOf(ctx)
	case within.Err() != nil:
		return nil, nil
	}
	return nil, err
}
