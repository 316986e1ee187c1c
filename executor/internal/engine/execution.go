package engine

import (
	"context"
	"runtime/pprof"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// Overview: the road of a run is
//
//	startLocked    lock held: the cell becomes running, the pool counts it as busy
//	run            hooks, body
//	complete       the context ends, the future of a last run is settled, failures are
//	               reported, hooks are called
//	accountLocked  lock held: counts, the next run of a series, the next task of a strand
//
// The two steps in the middle call user code, so they run without the lock. The future is settled
// before the run is accounted for: whoever has seen the future may find the task busy for a moment
// longer. The other way round, a pool could terminate with a future unsettled.

// newExecution returns an execution of p; labels says whether its goroutine is the pool's own.
func (p *Pool) newExecution(labels bool) execution {
	return execution{Execution: run.Execution{Owner: &p.runs}, pool: p, labels: labels}
}

// startLocked begins a run of c. It reports false if c was cancelled on its way out of the queue:
// that is then counted here, as the canceller did not find it there. Only for a bare task may now
// be unread.
func (x *execution) startLocked(c *cell.Cell, now int64) bool {
	p := x.pool
	var s *strand
	if x.bare {
		x.startBare(c, now)
	} else {
		pl := planOf(c)
		x.Freed = 0
		if s = pl.strand; s != nil {
			x.Freed = max(s.ended, s.openAt(pl.Retrying()))
		}
		if !x.Start(c, &pl.Plan, now) {
			x.foundCancelledLocked(c, pl)
			return false
		}
	}
	p.counts.busy++
	if x.outer != nil {
		p.loans.waits.nested++
	}
	if p.Pace != nil || s != nil && s.pace != nil {
		x.noteStartLocked(c, s, now)
	}
	return true
}

// foundCancelledLocked is for a task that has left the queue to be started, and cannot be.
func (x *execution) foundCancelledLocked(c *cell.Cell, pl *plan) {
	p := x.pool
	c.Body = nil
	p.Door.leaveLocked(c, pl)
	p.counts.cancelled++
	p.runs.FoundCancelledLocked(1)
	p.unexpectLocked(c)
	if s := pl.strand; s != nil && s.head == c {
		p.advanceLocked(s)
	}
}

// noteStartLocked records the start of c, which is in strand s if that is not nil, where starts are
// paced.
func (x *execution) noteStartLocked(c *cell.Cell, s *strand, now int64) {
	switch {
	case !x.bare && !x.Began():
		return // no body begins
	case !x.bare:
		now = c.Started
	case now == unread:
		now = x.pool.clock.Now()
	}
	x.pool.Pace.note(now)
	if next := x.pool.Pace.next(); next > now {
		x.pool.runs.HeldUntilLocked(now, next)
	}
	if s != nil {
		s.pace.note(now)
	}
}

// startBare is startLocked for a bare task, which cannot have been cancelled. Its times may be
// unread.
func (x *execution) startBare(c *cell.Cell, now int64) {
	if c.When == unread { // nobody has recorded when it came
		c.When = now
	}
	// The reading may be older than the time at which it came. What is shown is what was.
	if now != unread && now < c.When {
		now = x.pool.clock.Now()
	}
	c.Started = now
	x.Bare(c, &x.pool.Door.executed.Plan)
}

// runBare is run for a bare task. It lends the token's context: one cell serves for many such runs.
func (x *execution) runBare() {
	x.Token = x.Tokens.Next()
	x.Abrupt = !future.Invoke(x.Task.Lend(x.Token), x.Task.Body, &x.Err)
}

// concludeTiny ends the context of a bare task that has succeeded. It reports whether that was all:
// if nobody has asked the context for anything, the cell may serve for the next task too.
func (x *execution) concludeTiny() bool {
	if x.Token.End(); !x.Task.Unseen() {
		return false
	}
	x.Done = true
	x.pool.unlabel()
	return true
}

// concludeBare is concludeTiny for any other bare task. It may call methods of the base context,
// and of an error, so the lock must not be held.
func (x *execution) concludeBare() {
	x.Token.End()
	if x.Done = true; !x.Task.Unseen() {
		x.Task.Exit()
		x.spent = true
	}
	x.Judge()
}

// run calls the hooks before the run, and the body. It is the one place where a pool calls a body.
func (x *execution) run() {
	calls := x.Prepare()
	switch {
	case x.bare:
		x.runBare()
		return
	case !calls:
		return
	}
	x.Enter()
	delay.At(delay.RunEntered)
	if x.labels && x.Plan.Labels != nil {
		pprof.SetGoroutineLabels(x.Plan.Labels)
	}
	if !x.Owner.Watched {
		x.Call()
		return
	}
	// The body is the task's, whatever observers and hooks do: if one ends the goroutine, it is
	// called on the way out.
	defer x.callBody()
	defer x.callBefore()
	x.Begin()
}

// callBody calls the body after hooks and observers, if there are any.
func (x *execution) callBody() {
	if x.pool.Before == nil && !x.Owner.Observed {
		x.Call()
		return
	}
	x.CallUnlessSettled()
}

// callBefore calls the hooks before a run.
func (x *execution) callBefore() {
	p := x.pool
	if p.Before == nil {
		return
	}
	r := x.Info()
	p.Before.Each(func(hook func(context.Context, run.Info)) {
		p.runs.Guard("before-run", r, func() { hook(x.Ctx, r) })
	})
}

// complete does what follows the end of the body and needs no lock. When Goexit ends the goroutine,
// it is called once more on the way out: to do this for a body that was ended, and nothing for a
// hook or handler, of which only the rest is lost.
func (x *execution) complete() {
	if x.Over {
		return
	}
	x.Over = true
	if x.bare && x.Err == nil && x.concludeTiny() {
		return
	}
	if x.labels {
		defer x.pool.unlabel() // even if there were none to set: the body may have set some
	}
	defer x.tell() // also if somebody who watches the future ends the goroutine
	if x.bare {
		x.concludeBare()
	} else {
		x.Conclude()
	}
}

// tell calls the hooks after a run, and reports failures. Reporting comes first; the hooks are
// deferred, so that they are called even if an error handler ends the goroutine.
func (x *execution) tell() {
	if !x.Owner.Watched {
		x.Tell()
		return
	}
	defer x.Finish()
	if p := x.pool; p.After != nil && x.Began() {
		r := x.Info()
		defer p.After.Each(func(hook func(context.Context, run.Info, error)) {
			p.runs.Guard("after-run", r, func() { hook(x.Ctx, r, x.Err) })
		})
	}
	x.Tell()
}

// accountLocked ends the run: it counts it, and queues the next run of a series, or the next task
// of a serial executor. If a series would go on but may not, accountLocked returns it, and the
// caller must settle it with endSeries, without the lock.
func (x *execution) accountLocked() (refused *cell.Cell) {
	c, p := x.Task, x.pool
	x.Count()
	p.counts.busy--
	if x.outer != nil {
		p.loans.waits.nested--
	}
	if x.bare {
		c.Body = nil
		return nil
	}
	// Before a place is looked for: for the next task of the strand, or by the worker of this one.
	if ls := &p.loans; ls.waits.lent.Len() > 0 && ls.inProgressLocked() >= ls.allowanceLocked() {
		ls.returnLocked()
	}
	pl := planOf(c)
	s := pl.strand
	if s != nil && x.Began() && (s.gap > 0 || p.runs.Tap != nil) {
		s.ended = p.clock.Now()
	}
	// The check for a cancellation and the queueing are one step under the lock; see
	// host.Cancelled.
	if when, repeats := x.Repeats(c, &pl.Plan, (*Host)(p).MayRepeatLocked(&pl.Plan)); repeats {
		if !pl.Retrying() { // an attempt counts for the time of its run
			c.When = when
		}
		p.waiting.queueLocked(c)
		if !pl.Periodic() {
			p.loans.helpAnewLocked(c)
		}
		return nil
	}
	c.Body = nil
	p.Door.leaveLocked(c, pl)
	if s != nil && s.head == c { // else it has waited behind others in vain
		p.advanceLocked(s)
	}
	if x.Again {
		return c
	}
	p.runs.EndedLocked(c)
	return nil
}
