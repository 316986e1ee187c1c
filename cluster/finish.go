package cluster

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// finishTask records an outcome and removes the run, in this order: if the process dies in between,
// the next worker finds the outcome.
func (w *worker) finishTask(ctx context.Context, h *held, o outcome) {
	id := h.at.id()
	o = o.within(w.pool.longest()-1024, h.task.name)
	if err := w.keepIfFailed(ctx, h, o); err != nil {
		h.leave(err)
		return
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
		if known, ended, err := w.pool.results.recorded(ctx, id); err == nil && ended &&
			o.failure() && !known.failure() {
			w.dropLetter(ctx, h)
		}
	}
	h.done()
}

// keepIfFailed keeps a task whose outcome is a failure. Of another one that was begun before, what
// an attempt may have kept does not count any more.
func (w *worker) keepIfFailed(ctx context.Context, h *held, o outcome) error {
	if !o.failure() || h.skipped {
		if h.delivered > 1 {
			w.dropLetter(ctx, h)
		}
		return nil
	}
	kind, level := h.kindOf(o), slog.LevelWarn
	if kind == kindAbandoned {
		level = slog.LevelError
	}
	if err := w.keepFailed(ctx, h, h.at.id(), kind, string(o.data)); err != nil {
		return err
	}
	w.pool.logger.Log(ctx, level, "task failed", h.attr(), "kind", kind, "attempts", h.last(kind).number,
		"error", w.pool.shown(h.task.name, PartError, string(o.data)))
	return nil
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
