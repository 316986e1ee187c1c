package cluster

import (
	"context"
)

// finishTask records an outcome and removes the run, in this order: if the process dies in between,
// the next worker finds the outcome.
func (w *worker) finishTask(ctx context.Context, h *held, o outcome) {
	id := h.at.id()
	o = o.within(w.pool.nc.MaxPayload()-1024, h.task.name)
	if o.kind == abandoned {
		if err := w.bury(ctx, h, id, string(o.data)); err != nil {
			h.leave(err)
			return
		}
	}
	first, err := w.pool.results.record(ctx, id, o)
	if err != nil {
		h.leave(err)
		return
	}
	if !first {
		w.pool.logger.Info("outcome refused, there is one already", h.attr())
	}
	h.done()
}
