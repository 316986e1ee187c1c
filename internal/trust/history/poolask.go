package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// some returns a task that has a future, or nil.
func (l *poolLoad) some(c *client) (*poolTask, *future.Future[struct{}]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tasks) == 0 {
		return nil, nil
	}
	back := min(c.rng.IntN(len(l.tasks)), c.rng.IntN(len(l.tasks))) // rather a late one, which may not have begun
	t := l.tasks[len(l.tasks)-1-back]
	return t, t.future
}

func (l *poolLoad) cancel(c *client) {
	t, f := l.some(c)
	if f == nil {
		l.submit(c, PoolSubmit)
		return
	}
	cancel := f.Cancel
	if c.rng.IntN(2) == 0 {
		cancel = f.Stop
	}
	out := do(c, PoolInput{Op: PoolCancel, Task: t.number}, func() PoolOutput { return PoolOutput{OK: cancel()} })
	if out.OK {
		l.counts.cancelled.Add(1)
	}
}

func (l *poolLoad) get(c *client) {
	t, f := l.some(c)
	if f == nil {
		l.submit(c, PoolSubmit)
		return
	}
	do(c, PoolInput{Op: PoolGet, Task: t.number}, func() PoolOutput {
		_, err := f.Get(context.Background())
		switch {
		case err == nil:
			return PoolOutput{Answer: Done}
		case errors.Is(err, executor.ErrShutdown):
			return PoolOutput{Answer: IsShutdown}
		case err != future.ErrCancelled:
			l.fault("unexpected outcome of task %d: %v", t.number, err)
		}
		return PoolOutput{Answer: Cancelled}
	})
}

// stats asks how many tasks run and wait.
func (l *poolLoad) stats(c *client) (out PoolOutput) {
	return do(c, PoolInput{Op: PoolStats}, func() PoolOutput {
		s := l.pool.Stats()
		return PoolOutput{Busy: s.Busy, Queued: s.Queued}
	})
}

// queued asks what waits; tasks of Execute have no names.
func (l *poolLoad) queued() (out PoolOutput) {
	for _, p := range l.pool.Queued() {
		number, err := strconv.Atoi(p.Name)
		if err != nil {
			number = -1
		}
		out.Tasks = append(out.Tasks, number)
	}
	return out
}

// shut shuts the pool down, and asks those handed back who they are.
func (l *poolLoad) shut(c *client, op PoolOp) {
	do(c, PoolInput{Op: op}, func() (out PoolOutput) {
		if op == PoolShutdown {
			l.pool.Shutdown()
			return out
		}
		for _, p := range l.pool.ShutdownNow() {
			who := &identify{Context: context.Background(), task: -1}
			if p.Task == nil || p.Task(who) != nil || who.task < 0 {
				l.fault("handed back what was never submitted")
				continue
			}
			l.counts.returned.Add(1)
			out.Tasks = append(out.Tasks, who.task)
		}
		return out
	})
}

// audit compares the books of a pool that has terminated with what its clients have seen.
func (l *poolLoad) audit() {
	s, c := l.pool.Stats(), &l.counts
	got := fmt.Sprintf("%d accepted, %d rejected, %d cancelled, %d returned, %d completed, %d busy, %d queued, %d workers",
		s.Accepted, s.Rejected, s.Cancelled, s.Returned, s.Completed, s.Busy, s.Queued, s.Workers)
	accepted, cancelled, returned := c.accepted.Load(), c.cancelled.Load(), c.returned.Load()
	want := fmt.Sprintf("%d accepted, %d rejected, %d cancelled, %d returned, %d completed, 0 busy, 0 queued, 0 workers",
		accepted, c.rejected.Load(), cancelled, returned, accepted-cancelled-returned)
	if got != want {
		l.fault("the pool has counted %s, and not %s", got, want)
	}
}
