package cluster

import (
	"context"
	"errors"
	"time"
)

// finishTask records an outcome and removes the run, in this order: if the process dies in between,
// the next worker finds the outcome.
func (w *worker) finishTask(ctx context.Context, h *held, o outcome) {
	id := h.at.id()
	o = o.within(w.pool.longest()-1024, h.task.name)
	if o.kind == abandoned {
		if err := w.bury(ctx, h, id, string(o.data)); err != nil {
			h.leave(err)
			return
		}
	}
	var first bool
	err := h.untilRoom(ctx, func() (err error) {
		first, err = w.pool.results.record(ctx, id, o)
		return err
	})
	if err != nil {
		h.leave(err)
		return
	}
	if !first {
		w.pool.logger.Info("outcome refused, there is one already", h.attr())
	}
	h.done()
}

// untilRoom takes a step that stores what a run has come to, again and again while the server is
// full: to leave the run would have it run again for nothing. Meanwhile it counts in the window, so
// a process holds but so many of them.
func (h *held) untilRoom(ctx context.Context, step func() error) error {
	for told := false; ; told = true {
		err := step()
		if !errors.Is(err, ErrFull) || ctx.Err() != nil || givenBack(context.Cause(h.ctx)) {
			return err
		}
		if !told {
			h.worker.pool.logger.Warn("no room for what a run has come to; trying again", h.attr(),
				"error", err)
		}
		sleep(ctx, 500*time.Millisecond)
	}
}
