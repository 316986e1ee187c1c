package executor

import (
	"context"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/failure"
)

// execution is one run of a task after another, on the goroutine of whoever owns it: a worker, a
// caller who runs what the pool has no room for, or a helper who runs what another run waits for.
//
//	idle -> started   start: the task is the owner's, and begun
//	started -> over   run has called the body, complete has told of its end
//	over -> idle      account: it counts, and a series is queued again
type execution struct {
	pool *Pool

	// The pool's lock guards these; only the owner writes them.
	goroutine uint64     // its number, 0 if nobody has asked for it
	task      *cell.Cell // being run, or run and not accounted for yet

	// About the task; the owner's own.
	ctx    context.Context
	err    error
	ended  int64 // when a run of a series ended
	labels bool  // the goroutine is the pool's own, and gets labels
	bare   bool  // the task has no future: its cell is the owner's, for the next one too
	over   bool  // the body has ended
	again  bool  // the series goes on

	failed bool // the run has failed
	done   bool // the run was the last: the task has ended by it
}

// start begins a run of c, unless it has been cancelled on its way out of the queue. The time may be unread
// for a bare task. The lock is held.
func (x *execution) start(c *cell.Cell, now int64) bool {
	if !x.bare && !c.Begin() {
		c.Body = nil
		x.pool.counts.cancelled++
		if s := planOf(c).strand; s != nil {
			x.pool.advance(s)
		}
		return false
	}
	if !x.bare && planOf(c).Periodic() {
		now = x.pool.clock.Now() // the caller may have read it before the last run ended
	}
	if x.bare && c.When == unread { // when it came is not known
		c.When = now
	}
	if c.Started = now; now != unread {
		c.Started = max(now, c.When)
	}
	if !x.bare {
		if pl := planOf(c); pl.Periodic() {
			c.When = pl.Start(c.When, now)
		}
	}
	x.task = c
	x.pool.counts.busy++
	return true
}

// run calls the body: the one place where a pool does so.
func (x *execution) run() {
	c, p := x.task, x.pool
	x.err = future.ErrGoexit // until the body says otherwise
	x.over, x.again, x.failed, x.done = false, false, false, false
	x.ctx = c.Enter(context.Background())
	if x.labels {
		planOf(c).label()
	}
	if p.before != nil {
		run := p.runOf(c)
		p.guard(x.ctx, "before-run", run, func() { p.before(x.ctx, run) })
		if phase := c.Phase(); phase.Settled() { // cancelled by the hook, or it took too long
			x.err = future.ErrCancelled
			if phase == cell.Failed {
				x.err = future.ErrTimeout
			}
			return
		}
	}
	future.Invoke(x.ctx, c.Body, &x.err)
}

// complete does what follows the end of the body without the lock. If a hook or handler ends the
// goroutine, that hook or handler is all that is cut short.
func (x *execution) complete() {
	if x.over {
		return
	}
	x.over = true
	if x.labels {
		defer x.pool.unlabel() // even if there were none: the body may have left some
	}
	x.conclude()
	x.tell()
}

// conclude settles the future if this was the last run.
func (x *execution) conclude() {
	c, pl := x.task, planOf(x.task)
	if x.bare {
		if x.done = true; !c.Unseen() {
			c.Exit() // or else its context may serve for the next, too
		}
		return
	}
	if c.Exit() {
		x.err = failure.Overrun(x.err)
	}
	if !pl.Periodic() {
		x.done = c.Finish(x.err)
		return
	}
	x.ended = x.pool.clock.Now()
	x.again = !pl.Last() && (x.err == nil || pl.Tolerant())
	switch {
	case x.again:
	case pl.Tolerant():
		x.done = c.Finish(nil)
	default:
		x.done = c.Finish(x.err)
	}
}

// tell calls the hook, and reports a failure that would be lost otherwise. What a cancelled run
// returns is no failure.
func (x *execution) tell() {
	c, p, pl := x.task, x.pool, planOf(x.task)
	x.failed = x.err != nil && c.Phase() != cell.Cancelled
	if p.after == nil && !x.failed {
		return
	}
	run := p.runOf(c)
	if p.after != nil {
		defer p.guard(x.ctx, "after-run", run, func() { p.after(x.ctx, run, x.err) })
	}
	switch {
	case !x.failed:
	case pl.reports, pl.Tolerant():
		p.report(run, x.err)
	case x.done && pl.Periodic():
		p.seriesEnded(run, x.err)
	}
}

// account ends the run: it counts, and queues the next run of a series, or the next task of a
// serial executor. The lock is held, but let go to settle a series that may not go on.
func (x *execution) account() {
	c, p := x.task, x.pool
	x.task, x.ctx, x.err = nil, nil, nil
	p.counts.busy--
	p.counts.runs++
	if x.failed {
		p.counts.failures++
	}
	if x.bare {
		p.counts.completed++
		c.Body = nil
		return
	}
	pl := planOf(c)
	if x.done && !pl.returned {
		p.counts.completed++
	}
	if x.again && !pl.returned && p.mayRepeat() && c.Reset() {
		p.place(c, pl.Next(x.ended))
		return
	}
	c.Body = nil
	if pl.strand != nil {
		p.advance(pl.strand)
	}
	if x.again {
		p.endSeries(c)
	}
}

// endSeries settles a series that would go on, had it not been cancelled during its run, or the pool
// shut down. The lock is held, but not meanwhile.
func (p *Pool) endSeries(c *cell.Cell) {
	p.mu.Unlock()
	delay.At(delay.SeriesRefused)
	dropped := c.Drop()
	c.Finish(nil)
	p.mu.Lock()
	if dropped && !planOf(c).returned {
		p.counts.returned++
	}
}
