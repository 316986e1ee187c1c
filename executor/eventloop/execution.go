package eventloop

import (
	"runtime/pprof"

	"github.com/punctual-go/punctual/internal/cell"
)

// start begins a run of c, unless it has been cancelled. The lock is held.
func (l *Loop) start(c *cell.Cell, now int64) bool {
	if !l.exec.Start(c, planOf(c), now) {
		l.counts.buried++
		return false
	}
	return true
}

// run calls the body: the one place where a loop does so.
func (l *Loop) run() {
	l.exec.Prepare()
	l.exec.Enter()
	l.exec.Plan.SetLabels()
	l.exec.Call()
}

// complete does what follows the end of the body without the lock. If a handler ends the goroutine, that
// handler is all that is cut short.
func (l *Loop) complete() {
	if l.exec.Over {
		return
	}
	l.exec.Over = true
	defer pprof.SetGoroutineLabels(l.labels) // even of no name: the body may have left some
	l.exec.Conclude()
	l.exec.Tell()
}

// account ends the run: it counts, and the next run of a series is put on the agenda. A series that may
// not go on it returns, for the caller to settle by endSeries without the lock. The lock is held.
func (l *Loop) account() (refused *cell.Cell) {
	c := l.exec.Task
	l.exec.Count()
	l.exec.Forget()
	if l.stage == quieting {
		l.calm.from = l.clock.Now()
	}
	if when, repeats := l.exec.Repeats(c, planOf(c), l.stage == running); repeats {
		l.repeat(c, when)
		return nil
	}
	c.Body = nil
	if l.exec.Again {
		return c
	}
	return nil
}

// repeat puts the next run of c on the agenda. Among tasks of equal time it is the last. The lock is held.
func (l *Loop) repeat(c *cell.Cell, when int64) {
	l.order++
	c.Order, c.When = l.order, when
	l.agenda.heap.Push(c.When, c)
}

// endSeries settles a series that would go on, had it not been cancelled during its run, or the loop shut
// down.
func (l *Loop) endSeries(c *cell.Cell) {
	if !l.runs.Refuse(c, planOf(c)) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.returned++
}
