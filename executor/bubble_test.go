package executor_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// TestPromise8_TwoBubblesAndTheRealClockDoNotMeet uses the whole public API in one bubble, in a
// second one, and outside. A channel, timer or goroutine shared between them would end the process
// or hang.
func TestPromise8_TwoBubblesAndTheRealClockDoNotMeet(t *testing.T) {
	for _, name := range []string{"first bubble", "second bubble"} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, useEverything) })
	}
	t.Run("real clock", useEverything)
}

func useEverything(t *testing.T) {
	usePool(t)
	useFutures(t)
	useQueue(t)
}

func usePool(t *testing.T) {
	const tick = time.Millisecond
	hooks := make(chan string, 100)
	p := executor.NewScheduledPool(1,
		executor.Name("everything"), executor.MaximumSize(8), executor.KeepAlive(tick),
		executor.CoreTimeout(), executor.PendingLimit(100), executor.BaseContext(t.Context()),
		executor.Logger(slog.New(slog.DiscardHandler)),
		executor.ErrorHandler(func(context.Context, executor.Run, error) {}),
		executor.BeforeRun(func(context.Context, executor.Run) { hooks <- "before" }),
		executor.AfterRun(func(context.Context, executor.Run, error) { hooks <- "after" }),
		executor.AfterTermination(func() { hooks <- "terminated" }),
		executor.Decorate(func(task executor.Task) executor.Task { return task }))

	require.NoError(t, p.Execute(pooltest.Nothing))
	submitted, err := p.Submit(pooltest.Nothing, executor.Name("submitted"), executor.Timeout(time.Hour))
	require.NoError(t, err)
	typed, err := executor.Submit(p, func(context.Context) (int, error) { return 1, nil })
	require.NoError(t, err)
	once, err := p.Schedule(tick, pooltest.Nothing, executor.Jitter(tick))
	require.NoError(t, err)
	at, err := p.ScheduleAt(time.Now().Add(tick), pooltest.Nothing)
	require.NoError(t, err)
	later, err := executor.Schedule(p, tick, func(ctx context.Context) (executor.Run, error) {
		run, ok := executor.RunFrom(ctx)
		if !ok {
			return run, errors.New("no run")
		}
		return run, nil
	})
	require.NoError(t, err)
	rate, err := p.AtFixedRate(0, tick, pooltest.Nothing, executor.MaxRuns(3), executor.CatchUp(executor.Coalesce))
	require.NoError(t, err)
	delay, err := p.WithFixedDelay(0, tick, pooltest.Nothing, executor.FailurePolicy(executor.Continue))
	require.NoError(t, err)
	assert.True(t, delay.Periodic())

	for _, f := range []*future.Future[struct{}]{submitted, once.Future, at.Future, rate.Future} {
		_, err := f.Get(t.Context())
		assert.NoError(t, err)
	}
	v, err := typed.GetTimeout(time.Hour)
	require.NoError(t, err)
	assert.Equal(t, 1, v)
	run, err := later.Get(t.Context())
	require.NoError(t, err)
	assert.False(t, run.Started.Before(run.Scheduled))
	assert.EqualValues(t, 3, rate.Runs())
	assert.LessOrEqual(t, rate.Delay(), time.Duration(0))
	_, planned := rate.Next()
	assert.False(t, planned)
	assert.True(t, delay.CancelCause(errors.New("enough")))
	<-delay.Stopped()

	require.NoError(t, p.SetMaximumSize(4))
	require.NoError(t, p.SetCoreSize(2))
	require.NoError(t, p.SetCoreTimeout(false))
	require.NoError(t, p.SetKeepAlive(0))
	p.SetExecuteDelayedAfterShutdown(true)
	p.SetContinuePeriodicAfterShutdown(false)
	assert.Contains(t, p.String(), "everything")
	assert.Empty(t, p.Queued())
	_, err = p.Schedule(time.Hour, pooltest.Nothing)
	require.NoError(t, err)
	report, err := p.CloseContext(t.Context())
	require.NoError(t, err)
	assert.Len(t, report.Dropped, 1)
	<-p.Terminated()
	require.NoError(t, p.AwaitTermination(t.Context()))
	s := p.Stats()
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned)
	close(hooks)
	seen := map[string]int{}
	for h := range hooks {
		seen[h]++
	}
	assert.Equal(t, seen["before"], seen["after"])
	assert.Equal(t, 1, seen["terminated"])
}

func useFutures(t *testing.T) {
	task := future.NewTask(func(context.Context) (int, error) { return 2, nil })
	double := future.Then(task.Future(), func(v int) (int, error) { return 2 * v, nil })
	go task.Run(t.Context())
	promise := future.NewPromise[int]()
	go promise.Complete(5)
	values, err := future.All(t.Context(), task.Future(), double, promise.Future(), future.Of(7))
	require.NoError(t, err)
	assert.Equal(t, []int{2, 4, 5, 7}, values)
	v, err := future.Any(t.Context(), future.Failed[int](errors.New("no")), double)
	require.NoError(t, err)
	assert.Equal(t, 4, v)
	_, err = future.NewPromise[int]().Future().GetTimeout(time.Millisecond)
	assert.ErrorIs(t, err, future.ErrTimeout)
}

func useQueue(t *testing.T) {
	q := delayqueue.New[string]()
	taken := make(chan string)
	for range 2 {
		go func() {
			for {
				s, err := q.Take(t.Context())
				if err != nil {
					taken <- ""
					return
				}
				taken <- s
			}
		}()
	}
	_, err := q.Put("a", time.Millisecond)
	require.NoError(t, err)
	it, err := q.PutAt("b", time.Now().Add(time.Hour))
	require.NoError(t, err)
	assert.True(t, it.Reset(2*time.Millisecond))
	assert.ElementsMatch(t, []string{"a", "b"}, []string{<-taken, <-taken}) // in real time either taker may be the slower
	q.Close()
	assert.Empty(t, <-taken)
	assert.Empty(t, <-taken)
}
