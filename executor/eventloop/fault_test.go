package eventloop_test

import (
	"context"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/labelstest"
)

func TestAGoexitDoesNotLoseTheLoop(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		gone, err := l.Submit(func(context.Context) error { runtime.Goexit(); return nil })
		require.NoError(t, err)
		series, err := l.AtFixedRate(0, ms, func(context.Context) error { d.note("tick"); runtime.Goexit(); return nil },
			executor.FailurePolicy(executor.Continue), executor.MaxRuns(3))
		require.NoError(t, err)
		after, err := l.Schedule(5*ms, d.task("after"))
		require.NoError(t, err)
		_, err = gone.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrGoexit)
		_, err = series.Get(t.Context())
		assert.NoError(t, err)
		_, err = after.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, inMs(0, 1, 2, 5), d.readTimes())
		assert.LessOrEqual(t, loopGoroutines(), 1)
	})
}

func TestAHandlerThatPanicsOrEndsItsGoroutineHarmsNobody(t *testing.T) {
	calls := 0
	handler := executor.ErrorHandler(func(context.Context, executor.Run, error) {
		if calls++; calls == 1 {
			panic("handler")
		}
		runtime.Goexit()
	})
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		for range 2 {
			require.NoError(t, l.Execute(func(context.Context) error { return pooltest.ErrTask }))
		}
		f, err := l.Submit(pooltest.Nothing)
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, 2, calls)
	}, handler)
}

func TestDayWithOneFarTaskHasAtMostTwoWakeUps(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		f, err := l.Schedule(24*time.Hour, d.task("far"))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{24 * time.Hour}, d.readTimes())
		assert.LessOrEqual(t, l.Stats().Wakeups, uint64(2))
		assert.EqualValues(t, 1, l.Stats().Starts)
	})
}

func TestATimeOutFailsOneRunAndItsContextTellsWhy(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		var cause error
		f, err := l.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			time.Sleep(ms)
			return nil
		}, executor.Timeout(10*ms), executor.Name("slow"))
		require.NoError(t, err)
		start := time.Now()
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, 10*ms, time.Since(start))
		<-f.Stopped()
		assert.Equal(t, 11*ms, time.Since(start))
		assert.ErrorIs(t, cause, future.ErrTimeout)
	})
}

func TestASeriesThatOutlivesItsTimeOutEndsLoudly(t *testing.T) {
	var told []error
	handler := executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) { told = append(told, err) })
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		f, err := l.WithFixedDelay(0, ms, func(ctx context.Context) error { time.Sleep(time.Second); return nil },
			executor.Timeout(10*ms), executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrTimeout)
		<-f.Stopped()
		synctest.Wait()
		assert.Len(t, told, 1)
		assert.EqualValues(t, 1, f.Runs())
	}, handler)
}

