package eventloop

import (
	"context"
	"iter"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// Cancelled counts a task that a caller has cancelled. A waiting task can never begin now, so its
// body belongs to the caller, who drops it; what remains is a tombstone. A running task the loop
// finds settled when the body has returned.
func (h *host) Cancelled(c *cell.Cell, running bool) (tell func()) {
	l := h.loop()
	handedBack := running && !planOf(c).Ends()
	// First: the loop is not to end before observers know.
	tell = l.runs.TellsCancelled(c, planOf(c), handedBack)
	if running {
		if !handedBack {
			l.worker.interrupted.Add(1)
		}
		l.mu.Lock()
		l.runs.CancellerCameLocked()
		l.mu.Unlock()
		l.life.goOn()
		return tell
	}
	c.Body = nil
	if planOf(c).Periodic() {
		l.mu.Lock()
		letGoLocked(c)
		l.runs.CancelledLocked(planOf(c))
		l.mu.Unlock()
	}
	l.waiting.withdrawn(c)
	l.life.goOn()
	return tell
}

// goOn has a loop that is shut down look again: it may have waited for this task, or its canceller,
// alone.
func (lf *life) goOn() {
	if lf.loop.waiting.intake.isClosed() {
		lf.loop.rest.signal(0)
	}
}

// Dismissed forgets that c, which has been cancelled after that, has failed.
func (h *host) Dismissed(c *cell.Cell) { h.loop().runs.Dismiss(planOf(c)) }

// Expired is called when a run has exceeded its timeout; see [run.Overruns.Expired].
func (h *host) Expired(c *cell.Cell) { h.loop().runs.Expired(c, planOf(c)) }

// Behind reports whether c cannot begin before run has ended: true of every other task, as the loop
// runs one at a time.
func (h *host) Behind(c, run *cell.Cell) bool { return c != run }

// SelfWait reports whether the caller is the task that the loop runs. While it waits, no other task
// of the loop can end.
func (h *host) SelfWait(*cell.Cell) bool { return h.loop().worker.current() != nil }

// Await does nothing: a caller that is not the loop's own task can wait for any of them, and needs
// no help.
func (h *host) Await(context.Context, *cell.Cell) (over func()) { return nil }

// AwaitAny does nothing, like Await.
func (h *host) AwaitAny(context.Context, iter.Seq[*cell.Cell]) (over func()) { return nil }

// Subject names the task and the loop, for error texts.
func (h *host) Subject(c *cell.Cell) string {
	return h.loop().runs.Subject(planOf(c).Name).String()
}

// NextLocked is that of [run.Host].
func (h *host) NextLocked(c *cell.Cell) (time.Time, bool) {
	l := h.loop()
	if c.Phase() != cell.Pending || c.When == clock.Never {
		return time.Time{}, false
	}
	return l.runs.NextLocked(c, planOf(c)), true
}

// HasHandle reports whether c is a task by itself: not one of Execute without options.
func (h *host) HasHandle(c *cell.Cell) bool { return planOf(c) != h.loop().door.executed }

// PlanOf is that of [run.Host].
func (h *host) PlanOf(c *cell.Cell) *run.Plan { return planOf(c) }

// Settled is that of [run.Host].
func (h *host) Settled() { h.loop().rest.signal(0) }

// Plan leads from a task to what its future asks.
func (h *host) Plan(c *cell.Cell) (*run.Owner, *run.Plan) { return &h.loop().runs, planOf(c) }

// Waiting returns the tasks that wait.
func (h *host) Waiting() (cells []*cell.Cell) {
	l := h.loop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting.collectLocked()
	l.waiting.agenda.filter(func(c *cell.Cell) bool {
		cells = append(cells, c)
		return true
	})
	return cells
}

// Describe returns the run of c that is in progress.
func (h *host) Describe(c *cell.Cell) run.Info { return h.loop().runs.Describe(c, planOf(c)) }

// RequeueLocked moves a waiting task to another time, as if it had just been submitted for that. It
// reports false if the task may not be put off any more.
func (h *host) RequeueLocked(c *cell.Cell, when, now int64) (moved bool, then func()) {
	l, ws := (*Loop)(h), &h.waiting
	ws.collectLocked()
	if l.life.stage != running && !l.life.wantedUntilLocked(c, when, now) || !ws.agenda.extract(c) {
		return false, nil
	}
	ws.repeatLocked(c, when)
	return true, func() { l.rest.signal(when) }
}
