package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

func punctualPool() system {
	return system{
		name:  "punctual",
		about: "a ScheduledPool; PendingLimit for a bound; Cancel, and Withdraw for what has not begun",
		says:  documents{due: runs, later: runs},
		open:  openPunctual,
	}
}

func openPunctual(workers, bound int) (facility, error) {
	opts := []executor.Option{executor.Logger(slog.New(slog.DiscardHandler))}
	if bound > 0 {
		opts = append(opts, executor.PendingLimit(bound))
	}
	p := executor.NewScheduledPool(workers, opts...)
	return facility{
		execute: func(task func()) (handle, error) {
			f, err := p.Submit(plain(task))
			return punctualHandle(f), err
		},
		after: func(d time.Duration, task func()) (handle, error) {
			return punctualTask(p.Schedule(d, plain(task)))
		},
		rate: func(first, period time.Duration, task func()) (handle, error) {
			return punctualTask(p.AtFixedRate(first, period, plain(task)))
		},
		delay: func(first, delay time.Duration, task func()) (handle, error) {
			return punctualTask(p.WithFixedDelay(first, delay, plain(task)))
		},
		count:    func() int { return p.Stats().Queued },
		shutdown: p.Shutdown,
		handback: func() int { return len(p.ShutdownNow()) },
		close: func() {
			p.ShutdownNow()
			_ = p.AwaitTermination(context.Background()) // which has no end
		},
	}, nil
}

func plain(task func()) executor.Task {
	return func(context.Context) error {
		task()
		return nil
	}
}

func punctualTask(f *executor.ScheduledFuture[struct{}], err error) (handle, error) {
	if err != nil {
		return handle{}, err
	}
	return punctualHandle(f.Future), nil
}

func punctualHandle(f *future.Future[struct{}]) handle {
	return handle{
		cancel:   func() answer { return yesIf(f.Cancel()) },
		withdraw: func() answer { return yesIf(f.Withdraw()) },
		get: func(limit time.Duration) string {
			_, err := f.GetTimeout(limit)
			switch {
			case err == nil:
				return "value"
			case errors.Is(err, future.ErrCancelled):
				return "cancelled"
			case f.State() == future.Pending || f.State() == future.Running:
				return "late"
			}
			return "failed"
		},
	}
}
