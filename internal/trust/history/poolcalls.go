package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// someTask returns a task that has a future, or nil.
func (w *poolWorkload) someTask(c *client) (*poolTask, *future.Future[struct{}]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.tasks) == 0 {
		return nil, nil
	}
	// rather a late one, which may not have begun
	back := min(c.rng.IntN(len(w.tasks)), c.rng.IntN(len(w.tasks)))
	t := w.tasks[len(w.tasks)-1-back]
	return t, t.future
}

func (w *poolWorkload) cancel(c *client) {
	t, f := w.someTask(c)
	if f == nil {
		w.submit(c, PoolSubmit)
		return
	}
	cancel := f.Cancel
	if c.rng.IntN(2) == 0 {
		cancel = f.Stop
	}
	out := do(c, PoolInput{Op: PoolCancel, Task: t.number},
		func() PoolOutput { return PoolOutput{OK: cancel()} })
	if out.OK {
		w.counts.cancelled.Add(1)
	}
}

// command withdraws a task, or gives one that was scheduled another time.
func (w *poolWorkload) command(c *client) {
	t, f := w.someTask(c)
	if f == nil {
		w.submit(c, PoolSubmit)
		return
	}
	if t.timed != nil && c.rng.IntN(4) > 0 {
		in := PoolInput{Op: PoolReset, Task: t.number}
		in.Delay = time.Duration(max(0, c.rng.IntN(20)-8)) * time.Microsecond
		do(c, in, func() PoolOutput { return PoolOutput{OK: t.timed.Reset(in.Delay)} })
		return
	}
	out := do(c, PoolInput{Op: PoolWithdraw, Task: t.number},
		func() PoolOutput { return PoolOutput{OK: f.Withdraw()} })
	if out.OK {
		w.counts.cancelled.Add(1)
	}
}

// pause pauses the pool for a while. It resumes it in any case, as others wait for tasks.
func (w *poolWorkload) pause(c *client) {
	do(c, PoolInput{Op: PoolPause}, func() (out PoolOutput) {
		w.pool.Pause()
		return out
	})
	for range c.rng.IntN(3) {
		w.stats(c)
	}
	do(c, PoolInput{Op: PoolResume}, func() PoolOutput { return PoolOutput{OK: w.pool.Resume()} })
}

func (w *poolWorkload) get(c *client) {
	t, f := w.someTask(c)
	if f == nil {
		w.submit(c, PoolSubmit)
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
			w.fault("unexpected outcome of task %d: %v", t.number, err)
		}
		return PoolOutput{Answer: Cancelled}
	})
}

// stats asks how many tasks run and wait.
func (w *poolWorkload) stats(c *client) (out PoolOutput) {
	return do(c, PoolInput{Op: PoolStats}, func() PoolOutput {
		s := w.pool.Stats()
		return PoolOutput{Busy: s.Busy, Queued: s.Queued}
	})
}

// queued asks what waits; tasks of Execute have no names.
func (w *poolWorkload) queued() (out PoolOutput) {
	for _, p := range w.pool.Queued() {
		number, err := strconv.Atoi(p.Name)
		if err != nil {
			number = -1
		}
		out.Tasks = append(out.Tasks, number)
	}
	return out
}

// shutDown shuts the pool down, and asks those handed back who they are.
func (w *poolWorkload) shutDown(c *client, op PoolOp) {
	do(c, PoolInput{Op: op}, func() (out PoolOutput) {
		if op == PoolShutdown {
			w.pool.Shutdown()
			return out
		}
		for _, p := range w.pool.ShutdownNow() {
			who := &identityContext{Context: context.Background(), task: -1}
			if p.Task == nil || p.Task(who) != nil || who.task < 0 {
				w.fault("handed back what was never submitted")
				continue
			}
			w.counts.returned.Add(1)
			out.Tasks = append(out.Tasks, who.task)
		}
		return out
	})
}

// audit compares the statistics of a pool that has terminated with what its clients have seen.
func (w *poolWorkload) audit() {
	s, c := w.pool.Stats(), &w.counts
	const counts = "%d accepted, %d rejected, %d cancelled, %d returned, %d completed, " +
		"%d busy, %d queued, %d workers"
	got := fmt.Sprintf(counts,
		s.Accepted, s.Rejected, s.Cancelled, s.Returned, s.Completed, s.Busy, s.Queued, s.Workers)
	accepted, cancelled, returned := c.accepted.Load(), c.cancelled.Load(), c.returned.Load()
	want := fmt.Sprintf(counts,
		accepted, c.rejected.Load(), cancelled, returned, accepted-cancelled-returned, 0, 0, 0)
	if got != want {
		w.fault("the pool has counted %s, and not %s", got, want)
	}
}
