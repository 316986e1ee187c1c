package differential

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer"
)

func (r *trial) command(i int, c command) error {
	switch {
	case r.kind == timed:
		return r.timerCommand(i, c)
	case c.task():
		return r.submit(i, c)
	}
	switch c.op {
	case cancel:
		if f := r.futures[c.n[0]]; f != nil {
			stop := f.Stop
			if c.n[1] == 1 {
				stop = f.Cancel
			}
			r.result("c", i, fmt.Sprintf("=%d", one(stop())))
		}
	case shutdown:
		r.plain.Shutdown()
	case shutdownNow:
		r.shutdownNow(i)
	case query:
		s := r.plain.Stats()
		r.result("q", i, fmt.Sprintf("=%d,%d", s.Busy, s.Queued))
	}
	return nil
}

func (r *trial) submit(i int, c command) error {
	name := executor.Name(strconv.Itoa(i))
	switch c.op {
	case execute:
		return r.plain.Execute(r.body(i, c.n[1], c.n[2], c.n[3]), name, executor.Priority(c.n[4]))
	case once:
		return r.submitOnce(i, c)
	}
	begin := r.pool.AtFixedRate
	if c.op == delay {
		begin = r.pool.WithFixedDelay
	}
	f, err := begin(time.Duration(c.n[0])*grid, time.Duration(c.n[1])*grid,
		r.body(i, c.n[2], c.n[3], c.n[4]), executor.FailurePolicy(executor.StopSeries), name)
	if err == nil {
		r.futures[i] = f.Future
	}
	return err
}

func (r *trial) submitOnce(i int, c command) error {
	name, body := executor.Name(strconv.Itoa(i)), r.body(i, c.n[1], c.n[2], c.n[3])
	if r.kind == scheduled {
		f, err := r.pool.Schedule(time.Duration(c.n[0])*grid, body, name)
		if err == nil {
			r.futures[i] = f.Future
		}
		return err
	}
	f, err := r.plain.Submit(body, name, executor.Priority(c.n[4]))
	if err == nil {
		r.futures[i] = f
	}
	return err
}

func (r *trial) shutdownNow(i int) {
	var left []int
	for _, p := range r.plain.ShutdownNow() {
		n, _ := strconv.Atoi(p.Name)
		left = append(left, n)
	}
	if r.kind == scheduled || r.queue == priority {
		slices.Sort(left)
	}
	r.result("n", i, "="+strings.ReplaceAll(fmt.Sprint(left), " ", ","))
}

func (r *trial) timerCommand(i int, c command) (err error) {
	first, period := time.Duration(c.n[0])*grid, time.Duration(c.n[1])*grid
	switch c.op {
	case once:
		return r.armed(i, r.timer.Schedule(r.timerTask(i, c.n[1], c.n[2]), first))
	case rate:
		return r.armed(i, r.timer.AtFixedRate(r.timerTask(i, c.n[2], c.n[3]), first, period))
	case delay:
		return r.armed(i, r.timer.Repeat(r.timerTask(i, c.n[2], c.n[3]), first, period))
	case cancel:
		if task := r.tasks[c.n[0]]; task != nil {
			r.result("c", i, fmt.Sprintf("=%d", one(task.Cancel())))
		}
	case shutdown:
		r.result("p", i, fmt.Sprintf("=%d", r.timer.Purge()))
	case shutdownNow:
		r.timer.Cancel()
	}
	return nil
}

// timerTask panics where Java's throws: both kill their timer.
func (r *trial) timerTask(i, length, failAt int) *timer.Task {
	run := r.body(i, length, failAt, 1)
	r.tasks[i] = timer.NewTask(func() {
		if err := run(context.Background()); err != nil {
			panic(err)
		}
	})
	return r.tasks[i]
}

// armed forgets the task of a command that was refused.
func (r *trial) armed(i int, err error) error {
	if err != nil {
		delete(r.tasks, i)
	}
	return err
}

var errTold = errors.New("as told")

// body is what a task does: it lasts until an instant of the grid, so that lateness does not add
// up, and of the class in which bodies end.
func (r *trial) body(i, length, failAt, deaf int) executor.Task {
	runs := 0
	return func(ctx context.Context) error {
		r.late()
		at := r.event("s", i)
		runs++
		until := next(at+length-1, ending)
		end := time.NewTimer(time.Until(r.begun.Add(time.Duration(until) * grid)))
		defer end.Stop()
		if deaf == 1 {
			ctx = context.Background()
		}
		select {
		case <-end.C:
			r.late()
		case <-ctx.Done():
		}
		r.event("e", i)
		if runs == failAt {
			return errTold
		}
		return nil
	}
}
