package eventloop

import (
	"context"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/failure"
)

// execution is the run of one task after another. Task is the lock's, and written by the loop only; the
// rest is the loop's goroutine's own.
//
//	idle -> started   start: the task is begun
//	started -> over   run has called the body, complete has told of its end
//	over -> idle      account: it counts, and a series is put on the agenda again
type execution struct {
	task *cell.Cell // being run, or run and not accounted for yet

	ctx   context.Context
	err   error
	ended int64 // when a run of a series ended
	over  bool  // the body has ended
	again bool  // the series goes on

	failed bool // the run has failed
	done   bool // the run was the last: the task has ended by it
}

// start begins a run of c, unless it has been cancelled. The lock is held.
func (l *Loop) start(c *cell.Cell, now int64) bool {
	if !c.Begin() {
		l.counts.buried++
		return false
	}
	c.Started = max(now, c.When)
	if pl := planOf(c); pl.Periodic() {
		c.When = pl.Start(c.When, now)
	}
	l.execution = execution{task: c, err: future.ErrGoexit} // until the body says otherwise
	return true
}

// run calls the body: the one place where a loop does so.
func (l *Loop) run() {
	x, pl := &l.execution, planOf(l.task)
	x.ctx = x.task.Enter(context.Background())
	if pl.Name != "" {
		label(pl.Base)
	}
	future.Invoke(x.ctx, x.task.Body, &x.err)
}

// complete does what follows the end of the body without the lock. If a handler ends the goroutine, that
// handler is all that is cut short.
func (l *Loop) complete() {
	if l.over {
		return
	}
	l.over = true
	if planOf(l.task).Name != "" {
		defer label(l.submitted.Base)
	}
	l.conclude()
	l.tell()
}

// conclude settles the future if this was the last run.
func (l *Loop) conclude() {
	x, pl := &l.execution, planOf(l.task)
	if x.task.Exit() {
		x.err = failure.Overrun(x.err)
	}
	if !pl.Periodic() {
		x.done = x.task.Finish(x.err)
		return
	}
	x.ended = l.clock.Now()
	x.again = !pl.Last() && (x.err == nil || pl.Tolerant())
	switch {
	case x.again:
	case pl.Tolerant():
		x.done = x.task.Finish(nil)
	default:
		x.done = x.task.Finish(x.err)
	}
}

// tell reports a failure that would be lost otherwise. What a cancelled run returns is no failure.
func (l *Loop) tell() {
	x, pl := &l.execution, planOf(l.task)
	if x.failed = x.err != nil && x.task.Phase() != cell.Cancelled; !x.failed {
		return
	}
	switch run := l.runOf(x.task); {
	case pl.reports, pl.Tolerant():
		l.report(run, x.err)
	case x.done && pl.Periodic():
		l.seriesEnded(run, x.err)
	}
}

// account ends the run: it counts, and the next run of a series is put on the agenda. The lock is held,
// but let go to settle a series that may not go on.
func (l *Loop) account() {
	c := l.task
	l.task, l.ctx, l.err = nil, nil, nil
	l.counts.runs++
	if l.failed {
		l.counts.failures++
	}
	if l.done && planOf(c).ends() {
		l.counts.completed++
	}
	if l.stage == quieting {
		l.calm.from = l.clock.Now()
	}
	if l.again && l.stage == running && c.Reset() {
		l.repeat(c)
		return
	}
	c.Body = nil
	if l.again {
		l.endSeries(c)
	}
}

// repeat puts the next run of c on the agenda. Among tasks of equal time it is the last. The lock is held.
func (l *Loop) repeat(c *cell.Cell) {
	l.order++
	c.Order, c.When = l.order, planOf(c).Next(l.ended)
	l.agenda.heap.Push(c.When, c)
}

// endSeries settles a series that would go on, had it not been cancelled during its run, or the loop shut
// down. The lock is held, but not meanwhile.
func (l *Loop) endSeries(c *cell.Cell) {
	l.mu.Unlock()
	dropped := c.Drop()
	c.Finish(nil)
	l.mu.Lock()
	if dropped && planOf(c).ends() {
		l.counts.returned++
	}
}
