package driver

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

// Own returns the names of the systems of this module.
func Own() []string {
	var names []string
	for _, s := range punctual() {
		names = append(names, s.Name)
	}
	return names
}

// punctual returns the systems of this module.
func punctual() []System {
	return append([]System{
		{
			Name: "pool", Title: "executor.ScheduledPool",
			About: "two workers; fan-out by InvokeAll; bounded by PendingLimit, with Block",
			can:   submits | schedules | repeats | serves | tells | opens | bounds,
			open:  func() session { return openScheduledPool() },
			serve: openServingPool,
			bound: func(capacity int) session {
				return openScheduledPool(executor.PendingLimit(capacity), executor.OnRejection(rejection.Block))
			},
		},
		{
			Name: "exact", Title: "executor.ScheduledPool, Slack(0)",
			About: "two workers; no run waits so that wake-ups can be shared",
			can:   repeats, without: []string{"allocations"},
			open: func() session { return openScheduledPool(executor.Slack(0)) },
		},
		{
			Name: "relaxed", Title: "executor.ScheduledPool, Slack(1 ms)",
			About: "two workers; a run may wait for a millisecond, so that wake-ups can be shared",
			can:   repeats, without: []string{"allocations"},
			open: func() session { return openScheduledPool(executor.Slack(time.Millisecond)) },
		},
		{
			Name: "watched", Title: "executor.ScheduledPool, Watch and Observe",
			About: "two workers; histograms, and an observer of the beginning and the end of each run",
			can:   schedules | repeats,
			open:  func() session { return openScheduledPool(executor.Watch(insight.Config{}), observer()) },
		},
		{
			Name: "fixed", Title: "executor.FixedPool",
			About: "two workers; fan-out by InvokeAll; bounded by queue.Bounded, with Block",
			can:   submits | bounds, open: func() session { return openFixedPool() },
			bound: func(capacity int) session {
				return openFixedPool(executor.Queue(queue.Bounded(capacity)), executor.OnRejection(rejection.Block))
			},
		},
		{
			Name: "loop", Title: "executor/eventloop",
			About: "one goroutine; fan-out by Submit and Get",
			can:   submits | schedules | repeats | opens, open: openLoop,
		},
	}, timers()...)
}

// observer is told of each run, and does nothing.
func observer() executor.Option {
	return executor.Observe(executor.Observer{
		Began: func(context.Context, executor.Run) context.Context { return nil },
		Ended: func(context.Context, executor.Run, error) {},
	})
}

// bare returns f as a task.
func bare(f func()) executor.Task {
	return func(context.Context) error { f(); return nil }
}

// valued returns f as a task with a result.
func valued(f func() int) future.Func[int] {
	return func(context.Context) (int, error) { return f(), nil }
}

func openFixedPool(opts ...executor.Option) session {
	p := executor.NewPool(workers, opts...)
	p.PrestartWorkers()
	return submitting(p)
}

// submitting is what all pools can do.
func submitting(p *executor.Pool) session {
	return session{
		execute: func(f func()) func() {
			task := bare(f)
			return func() { must(p.Execute(task)) }
		},
		ask: func(f func() int) func() int {
			task := valued(f)
			return func() int { return got(got(executor.Submit(p, task)).Get(context.Background())) }
		},
		fan: func(f func() int, width int) func() {
			tasks := make([]future.Func[int], width)
			for i := range tasks {
				tasks[i] = valued(f)
			}
			return func() { got(executor.InvokeAll(context.Background(), p, tasks...)) }
		},
		shutdown: func([]stopper) {
			p.ShutdownNow()
			<-p.Terminated()
		},
	}
}

// openServingPool opens a pool with an error handler and a hook.
func openServingPool() session {
	return openScheduledPool(
		executor.ErrorHandler(func(context.Context, executor.Run, error) {}),
		executor.AfterRun(func(context.Context, executor.Run, error) {}),
	)
}

func openScheduledPool(opts ...executor.Option) session {
	p := executor.NewScheduledPool(workers, opts...)
	p.PrestartWorkers()
	s := submitting(&p.Pool)
	s.after = func(f func()) func(d time.Duration) stopper {
		task := bare(f)
		return func(d time.Duration) stopper { return got(p.Schedule(d, task)) }
	}
	s.heed = func(f func()) func() {
		task := func(ctx context.Context) error {
			if ctx.Err() == nil {
				f()
			}
			return nil
		}
		return func() { must(p.Execute(task)) }
	}
	s.every = func(first, period time.Duration, f func()) {
		got(p.AtFixedRate(first, period, bare(f)))
	}
	return s
}

func openLoop() session {
	l := eventloop.New()
	return session{
		execute: func(f func()) func() {
			task := bare(f)
			return func() { must(l.Execute(task)) }
		},
		ask: func(f func() int) func() int {
			task := valued(f)
			return func() int { return got(got(eventloop.Submit(l, task)).Get(context.Background())) }
		},
		fan: func(f func() int, width int) func() {
			task, futures := valued(f), make([]*future.Future[int], width)
			return func() {
				for i := range futures {
					futures[i] = got(eventloop.Submit(l, task))
				}
				for _, result := range futures {
					got(result.Get(context.Background()))
				}
			}
		},
		after: func(f func()) func(d time.Duration) stopper {
			task := bare(f)
			return func(d time.Duration) stopper { return got(l.Schedule(d, task)) }
		},
		every: func(first, period time.Duration, f func()) {
			got(l.AtFixedRate(first, period, bare(f)))
		},
		shutdown: func([]stopper) {
			l.ShutdownNow()
			<-l.Terminated()
		},
	}
}
