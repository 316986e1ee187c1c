package completion

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// ErrNotNeeded is the reason for which functions are cancelled whose results nothing waits for any
// more.
var ErrNotNeeded = errors.New("executor: the result is no longer needed")

// InvokeAny is the InvokeAnyHedged of package bulk, and without a delay the InvokeAny of package
// executor, which say what they promise.
func InvokeAny[V any, O run.TaskOption](
	ctx context.Context, p submitter.Submitter[O], delay time.Duration, fns []future.Func[V],
) (V, error) {
	var none V
	ctx, err := Check(ctx, fns)
	if err != nil {
		return none, err
	}
	if len(fns) == 0 {
		return none, run.Invalid("InvokeAny of no functions")
	}
	if p == nil {
		panic("executor: nil pool")
	}
	h := hedge[V, O]{fns: fns, delay: delay, due: true}
	h.service.Init(p)
	defer func() { CancelAll(h.started, ErrNotNeeded) }()
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

// hedge is one call of InvokeAny.
type hedge[V any, O run.TaskOption] struct {
	service Service[V, O]
	fns     []future.Func[V]
	delay   time.Duration
	started []*future.Future[V]
	last    time.Time // of the starts
	due     bool      // the next one need not wait for the delay

	underWay int   // calls that have been started, and have not failed
	refused  error // why no other is started
}

// next returns the next future that is settled, and starts functions until there is one.
func (h *hedge[V, O]) next(ctx context.Context) (*future.Future[V], error) {
	for {
		if f, ok := h.service.Poll(); ok {
			return f, nil
		}
		if err := submitter.EndOf(ctx); err != nil {
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
func (h *hedge[V, O]) start(ctx context.Context) error {
	f, err := h.service.Submit(ctx, false, nil, h.fns[len(h.started)], nil)
	h.last, h.due = time.Now(), h.delay <= 0
	switch {
	case err == nil:
		h.started = append(h.started, f)
		h.underWay++
	case h.underWay == 0 || h.delay <= 0:
		return err
	case !errors.Is(err, engine.ErrSaturated): // nor will it be accepted later
		h.refused = err
		h.fns = h.fns[:len(h.started)]
	}
	return nil
}

// takeWithin returns the next future, or nothing if none is settled within that time.
func (h *hedge[V, O]) takeWithin(
	ctx context.Context, limit time.Duration,
) (*future.Future[V], error) {
	within, release := context.WithTimeout(cell.Faithful(ctx), limit)
	defer release()
	f, err := h.service.Take(within)
	switch {
	case err == nil:
		return f, nil
	case submitter.EndOf(ctx) != nil:
		return nil, submitter.EndOf(ctx)
	case within.Err() != nil:
		return nil, nil
	}
	return nil, err
}

// Check checks the arguments of a bulk operation, and returns a context that is not nil.
func Check[V any](ctx context.Context, fns []future.Func[V]) (context.Context, error) {
	for _, fn := range fns {
		if fn == nil {
			return nil, run.ErrNilTask
		}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return ctx, nil
}

// CancelAll cancels the unsettled futures with reason, last first. With a nil reason all are
// settled already. The later ones wait behind the earlier, and must not begin in the room that
// these leave.
func CancelAll[V any](fs []*future.Future[V], reason error) {
	for _, f := range slices.Backward(fs) {
		if reason != nil && f != nil {
			f.CancelCause(reason)
		}
	}
}
