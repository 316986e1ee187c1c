package figures_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/timer/cron"
)

var (
	errBroken           = errors.New("broken")
	everyOtherSecond, _ = cron.ParseSeconds("*/2 * * * * *")
)

// life is a random program on one executor. Its seed fixes it.
type life struct {
	*rand.Rand
	exec    facility
	handles []func() // commands to tasks that have been accepted
	ctx     context.Context
}

// facility is what the programs use of pools and loops.
type facility struct {
	executor.Submitter
	execute   func(task executor.Task, opts ...executor.TaskOption) error
	scheduler scheduler
	pool      *executor.Pool
	scheduled *executor.ScheduledPool
	serials   []*serial.Serial
}

// scheduler is what scheduled pools and loops have in common.
type scheduler interface {
	Schedule(delay time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	Every(period time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	WithFixedDelay(initial, delay time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	On(calendar executor.Calendar, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
}

// one reports true once in n times.
func (l *life) one(n int) bool { return l.IntN(n) == 0 }

// span returns a time of up to most, often of whole seconds, so that several things happen at once.
func (l *life) span(most time.Duration) time.Duration {
	if l.one(3) {
		return time.Duration(l.Int64N(int64(most)))
	}
	return time.Duration(l.Int64N(int64(most/time.Second)+1)) * time.Second
}

// body returns a task that takes its time, and ends in some way.
func (l *life) body() executor.Task {
	takes, heeds, modes := l.span(4*time.Second), l.one(2), l.Perm(4)
	alternates := l.one(2)
	runs := 0
	return func(ctx context.Context) error {
		runs++
		if heeds {
			select {
			case <-time.After(takes):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		} else {
			time.Sleep(takes)
		}
		mode := modes[0]
		if alternates {
			mode = modes[runs%2]
		}
		switch mode {
		case 0:
			panic("wanted")
		case 1:
			runtime.Goexit()
		case 2:
			return errBroken
		}
		return nil
	}
}

// options returns options that any task may have.
func (l *life) options() (opts []executor.TaskOption) {
	if !l.one(4) {
		opts = append(opts, executor.Name(fmt.Sprint("task-", l.IntN(5))))
		if l.exec.pool != nil && l.one(5) {
			opts = append(opts, executor.Unique())
		}
	}
	if l.one(3) {
		opts = append(opts, executor.Timeout(l.span(3*time.Second)+time.Millisecond))
	}
	if l.one(3) {
		opts = append(opts, executor.Retry(1+l.IntN(3), retry.Backoff{Base: l.span(2 * time.Second)}))
	}
	if l.one(6) {
		opts = append(opts, executor.BeginWithin(l.span(2*time.Second)+time.Millisecond))
	}
	if l.one(6) {
		opts = append(opts, executor.Expect(insight.SuccessWithin(l.span(5*time.Second)+time.Second)))
	}
	if l.one(6) {
		ctx, cancel := context.WithCancel(l.ctx)
		l.handles = append(l.handles, cancel)
		opts = append(opts, executor.WithContext(ctx))
	}
	return opts
}

// seriesOptions returns options that a series may have. Calendars have no period to be stretched.
func (l *life) seriesOptions() []executor.TaskOption {
	opts := append(l.options(), executor.FailurePolicy(executor.ErrorPolicy(l.IntN(3))))
	if l.one(3) {
		opts = append(opts, executor.MaxRuns(1+l.IntN(4)))
	}
	if l.one(3) {
		opts = append(opts, executor.PauseAfter(1+l.IntN(3)))
	}
	if l.one(4) {
		opts = append(opts, executor.Until(time.Now().Add(l.span(20*time.Second)+10*time.Second)))
	}
	if l.one(4) {
		left := l.IntN(4)
		opts = append(opts, executor.DelayBy(func(executor.LastRun) (time.Duration, bool) {
			left--
			return time.Second, left >= 0
		}))
	}
	return opts
}

// accepted keeps the commands of a task.
func (l *life) accepted(f *executor.ScheduledFuture[struct{}], err error) {
	if err != nil {
		return
	}
	l.handles = append(l.handles,
		func() { f.Cancel() }, func() { f.Stop() }, func() { f.Pause() }, func() { f.Resume() },
		func() { f.Trigger() }, func() { f.Reset(time.Second) })
}

// submit gives the executor a task for now.
func (l *life) submit() {
	if l.one(3) {
		_ = l.exec.execute(l.body(), l.options()...)
		return
	}
	to := l.exec.Submitter
	if n := len(l.exec.serials); n > 0 && l.one(2) {
		to = l.exec.serials[l.IntN(n)]
	}
	if f, err := to.Submit(l.body(), l.options()...); err == nil {
		l.handles = append(l.handles, func() { f.Cancel() }, func() { f.Stop() })
	}
}

// schedule gives the executor a task with a time.
func (l *life) schedule() {
	s := l.exec.scheduler
	switch l.IntN(6) {
	case 4:
		l.accepted(s.Every(time.Second+l.span(3*time.Second), l.body(), l.seriesOptions()...))
	case 0:
		l.accepted(s.Schedule(l.span(5*time.Second), l.body(), l.options()...))
	case 1:
		l.accepted(s.AtFixedRate(l.span(2*time.Second), time.Second+l.span(3*time.Second), l.body(),
			append(l.seriesOptions(), executor.CatchUp(executor.CatchUpPolicy(l.IntN(4))))...))
	case 2:
		l.accepted(s.WithFixedDelay(l.span(2*time.Second), time.Second+l.span(3*time.Second), l.body(),
			l.seriesOptions()...))
	case 3:
		l.accepted(s.On(everyOtherSecond, l.body(), l.seriesOptions()...))
	default:
		if n := len(l.exec.serials); n > 0 {
			l.accepted(l.exec.serials[l.IntN(n)].Schedule(l.span(3*time.Second), l.body(),
				l.options()...))
		}
	}
}

// command does something to a task that has been accepted, or to the executor.
func (l *life) command() {
	switch p := l.exec.pool; {
	case p != nil && l.one(10):
		p.Drain()
	case p != nil && l.one(10):
		p.PauseUntil(time.Now().Add(l.span(3 * time.Second)))
	case len(l.handles) > 0:
		l.handles[l.IntN(len(l.handles))]()
	}
}

// work does a number of things, with time between them.
func (l *life) work() {
	for range 4 + l.IntN(12) {
		switch {
		case l.one(3):
			l.command()
		case l.exec.scheduled != nil && l.one(8):
			l.apply()
		case l.exec.scheduler != nil && l.one(2):
			l.schedule()
		default:
			l.submit()
		}
		if l.one(2) {
			time.Sleep(l.span(3 * time.Second))
		}
	}
}

// apply makes some jobs the ones that the pool has.
func (l *life) apply() {
	var jobs []executor.Job
	for _, name := range []string{"job-0", "job-1", "task-0"} {
		if l.one(2) {
			jobs = append(jobs, executor.Job{Name: name, Task: l.body(), Version: fmt.Sprint(l.IntN(2)),
				Rate: time.Second * time.Duration(1+l.IntN(2)), Options: l.jobOptions()})
		}
	}
	_, _ = l.exec.scheduled.Apply(jobs...)
}

func (l *life) jobOptions() []executor.TaskOption {
	if l.one(2) {
		return nil
	}
	return []executor.TaskOption{executor.Timeout(time.Second), executor.Retry(2, retry.Backoff{}),
		executor.Expect(insight.SuccessWithin(3 * time.Second))}
}
