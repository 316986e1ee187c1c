package eventloop

import (
	"runtime/pprof"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// startLocked begins a run of c and reports true, unless c has been cancelled.
func (l *Loop) startLocked(c *cell.Cell, now int64) bool {
	if !l.exec.Start(c, planOf(c), now) {
		l.counts.reclaimed++
		return false
	}
	return true
}

// run calls the body. No other place in a loop calls user code of a task.
func (l *Loop) run() {
	l.exec.Prepare()
	if l.exec.Skip() {
		return
	}
	l.exec.Enter()
	l.exec.Plan.SetLabels()
	if !l.runs.Watched {
		l.exec.Call()
		return
	}
	// The body is the task's: if an observer ends the goroutine, it is called on the way out.
	defer l.callBody()
	l.exec.Begin()
}

// callBody calls the body after observers, if there are any.
func (l *Loop) callBody() {
	if !l.runs.Observed {
		l.exec.Call()
		return
	}
	l.exec.CallUnlessSettled()
}

// complete does, without the lock, what follows the end of a body: it ends the run's context,
// settles the future after a last run, and reports a failure. Over is set first, so if a handler
// ends the goroutine, replace finds the run completed and only that handler is cut short.
func (l *Loop) complete() {
	if l.exec.Over {
		return
	}
	l.exec.Over = true
	// The body may have set labels, even if its task has no name.
	defer pprof.SetGoroutineLabels(l.labels)
	defer l.tell() // also if somebody who watches the future ends the goroutine
	l.exec.Conclude()
}

// tell reports a failure, and then tells observers of the end.
func (l *Loop) tell() {
	if l.runs.Watched {
		defer l.exec.Finish()
	}
	l.exec.Tell()
}

// accountLocked is endLocked for a run of the loop's goroutine.
func (l *Loop) accountLocked() (refused *cell.Cell) {
	_, refused = l.endLocked(&l.exec)
	if l.heeds {
		l.heedLocked()
	}
	return refused
}

// endLocked ends a completed run: it counts the run, and puts the next run of a series on the
// agenda; when tells when that is due. A series that wants another run and may not have it is
// returned; the caller settles it with endSeries, without the lock.
func (l *Loop) endLocked(x *run.Execution) (when int64, refused *cell.Cell) {
	c := x.Task
	x.Count()
	x.Forget()
	when, repeats := x.Repeats(c, planOf(c), l.mayRepeatLocked(planOf(c)))
	if repeats {
		l.repeatLocked(c, when)
		return when, nil
	}
	c.Body = nil
	letGoLocked(c)
	if x.Again {
		return 0, c
	}
	l.runs.EndedLocked(c)
	return 0, nil
}

// heedLocked is called at the end of a run, if the loop heeds that.
func (l *Loop) heedLocked() {
	// The quiet period starts over at the end of each run.
	if l.stage == quieting {
		l.calm.from = l.clock.Now()
	}
	l.runs.RecheckShortageLocked()
}

// letGoLocked drops what only a series that goes on needs.
func letGoLocked(c *cell.Cell) {
	if pl := planOf(c); pl.Periodic() { // else the plan may be that of others, too
		pl.LetGo()
	}
}

// mayRepeatLocked reports whether a task may wait for its next run or attempt.
func (l *Loop) mayRepeatLocked(pl *run.Plan) bool {
	if pl.Periodic() {
		return l.stage == running
	}
	return l.stage < stopping && !l.calm.dropDelayed
}

// requeueLocked moves a waiting task to another time, as if it had just been submitted for that. It
// reports false if the task may not be put off any more.
func (l *Loop) requeueLocked(c *cell.Cell, when, now int64) (moved bool, then func()) {
	l.collectLocked()
	if l.stage != running && !l.wantedUntilLocked(c, when, now) || !l.agenda.extract(c) {
		return false, nil
	}
	l.repeatLocked(c, when)
	return true, func() { l.signal(when) }
}

// repeatLocked puts the next run of c on the agenda, behind all tasks of the same time. It goes to
// the heap: the line is for tasks that are due as they arrive.
func (l *Loop) repeatLocked(c *cell.Cell, when int64) {
	l.order++
	c.Order, c.When = l.order, when
	l.agenda.heap.Push(c.When, c)
}

// endSeries settles a series that would have gone on, had it not been cancelled during its run, or
// the loop shut down.
func (l *Loop) endSeries(c *cell.Cell) {
	l.runs.Refuse(c, planOf(c), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.counts.returned++
	})
}
