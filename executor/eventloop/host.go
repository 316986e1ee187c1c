package eventloop

import (
	"context"
	"iter"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
)

// host is a Loop as its cells and their futures see it.
type host Loop

func (h *host) loop() *Loop { return (*Loop)(h) }

// Cancelled counts a task that a caller has cancelled. If it waited, the caller has kept it from ever
// beginning, so its body is the caller's to forget, and what is left of it a shell. If it runs, the loop
// finds it settled when its body has returned.
func (h *host) Cancelled(c *cell.Cell, running bool) {
	l := h.loop()
	if running {
		if planOf(c).Ends() {
			l.interrupted.Add(1)
		}
		return
	}
	c.Body = nil
	l.withdrawn(c)
	if l.intake.isClosed() {
		l.signal(0) // it may have been all that a loop which is shut down has waited for
	}
}

// Expired is that of the run.
func (h *host) Expired(c *cell.Cell) { h.loop().runs.Expired(c, planOf(c)) }

// outlives reports whether the loop does not end before the caller does: its task, or the error
// handler for a run that took too long. The goroutine tells. Nor does it end before ctx if that ends
// with the task.
func (l *Loop) outlives(ctx context.Context) bool {
	return l.current() != nil || l.runs.Outlives(ctx)
}

// Behind reports whether c begins after the run, which is so for all that have not begun.
func (h *host) Behind(c, run *cell.Cell) bool { return c != run }

// SelfWait reports whether the caller is the task that the loop runs: nothing else of the loop can
// end before it has.
func (h *host) SelfWait(*cell.Cell) bool { return h.loop().current() != nil }

// Await has nothing to do: whoever is not the loop's task can wait for any of them.
func (h *host) Await(context.Context, *cell.Cell) (over func()) { return nil }

// AwaitAny likewise.
func (h *host) AwaitAny(context.Context, iter.Seq[*cell.Cell]) (over func()) { return nil }

// Subject names the task and the loop.
func (h *host) Subject(c *cell.Cell) string { return h.loop().runs.Subject(planOf(c).Name).String() }

// Delay is that of the task's future.
func (h *host) Delay(c *cell.Cell) time.Duration { return h.loop().runs.Delay(c) }

// Next is that of the task's future.
func (h *host) Next(c *cell.Cell) (time.Time, bool) {
	l := h.loop()
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Phase() != cell.Pending {
		return time.Time{}, false
	}
	return l.clock.Time(c.When), true
}

// Runs is that of the task's future.
func (h *host) Runs(c *cell.Cell) uint64 { return h.loop().runs.Runs(c, planOf(c)) }

// Periodic is that of the task's future.
func (h *host) Periodic(c *cell.Cell) bool { return planOf(c).Periodic() }

// Describe returns which run of c is in progress.
func (h *host) Describe(c *cell.Cell) executor.Run {
	return executor.Run(h.loop().runs.Describe(c, planOf(c)))
}

// runIn returns the run of the loop that ctx is that of, or derives from.
func (l *Loop) runIn(ctx context.Context) (run *cell.Cell) {
	if ctx == nil {
		return nil
	}
	cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil || c.Plan.Host != (*host)(l) {
			return false
		}
		run = c
		return true
	})
	return run
}

// current returns the run of the loop on the calling goroutine, or nil.
func (l *Loop) current() *cell.Cell {
	if l.goroutine.Load() != goid.Current() {
		return nil
	}
	return l.exec.Task // written by this goroutine only
}
