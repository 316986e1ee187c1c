package cluster

import (
	"context"
	"fmt"
)

// A task that is not on the queue, and has no outcome, is gone: an operator has purged it, or the
// server has lost it. Nothing will come of it, so each process looks, as often as it looks after
// the pool, what has become of the futures that it has open:
//
//	accepted -> seen     open at a look
//	seen     -> missed   and at another, and neither message nor outcome shows; a server that lags
//	                     may be the reason
//	missed   -> gone     nor at the next: the future fails with ErrGone
//
// It asks about a few, drawn at random, and about all if there are fewer messages than futures, as
// after a purge.
const mostAsked = 16

// findGone fails the futures of this process whose tasks are gone.
func (p *Pool) findGone(ctx context.Context) error {
	open := p.results.accepted()
	if len(open) == 0 {
		return nil
	}
	info, err := p.stream.Info(ctx)
	if err != nil {
		return err
	}
	all := info.State.Msgs < uint64(len(open))
	asked := 0
	for _, f := range open {
		if !f.seen || !all && !f.missed && asked >= mostAsked {
			f.seen = true
			continue
		}
		asked++
		gone, err := p.gone(ctx, f)
		switch {
		case err != nil:
			return err
		case !gone:
			f.missed = false
		case !f.missed:
			f.missed = true
		default:
			p.logger.Error("an accepted task is neither on the queue nor has it an outcome", "pool",
				p.settings.name, "task", nameOf(f.at.task()), "id", f.id)
			p.results.settle(f.id, outcome{}, fmt.Errorf("%w: task %q (%s)", ErrGone,
				nameOf(f.at.task()), f.id))
		}
	}
	return nil
}

// gone asks for the message first: it is removed after its outcome is recorded.
func (p *Pool) gone(ctx context.Context, f *pending) (bool, error) {
	m, err := p.last(ctx, p.on.any(f.at))
	if m != nil || err != nil {
		return false, err
	}
	_, ended, err := p.results.recorded(ctx, f.id)
	return !ended, err
}

// accepted returns the futures that are open and whose tasks were accepted, in no order.
func (r *results) accepted() (list []*pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.open {
		if f := p.Value(); f != nil && f.accepted.Load() {
			list = append(list, f)
		}
	}
	return list
}
