package executor

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// execution is one run of a task after another, on the goroutine of whoever owns it: a worker, a
// caller who runs what the pool has no room for, or a helper who runs what another run waits for.
// Package run has the states of a run.
//
// A bare task has no future, name, or hooks, and is most often a tiny one. It has a short cut here.
type execution struct {
	run.Execution
	pool *Pool

	// See runners; the owner's own.
	goroutine uint64
	outer     *execution // that its goroutine is in the midst of
	depth     int        // how many there are of these

	beyond []*cell.Cell // see runByCaller; the pool's lock guards it

	// About the task; the owner's own.
	spent  bool // the cell has ended for good, though it is the owner's
	labels bool // the goroutine is the pool's own, and gets labels
	bare   bool // the task has no future: its cell is the owner's, for the next one too
}

func (p *Pool) newExecution(labels bool) execution {
	return execution{Execution: run.Execution{Owner: &p.runs}, pool: p, labels: labels}
}

// start begins a run of c, unless it has been cancelled on its way out of the queue. The time may be unread
// for a bare task. The lock is held.
func (x *execution) start(c *cell.Cell, now int64) bool {
	if x.bare {
		x.startBare(c, now)
	} else if pl := planOf(c); !x.Start(c, &pl.Plan, now) {
		c.Body = nil
		x.pool.counts.cancelled++
		if pl.strand != nil {
			x.pool.advance(pl.strand)
		}
		return false
	}
	x.pool.counts.busy++
	if x.outer != nil {
		x.pool.waits.nested++
	}
	return true
}

func (x *execution) startBare(c *cell.Cell, now int64) {
	if c.When == unread { // when it came is not known
		c.When = now
	}
	if c.Started = now; now != unread {
		c.Started = max(now, c.When)
	}
	x.Task, x.Plan = c, &x.pool.executed.Plan
}

// runBare is run for a bare task.
func (x *execution) runBare() {
	x.Token = x.Tokens.Next()
	x.Abrupt = !future.Invoke(x.Task.Lend(x.Token), x.Task.Body, &x.Err)
}

// concludeTiny ends the context of a bare task that has succeeded, and reports whether that was all:
// nobody has asked the context for anything, so the cell may serve for the next task, too.
func (x *execution) concludeTiny() bool {
	if x.Token.End(); !x.Task.Unseen() {
		return false
	}
	x.Done = true
	x.pool.unlabel()
	return true
}

// concludeBare is concludeTiny for any other. It may call methods of the base context.
func (x *execution) concludeBare() {
	x.Token.End()
	if x.Done = true; !x.Task.Unseen() {
		x.Task.Exit()
		x.spent = true
	}
}

// run calls the body: the one place where a pool does so.
func (x *execution) run() {
	x.Prepare()
	if x.bare {
		x.runBare()
		return
	}
	x.Enter()
	if x.labels {
		x.Plan.SetLabels()
	}
	if x.pool.before != nil && !x.callBefore() {
		return
	}
	x.Call()
}

// callBefore calls the hook before a run, and reports whether the body is still to be called.
func (x *execution) callBefore() bool {
	c, p := x.Task, x.pool
	r := p.runOf(c)
	p.guard(x.Ctx, "before-run", r, func() { p.before(x.Ctx, r) })
	phase := c.Phase()
	if !phase.Settled() {
		return true
	}
	x.Err, x.Abrupt = future.ErrCancelled, false // cancelled by the hook, or it took too long
	if phase == cell.Failed {
		x.Err = x.Plan.Late
	}
	return false
}

// complete does what follows the end of the body without the lock. If a hook or handler ends the
// goroutine, that hook or handler is all that is cut short.
func (x *execution) complete() {
	if x.Over {
		return
	}
	x.Over = true
	if x.bare && x.Err == nil && x.concludeTiny() {
		return
	}
	if x.labels {
		defer x.pool.unlabel() // even if there were none: the body may have left some
	}
	if x.bare {
		x.concludeBare()
	} else {
		x.Conclude()
	}
	x.tell()
}

// tell calls the hook after a run, and tells of failures.
func (x *execution) tell() {
	if p := x.pool; p.after != nil {
		r := p.runOf(x.Task)
		defer p.guard(x.Ctx, "after-run", r, func() { p.after(x.Ctx, r, x.Err) })
	}
	x.Tell()
}

// account ends the run: it counts, and queues the next run of a series, or the next task of a
// serial executor. A series that may not go on it returns, for the caller to settle by endSeries
// without the lock. The lock is held.
func (x *execution) account() (refused *cell.Cell) {
	c, p := x.Task, x.pool
	x.Count()
	x.Forget()
	p.counts.busy--
	if x.outer != nil {
		p.waits.nested--
	}
	if x.bare {
		c.Body = nil
		return nil
	}
	pl := planOf(c)
	if when, repeats := x.Repeats(c, &pl.Plan, p.mayRepeat()); repeats {
		p.place(c, when)
		return nil
	}
	c.Body = nil
	if pl.strand != nil {
		p.advance(pl.strand)
	}
	if x.Again {
		return c
	}
	return nil
}

// endSeries settles a series that would go on, had it not been cancelled during its run, or the pool
// shut down.
func (p *Pool) endSeries(c *cell.Cell) {
	if !p.runs.Refuse(c, &planOf(c).Plan) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.returned++
}
