package eventloop

import (
	"context"
	"runtime/pprof"

	"github.com/punctual-go/punctual/executor"
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
	token *cell.Token // the context of a run of a series
	err   error
	ended int64 // when a run of a series ended
	over  bool  // the body has ended
	again bool  // the series goes on

	abrupt bool // the body has not returned: it has panicked, or called Goexit
	told   bool // the run has outlived its time-out, and that has been told and counted
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
	l.execution = execution{task: c, err: future.ErrGoexit, abrupt: true} // until the body says otherwise
	return true
}

// run calls the body: the one place where a loop does so.
func (l *Loop) run() {
	x, pl := &l.execution, planOf(l.task)
	if pl.Periodic() {
		x.token = l.tokens.Next()
		x.ctx = x.task.EnterAs(x.token)
	} else {
		x.ctx = x.task.Enter(context.Background())
	}
	if pl.Name != "" {
		pprof.SetGoroutineLabels(pl.Base)
	}
	x.abrupt = !future.Invoke(x.ctx, x.task.Body, &x.err)
}

// complete does what follows the end of the body without the lock. If a handler ends the goroutine, that
// handler is all that is cut short.
func (l *Loop) complete() {
	if l.over {
		return
	}
	l.over = true
	defer pprof.SetGoroutineLabels(l.labels) // even of no name: the body may have left some
	l.conclude()
	l.tell()
}

// conclude settles the future if this was the last run.
func (l *Loop) conclude() {
	x, pl := &l.execution, planOf(l.task)
	if x.token != nil {
		x.token.End()
	}
	if late := x.task.Exit(); pl.Timeout > 0 && l.overran(late) {
		x.err = failure.Overrun(pl.Late, x.err)
	}
	if pl.Periodic() {
		x.ended = l.clock.Now()
	}
	switch survives := pl.Periodic() && x.err == nil || pl.Survives(x.abrupt); {
	case !survives:
		if x.done = x.task.Finish(x.err); x.done && !pl.Survives(false) {
			x.told = false // the time-out was about to settle it, and has come too late
		}
	case pl.Last():
		x.done = x.task.Finish(nil)
	default:
		x.again = true
	}
}

// overran reports whether the run has outlived its time-out, which is told by [host.Expired] before
// this, or by tell.
func (l *Loop) overran(late bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = planOf(l.task).End()
	return late || l.told
}

// tell reports what would be lost otherwise, and every panic. What a cancelled run returns is no
// failure.
func (l *Loop) tell() {
	x, pl := &l.execution, planOf(l.task)
	x.failed = x.err != nil && x.task.Phase() != cell.Cancelled
	switch {
	case x.err == nil && pl.Streak.Len() > 0:
		l.seriesRecovers(pl, l.runOf(x.task))
	case !x.failed && !x.abrupt:
	case x.failed && pl.reports:
		l.report(l.runOf(x.task), x.err)
	case x.failed && pl.Survives(x.abrupt):
		l.goOn(l.runOf(x.task))
	case x.done && pl.Periodic():
		l.seriesEnded(l.runOf(x.task), x.err)
	case x.abrupt:
		l.report(l.runOf(x.task), x.err)
	}
}

// goOn tells of a failed run of a series that goes on, unless that is known.
func (l *Loop) goOn(run executor.Run) {
	x, streak := &l.execution, &planOf(l.task).Streak
	notable := !x.told && streak.Fail()
	notable = x.abrupt && streak.Panic() || notable
	if !x.told || x.abrupt {
		l.runFailed(run, x.err, streak.Len(), notable)
	}
}

// account ends the run: it counts, and the next run of a series is put on the agenda. The lock is held,
// but let go to settle a series that may not go on.
func (l *Loop) account() {
	c := l.task
	l.task, l.ctx, l.err, l.token = nil, nil, nil, nil
	l.counts.runs++
	if l.failed && !l.told {
		l.counts.failures++
	}
	if l.done {
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
	if dropped {
		l.counts.returned++
	}
}
