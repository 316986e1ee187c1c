package control_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer/calendar"
)

// hanging waits until its context ends, and counts that.
func hanging(ends *atomic.Int64) executor.Task {
	return func(ctx context.Context) error {
		<-ctx.Done()
		if errors.Is(context.Cause(ctx), future.ErrTimeout) {
			ends.Add(1)
		}
		return nil
	}
}

func TestDefaultsAreThoseOfEveryTaskOfAPool(t *testing.T) {
	type pool = *executor.ScheduledPool
	for name, submit := range map[string]func(p pool, task executor.Task) error{
		"Execute":     func(p pool, task executor.Task) error { return p.Execute(task) },
		"with a name": func(p pool, task executor.Task) error { return p.Execute(task, executor.Name("x")) },
		"Submit":      func(p pool, task executor.Task) error { _, err := p.Submit(task); return err },
		"SubmitContext": func(p pool, task executor.Task) error {
			_, err := p.SubmitContext(context.Background(), task)
			return err
		},
		"Schedule":   func(p pool, task executor.Task) error { _, err := p.Schedule(0, task); return err },
		"ScheduleAt": func(p pool, task executor.Task) error { _, err := p.ScheduleAt(time.Now(), task); return err },
		"AtFixedRate": func(p pool, task executor.Task) error {
			_, err := p.AtFixedRate(0, time.Hour, task, executor.MaxRuns(1))
			return err
		},
		"WithFixedDelay": func(p pool, task executor.Task) error {
			_, err := p.WithFixedDelay(0, time.Hour, task, executor.MaxRuns(1))
			return err
		},
		"On": func(p pool, task executor.Task) error {
			_, err := p.On(calendar.Every(time.Second, time.Time{}), task, executor.MaxRuns(1))
			return err
		},
		"Apply": func(p pool, task executor.Task) error {
			_, err := p.Apply(executor.Job{Name: "x", Task: task, Rate: time.Hour})
			return err
		},
		"Serial": func(p pool, task executor.Task) error { return serial.New(p).Execute(task) },
		"function": func(p pool, task executor.Task) error {
			_, err := executor.Submit(p, func(ctx context.Context) (int, error) { return 0, task(ctx) })
			return err
		},
		"Group": func(p pool, task executor.Task) error {
			return bulk.NewGroup(context.Background(), p).Go(task)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Defaults(executor.Timeout(time.Second)))
				defer p.ShutdownNow()
				var ends atomic.Int64
				require.NoError(t, submit(p, hanging(&ends)))
				time.Sleep(10 * time.Second)
				assert.EqualValues(t, 1, ends.Load(), "a timeout of a second")
				assert.EqualValues(t, 1, p.Stats().TimedOut)
			})
		})
	}
}

func TestDefaultsAreThoseOfEveryTaskOfALoop(t *testing.T) {
	type loop = *eventloop.Loop
	for name, submit := range map[string]func(l loop, task executor.Task) error{
		"Execute":  func(l loop, task executor.Task) error { return l.Execute(task) },
		"Submit":   func(l loop, task executor.Task) error { _, err := l.Submit(task); return err },
		"Schedule": func(l loop, task executor.Task) error { _, err := l.Schedule(0, task); return err },
		"AtFixedRate": func(l loop, task executor.Task) error {
			_, err := l.AtFixedRate(0, time.Hour, task, executor.MaxRuns(1))
			return err
		},
		"On": func(l loop, task executor.Task) error {
			_, err := l.On(calendar.Every(time.Second, time.Time{}), task, executor.MaxRuns(1))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := eventloop.New(pooltest.Quiet().(executor.CommonOption),
					executor.Defaults(executor.Timeout(time.Second)))
				defer l.ShutdownNow()
				var ends atomic.Int64
				require.NoError(t, submit(l, hanging(&ends)))
				time.Sleep(10 * time.Second)
				assert.EqualValues(t, 1, ends.Load(), "a timeout of a second")
			})
		})
	}
}

func TestATasksOwnOptionReplacesTheDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, pooltest.Quiet(),
			executor.Defaults(executor.Timeout(time.Second), executor.Retry(2, retry.Backoff{})),
			executor.Defaults(executor.Timeout(2*time.Second)))
		defer p.ShutdownNow()
		took := func(opts ...executor.TaskOption) time.Duration {
			var ends atomic.Int64
			begin := time.Now()
			f, err := p.Submit(hanging(&ends), opts...)
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.ErrorIs(t, err, future.ErrTimeout)
			return time.Since(begin)
		}
		assert.Equal(t, 4*time.Second, took(), "two attempts, each with the later default")
		assert.Equal(t, 6*time.Second, took(executor.Timeout(3*time.Second)))
		assert.Equal(t, 2*time.Second, took(executor.Retry(1, retry.Backoff{})))
	})
}

func TestADefaultThatContradictsATaskIsRefusedWithItsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Name("jobs"),
			executor.Defaults(executor.Jitter(time.Minute)))
		defer p.ShutdownNow()
		_, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.Name("poll"))
		require.ErrorIs(t, err, executor.ErrInvalid)
		require.ErrorContains(t, err, `task "poll" of pool "jobs"`)
		require.NoError(t, p.Execute(pooltest.Nothing))
	})
}

func TestDefaultsHaveNothingThatBelongsToOneTask(t *testing.T) {
	for name, opts := range map[string][]executor.TaskOption{
		"a name":   {executor.Name("x")},
		"Unique":   {executor.Unique(), executor.Name("x")},
		"values":   {executor.WithValues(t.Context())},
		"nil":      {nil},
		"negative": {executor.Timeout(-1)},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Panics(t, func() { executor.Defaults(opts...) })
		})
	}
}
