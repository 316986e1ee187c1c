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

	// The pool's lock guards it; only the owner writes it.
	task *cell.Cell // being run, or run and not accounted for yet

	// See runners; the owner's own.
	goroutine uint64
	outer     *execution // that its goroutine is in the midst of
	depth     int        // how many there are of these

	beyond []*cell.Cell // see runByCaller; the pool's lock guards it

	// About the task; the owner's own.
	ctx    context.Context
	token  *cell.Token // the context, if the cell is run again and again
	tokens cell.Tokens // for the next runs
	spent  bool        // the cell has ended for good, though it is the owner's
	err    error
	ended  int64 // when a run of a series ended
	labels bool  // the goroutine is the pool's own, and gets labels
	bare   bool  // the task has no future: its cell is the owner's, for the next one too
	over   bool  // the body has ended
	again  bool  // the series goes on

	abrupt bool // the body has not returned: it has panicked, or called Goexit
	told   bool // the run has outlived its time-out, and that has been told and counted
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
	if !x.bare && now <= planOf(c).Ended() {
		now = x.pool.clock.Now() // the caller has read it before the last run ended
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
	if x.outer != nil {
		x.pool.waits.nested++
	}
	return true
}

// enter returns the context of the run.
func (x *execution) enter() context.Context {
	if x.token = nil; !planOf(x.task).Periodic() {
		return x.task.Enter(context.Background())
	}
	x.token = x.tokens.Next()
	return x.task.EnterAs(x.token)
}

// runBare is run for a task without a future, a name or hooks, which is most often a tiny one.
func (x *execution) runBare() {
	x.token = x.tokens.Next()
	x.abrupt = !future.Invoke(x.task.Lend(x.token), x.task.Body, &x.err)
}

// concludeTiny ends the context of such a task, which has succeeded, and reports whether that was all:
// nobody has asked the context for anything, so the cell may serve for the next task, too.
func (x *execution) concludeTiny() bool {
	if x.token.End(); !x.task.Unseen() {
		return false
	}
	x.done = true
	x.pool.unlabel()
	return true
}

// concludeBare is concludeTiny for any other. It may call methods of the base context.
func (x *execution) concludeBare() {
	x.token.End()
	if x.done = true; !x.task.Unseen() {
		x.task.Exit()
		x.spent = true
	}
}

// run calls the body: the one place where a pool does so.
func (x *execution) run() {
	c, p := x.task, x.pool
	x.err = future.ErrGoexit // until the body says otherwise
	x.over, x.again, x.failed, x.done = false, false, false, false
	x.abrupt, x.told = true, false
	if x.bare {
		x.runBare()
		return
	}
	x.ctx = x.enter()
	if x.labels {
		planOf(c).label()
	}
	if p.before != nil {
		run := p.runOf(c)
		p.before.Each(func(hook func(context.Context, Run)) {
			p.guard(x.ctx, "before-run", run, func() { hook(x.ctx, run) })
		})
		if phase := c.Phase(); phase.Settled() { // cancelled by the hook, or it took too long
			x.err, x.abrupt = future.ErrCancelled, false
			if phase == cell.Failed {
				x.err = planOf(c).Late
			}
			return
		}
	}
	x.abrupt = !future.Invoke(x.ctx, c.Body, &x.err)
}

// complete does what follows the end of the body without the lock. If a hook or handler ends the
// goroutine, that hook or handler is all that is cut short.
func (x *execution) complete() {
	if x.over {
		return
	}
	x.over = true
	if x.bare && x.err == nil && x.concludeTiny() {
		return
	}
	if x.labels {
		defer x.pool.unlabel() // even if there were none: the body may have left some
	}
	if x.bare {
		x.concludeBare()
	} else {
		x.conclude()
	}
	x.tell()
}

// conclude settles the future if this was the last run.
func (x *execution) conclude() {
	c, pl := x.task, planOf(x.task)
	if x.token != nil {
		x.token.End()
	}
	if late := c.Exit(); pl.Timeout > 0 && x.overran(late) {
		x.err = failure.Overrun(pl.Late, x.err)
	}
	if pl.Periodic() {
		x.ended = x.pool.clock.Now()
	}
	switch survives := pl.Periodic() && x.err == nil || pl.Survives(x.abrupt); {
	case !survives:
		if x.done = c.Finish(x.err); x.done && !pl.Survives(false) {
			x.told = false // the time-out was about to settle it, and has come too late
		}
	case pl.Last():
		x.done = c.Finish(nil)
	default:
		x.again = true
	}
}

// overran reports whether the run has outlived its time-out, which is told by [host.Expired] before
// this, or by tell.
func (x *execution) overran(late bool) bool {
	x.pool.mu.Lock()
	defer x.pool.mu.Unlock()
	x.told = planOf(x.task).End()
	return late || x.told
}

// tell calls the hook, and reports what would be lost otherwise, and every panic. What a cancelled
// run returns is no failure.
func (x *execution) tell() {
	c, p := x.task, x.pool
	x.failed = x.err != nil && c.Phase() != cell.Cancelled
	recovers := x.err == nil && planOf(c).Streak.Len() > 0
	if p.after == nil && !x.failed && !x.abrupt && !recovers {
		return
	}
	run := p.runOf(c)
	if p.after != nil {
		defer p.after.Each(func(hook func(context.Context, Run, error)) {
			p.guard(x.ctx, "after-run", run, func() { hook(x.ctx, run, x.err) })
		})
	}
	switch {
	case recovers:
		p.seriesRecovers(planOf(c), run)
	case x.failed || x.abrupt:
		x.report(run)
	}
}

// report tells of a failure whoever cannot see it by a future, and of a panic in any case.
func (x *execution) report(run Run) {
	p, pl := x.pool, planOf(x.task)
	switch {
	case x.failed && pl.reports:
		p.report(run, x.err)
	case x.failed && pl.Survives(x.abrupt):
		x.goOn(run)
	case x.done && pl.Periodic():
		p.seriesEnded(run, x.err)
	case x.abrupt:
		p.report(run, x.err)
	}
}

// goOn tells of a failed run of a series that goes on, unless that is known.
func (x *execution) goOn(run Run) {
	streak := &planOf(x.task).Streak
	notable := !x.told && streak.Fail()
	notable = x.abrupt && streak.Panic() || notable
	if !x.told || x.abrupt {
		x.pool.runFailed(run, x.err, streak.Len(), notable)
	}
}

// account ends the run: it counts, and queues the next run of a series, or the next task of a
// serial executor. The lock is held, but let go to settle a series that may not go on.
func (x *execution) account() {
	c, p := x.task, x.pool
	x.task, x.ctx, x.err, x.token = nil, nil, nil, nil
	p.counts.busy--
	if x.outer != nil {
		p.waits.nested--
	}
	p.counts.runs++
	if x.failed && !x.told {
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
