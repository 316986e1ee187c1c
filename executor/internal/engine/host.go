package engine

import (
	"context"
	"iter"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

func (h *Host) pool() *Pool { return (*Pool)(h) }

// Dismissed forgets that c, which has been cancelled after that, has failed.
func (h *Host) Dismissed(c *cell.Cell) { h.pool().runs.Dismiss(&planOf(c).Plan) }

// Expired settles or reports a run that has exceeded its timeout.
func (h *Host) Expired(c *cell.Cell) { h.pool().runs.Expired(c, &planOf(c).Plan) }

// Subject names the task and the pool, for errors.
func (h *Host) Subject(c *cell.Cell) string {
	return h.pool().runs.Subject(planOf(c).Name).String()
}

// NextLocked is that of [run.Host]. A task is in the queue exactly while a run is planned.
func (h *Host) NextLocked(c *cell.Cell) (time.Time, bool) {
	p := h.pool()
	if !p.waiting.hasPlaceLocked(c) || c.Phase().Settled() || planOf(c).DueAt(c) == clock.Never {
		return time.Time{}, false
	}
	return p.runs.NextLocked(c, &planOf(c).Plan), true
}

// HasHandle reports whether c is a task by itself: not one of Execute without options.
func (h *Host) HasHandle(c *cell.Cell) bool { return planOf(c) != h.pool().Door.executed }

// Plan leads from a task to what its future asks.
func (h *Host) Plan(c *cell.Cell) (*run.Owner, *run.Plan) { return &h.pool().runs, &planOf(c).Plan }

// Describe returns the run of c that is in progress.
func (h *Host) Describe(c *cell.Cell) (info run.Info) {
	h.pool().look(func() { info = h.pool().Views.askLocked(c) })
	return info
}

// Waiting returns the tasks that wait, and maybe others.
func (h *Host) Waiting() []*cell.Cell { return h.pool().Views.Live() }

// Host returns p as its cells see it.
func (p *Pool) Host() *Host { return (*Host)(p) }

// SelfWait reports whether the caller, identified by its goroutine, would wait for itself, or for
// what comes after it. Behind is the same for somebody of whom only a context is known.
func (h *Host) SelfWait(c *cell.Cell) bool {
	x := h.pool().current()
	return x != nil && x.isBehind(c)
}

// Behind reports whether c comes after the run.
func (h *Host) Behind(c, run *cell.Cell) bool { return comesAfter(c, run) }

// Await announces that the caller is about to wait for c, with ctx. It returns the function to call
// after the wait, or nil if the wait has nothing to do with the pool.
func (h *Host) Await(ctx context.Context, c *cell.Cell) (over func()) {
	a := h.pool().loans.newAwait(ctx)
	if a == nil {
		return nil
	}
	a.cells = []*cell.Cell{c}
	return h.pool().loans.await(a)
}

// AwaitAny is Await for the first of several to be settled.
func (h *Host) AwaitAny(ctx context.Context, cs iter.Seq[*cell.Cell]) (over func()) {
	return h.awaitSeveral(ctx, cs, false)
}

// AwaitAll is Await for all of several to stop.
func (h *Host) AwaitAll(ctx context.Context, cs iter.Seq[*cell.Cell]) (over func()) {
	return h.awaitSeveral(ctx, cs, true)
}

// awaitSeveral leaves out what the pool cannot help with: tasks of others, those that have ended,
// and those that cannot end before the caller.
func (h *Host) awaitSeveral(
	ctx context.Context, cs iter.Seq[*cell.Cell], all bool,
) (over func()) {
	a := h.pool().loans.newAwait(ctx)
	if a == nil {
		return nil
	}
	a.all = all
	for c := range cs {
		own := c.Plan != nil && c.Plan.Host == cell.Host(h)
		ended := c.HasStopped() || !all && c.Phase().Settled()
		if own && !ended && (a.by == nil || !a.by.isBehind(c)) {
			a.cells = append(a.cells, c)
		}
	}
	return h.pool().loans.await(a)
}
