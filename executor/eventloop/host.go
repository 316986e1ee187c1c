package eventloop

import (
	"context"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
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
		if planOf(c).ends() {
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

// Expired ends the task whose run has outlived its time-out, but for a series that goes on after failures:
// there the run counts as failed when its body returns. The loop does not end before that is told.
func (h *host) Expired(c *cell.Cell) {
	l, pl := h.loop(), planOf(c)
	if pl.Tolerant() {
		return
	}
	l.mu.Lock()
	l.settling++
	l.mu.Unlock()
	failed := false
	defer func() { // also when a handler ends the goroutine
		l.mu.Lock()
		l.settling--
		if failed && pl.ends() {
			l.counts.completed++
		}
		l.mu.Unlock()
		l.signal(0)
	}()
	if failed = c.Fail(pl.Late); failed && pl.Periodic() {
		defer l.tells()()
		l.seriesEnded(l.runOf(c), pl.Late)
	}
}

// tells has the calling goroutine known as one that the loop does not end before, until the function
// returned is called.
func (l *Loop) tells() (told func()) {
	id := goid.Current()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tellers = append(l.tellers, id)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		i := slices.Index(l.tellers, id)
		l.tellers = slices.Delete(l.tellers, i, i+1)
	}
}

// outlives reports whether the loop does not end before the caller.
func (l *Loop) outlives(ctx context.Context) bool {
	if l.runIn(ctx) != nil {
		return true
	}
	id := goid.Current()
	l.mu.Lock()
	defer l.mu.Unlock()
	return id != 0 && (l.goroutine == id && l.task != nil || slices.Contains(l.tellers, id))
}

// Await says that the caller is about to wait for c. If it is a task of the loop, c cannot begin before it
// has ended, and it gets ErrSelfWait. If the context does not tell, the goroutine may; to look at that
// takes some microseconds, so unless the loop sleeps it asks the caller to wait for a while and then call
// again, as sure.
func (h *host) Await(ctx context.Context, c *cell.Cell, sure bool) (over func(), ask bool, err error) {
	l := h.loop()
	if l.runOfCaller(ctx, sure) != nil {
		return nil, false, future.ErrSelfWait
	}
	return nil, !sure && l.next.Load() == awake, nil
}

// Behind reports whether c begins after the run, which is so for all that have not begun.
func (h *host) Behind(c, run *cell.Cell) bool { return c != run }

// AwaitAny is Await for the first of several to be settled.
func (h *host) AwaitAny(ctx context.Context, cs []*cell.Cell, sure bool) (over func(), err error) {
	if h.loop().runOfCaller(ctx, sure) != nil {
		return nil, future.ErrSelfWait
	}
	return nil, nil
}

// Delay is that of the task's future.
func (h *host) Delay(c *cell.Cell) time.Duration {
	l := h.loop()
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(c.When - l.clock.Now())
}

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
func (h *host) Runs(c *cell.Cell) uint64 {
	l := h.loop()
	l.mu.Lock()
	defer l.mu.Unlock()
	if pl := planOf(c); pl.Periodic() {
		return pl.Runs
	}
	if c.Started == 0 {
		return 0
	}
	return 1
}

// Periodic is that of the task's future.
func (h *host) Periodic(c *cell.Cell) bool { return planOf(c).Periodic() }

// Describe returns which run of c is in progress.
func (h *host) Describe(c *cell.Cell) executor.Run { return h.loop().runOf(c) }

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

// runOfCaller returns the run of the loop that the caller is: by its context, or if it is to make sure, by
// its goroutine.
func (l *Loop) runOfCaller(ctx context.Context, sure bool) *cell.Cell {
	run := l.runIn(ctx)
	if run != nil || !sure {
		return run
	}
	id := goid.Current()
	l.mu.Lock()
	defer l.mu.Unlock()
	if id == 0 || l.goroutine != id {
		return nil
	}
	return l.task
}