func TestBadArgumentsAreRefusedAndNothingIsAccepted(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		assert.ErrorIs(t, l.Execute(nil), executor.ErrNilTask)
		_, err := l.Submit(nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = eventloop.Submit[int](l, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = eventloop.Schedule[int](l, 0, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = l.Schedule(0, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = l.ScheduleAt(time.Now(), nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = l.AtFixedRate(0, ms, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = l.Submit(pooltest.Nothing, nil)
		assert.ErrorIs(t, err, executor.ErrInvalid)
		_, err = l.Schedule(0, pooltest.Nothing, executor.Timeout(0))
		assert.ErrorIs(t, err, executor.ErrInvalid)
		do(t, l, func(_ context.Context, turn eventloop.Turn) {
			assert.ErrorIs(t, turn.Execute(nil), executor.ErrNilTask)
			_, err := turn.WithFixedDelay(0, 0, pooltest.Nothing)
			assert.ErrorIs(t, err, executor.ErrInvalid)
		})
		assert.EqualValues(t, 1, l.Stats().Accepted)
		require.NoError(t, l.Close())
		assert.ErrorIs(t, l.Execute(nil), executor.ErrNilTask, "also on a loop that is shut down")
	})
	assert.PanicsWithValue(t, "eventloop: option 0 is nil", func() { eventloop.New(nil) })
	assert.PanicsWithValue(t, "executor: nil base context", func() { executor.BaseContext(nil) })
}

func TestRunsDeriveFromTheBaseContextAndCarryLabels(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New(executor.BaseContext(context.WithValue(t.Context(), key{}, "base")), executor.Name("loop"))
		f, err := eventloop.Submit(l, func(ctx context.Context) ([]any, error) {
			run, _ := executor.RunFrom(ctx)
			return []any{ctx.Value(key{}), run.Name, run.Number}, nil
		}, executor.Name("task"))
		require.NoError(t, err)
		got, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []any{"base", "task", uint64(1)}, got)
		assert.Contains(t, l.String(), "loop")
		assert.Equal(t, "loop", l.Stats().Name)
		require.NoError(t, l.Close())
	})
}

func TestInLoopIsTrueForTheRunsOfTheLoopOnly(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		other := quiet()
		assert.False(t, l.InLoop(nil))
		assert.False(t, l.InLoop(t.Context()))
		var kept context.Context
		do(t, l, func(ctx context.Context, _ eventloop.Turn) {
			kept = ctx
			<-time.After(0)
			assert.True(t, l.InLoop(ctx))
			derived, cancel := context.WithCancel(ctx)
			defer cancel()
			assert.True(t, l.InLoop(derived))
			assert.False(t, other.InLoop(ctx))
		})
		assert.False(t, l.InLoop(kept), "after the run")
		require.NoError(t, other.Close())
	})
}

// A turn that outlives its run must not leave a task where a sleeping loop does not see it.
func TestATurnUsedAfterItsRunStillWakesTheLoop(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		var kept eventloop.Turn
		do(t, l, func(_ context.Context, turn eventloop.Turn) { kept = turn })
		synctest.Wait()
		_, err := kept.Schedule(5*ms, d.task("starts the goroutine"))
		require.NoError(t, err)
		synctest.Wait()
		_, err = kept.Schedule(2*ms, d.task("is earlier"))
		require.NoError(t, err)
		require.NoError(t, l.Validate())
		time.Sleep(10 * ms)
		assert.Equal(t, inMs(2, 5), d.readTimes())
	})
}

func TestCloseFromATaskDoesNotWaitForItself(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		f, err := l.Submit(func(ctx context.Context) error {
			assert.ErrorIs(t, l.AwaitTermination(ctx), future.ErrSelfWait)
			assert.ErrorIs(t, l.Close(), future.ErrSelfWait)
			_, err := l.CloseContext(ctx)
			return err
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
		<-l.Terminated()
	})
}

func TestAGoexitOfTaskAndHandlerDoesNotLoseTheLoop(t *testing.T) {
	handler := executor.ErrorHandler(func(context.Context, executor.Run, error) { runtime.Goexit() })
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		require.NoError(t, l.Execute(func(context.Context) error { runtime.Goexit(); return nil }))
		f, err := l.Schedule(ms, pooltest.Nothing)
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
		assert.EqualValues(t, 2, l.Stats().Runs)
	}, handler)
}

func TestARunCarriesTheLabelsOfItsLoopAndItself(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		_, err := l.Schedule(time.Hour, pooltest.Nothing) // keeps the goroutine
		require.NoError(t, err)
		pprof.Do(t.Context(), pprof.Labels("submitter", "test"), func(context.Context) {
			for _, c := range []struct {
				name string
				want []string
			}{{"task", []string{`"pool":"loop"`, `"task":"task"`}}, {"", []string{`"pool":"loop"`}}} {
				f, err := eventloop.Submit(l, func(context.Context) (string, error) { return labelstest.Here(), nil },
					executor.Name(c.name))
				require.NoError(t, err)
				got, err := f.Get(t.Context())
				require.NoError(t, err)
				assert.Equal(t, "{"+strings.Join(c.want, ", ")+"}", got)
			}
		})
	}, executor.Name("loop"))
}
