package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// pendingOf describes c, which the caller has dropped; so nobody else reads or writes its fields
// now.
func (l *Loop) pendingOf(c *cell.Cell) executor.Pending {
	pl := planOf(c)
	pending := executor.Pending{
		Name:     pl.Name,
		Periodic: pl.Periodic(),
		Runs:     pl.Runs,
		Task:     c.Body,
	}
	if c.When != clock.Never { // otherwise it has no time
		pending.Scheduled = l.runs.NextLocked(c, pl)
	}
	return pending
}

// Running returns the task that is running now; the slice is empty if there is none.
func (l *Loop) Running() []executor.Running {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.worker.runningLocked()
}

func (w *worker) runningLocked() []executor.Running {
	c := w.exec.Task
	if c == nil {
		return nil
	}
	run := executor.Run(w.loop.runs.DescribeLocked(c, planOf(c)))
	return []executor.Running{{Run: run, For: time.Since(run.Started)}}
}
