package eventloop

import (
	"context"
	"iter"
	"slices"
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
		l.interrupted.Add(1)
		return
	}
	c.Body = nil
	l.withdrawn(c)
	if l.intake.isClosed() {
		l.signal(0) // it may have been all that a loop which is shut down has waited for
	}
}

// Expired tells of a run that has outlived its time-out, and ends the task, unless that is a series
// which goes on: then the next run waits for the body. The loop does not end before that is told.
func (h *host) Expired(c *cell.Cell) {
	l, pl := h.loop(), planOf(c)
	run, overdue := l.overdue(c)
	if !overdue {
		return
	}
	defer l.expired() // also when a handler ends the goroutine
	switch {
	case run.survived:
		defer l.tells()()
		l.runFailed(run.Run, pl.Late, run.streak, run.notable)
	case c.Fail(pl.Late):
		l.countLate()
		if pl.Periodic() {
			defer l.tells()()
			l.seriesEnded(run.Run, pl.Late)
		}
	}
}

// overrun is a run that has outlived its time-out.
type overrun struct {
	executor.Run
	survived bool   // by its series
	streak   uint64 // failures of that in a row
	notable  bool
}

// overdue reports, once, that the run of c in progress has outlived its time-out, and counts that
// if the series goes on. The loop does not end before the caller has called expired. If the
// time-out comes late, for a run whose body has returned, the loop tells of it.
func (l *Loop) overdue(c *cell.Cell) (o overrun, overdue bool) {
	pl := planOf(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Phase() != cell.Running || !pl.Expire(c.Started, l.clock.Now()) {
		return o, false
	}
	l.settling++
	o.Run = l.describe(c)
	if o.survived = pl.Survives(false); o.survived {
		l.counts.failures++
		o.notable = pl.Streak.Fail()
		o.streak = pl.Streak.Len()
	}
	return o, true
}

// countLate counts a task that has ended by its time-out.
func (l *Loop) countLate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.completed++
	l.counts.failures++
}

// expired ends what overdue has begun.
func (l *Loop) expired() {
	l.mu.Lock()
	l.settling--
	l.mu.Unlock()
	l.signal(0)
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

// outlives reports whether the loop does not end before the caller does: its task, or the error
// handler for a run that took too long. The goroutine tells. Nor does it end before ctx if that ends
// with the task.
func (l *Loop) outlives(ctx context.Context) bool {
	if l.current() != nil || cell.EndsWith(ctx, l.owns) {
		return true
	}
	id := goid.Current()
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.tellers, id)
}

// owns reports whether a run is the loop's.
func (l *Loop) owns(run *cell.Cell) bool {
	return run.Plan != nil && run.Plan.Host == cell.Host((*host)(l))
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
func (h *host) Subject(c *cell.Cell) string { return h.loop().subject(planOf(c).Name).String() }

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

// current returns the run of the loop on the calling goroutine, or nil.
func (l *Loop) current() *cell.Cell {
	if l.goroutine.Load() != goid.Current() {
		return nil
	}
	return l.task // written by this goroutine only
}
