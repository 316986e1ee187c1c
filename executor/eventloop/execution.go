package eventloop

import (
	"runtime/pprof"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// run calls the body. No other place in a loop calls user code of a task.
func (w *worker) run() {
	if !w.exec.Prepare() {
		return
	}
	w.exec.Enter()
	if w.exec.Plan.Labels != nil {
		pprof.SetGoroutineLabels(w.exec.Plan.Labels)
	}
	if !w.loop.runs.Watched {
		w.exec.Call()
		return
	}
	// The body is the task's: if an observer ends the goroutine, it is called on the way out.
	defer w.callBody()
	w.exec.Begin()
}

// callBody calls the body after observers, if there are any.
func (w *worker) callBody() {
	if !w.loop.runs.Observed {
		w.exec.Call()
		return
	}
	w.exec.CallUnlessSettled()
}

// complete does, without the lock, what follows the end of a body: it ends the run's context,
// settles the future after a last run, and reports a failure. Over is set first, so if a handler
// ends the goroutine, replace finds the run completed and only that handler is cut short.
func (w *worker) complete() {
	if w.exec.Over {
		return
	}
	w.exec.Over = true
	// The body may have set labels, even if its task has no name.
	defer pprof.SetGoroutineLabels(w.labels)
	defer w.tell() // also if somebody who watches the future ends the goroutine
	w.exec.Conclude()
}

// tell reports a failure, and then tells observers of the end.
func (w *worker) tell() {
	if w.loop.runs.Watched {
		defer w.exec.Finish()
	}
	w.exec.Tell()
}

// accountLocked is endLocked for a run of the loop's goroutine.
func (w *worker) accountLocked() (refused *cell.Cell) {
	_, refused = w.loop.endLocked(&w.exec)
	if w.heeds {
		w.heedLocked()
	}
	return refused
}

// endLocked ends a completed run: it counts the run, and puts the next run of a series on the
// agenda; when tells when that is due. A series that wants another run and may not have it is
// returned; the caller settles it with endSeries, without the lock.
func (l *Loop) endLocked(x *run.Execution) (when int64, refused *cell.Cell) {
	c := x.Task
	x.Count()
	when, repeats := x.Repeats(c, planOf(c), (*host)(l).MayRepeatLocked(planOf(c)))
	if repeats {
		l.waiting.repeatLocked(c, when)
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
func (w *worker) heedLocked() {
	// The quiet period starts over at the end of each run.
	if w.loop.life.stage == quieting {
		w.loop.life.calm.from = w.loop.clock.Now()
	}
	w.loop.runs.RecheckShortageLocked()
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
