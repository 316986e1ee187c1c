package stpe_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestTimeout_TheContextOfTheRunEndsWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		var deadline time.Time
		var ended, cause error
		f, err := p.Schedule(3*time.Second, func(ctx context.Context) error {
			deadline, _ = ctx.Deadline()
			<-ctx.Done()
			d.write("context ended")
			ended, cause = ctx.Err(), context.Cause(ctx)
			return ctx.Err()
		}, executor.Timeout(2*time.Second))
		require.NoError(t, err)
		<-f.Stopped()
		assert.Equal(t, d.began.Add(5*time.Second), deadline)
		assert.Equal(t, theSeconds(5), d.theTimes())
		assert.Equal(t, context.DeadlineExceeded, ended)
		assert.EqualError(t, cause, "executor: timed out after 2s")
	})
}

func TestTimeout_TheFutureIsSettledAtTheTimeoutOnceAndForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		// The body ignores its context.
		f, err := executor.Schedule(p, 0, func(context.Context) (int, error) {
			time.Sleep(10 * time.Second)
			d.write("body ends")
			return 42, nil
		}, executor.Timeout(2*time.Second))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		d.write("settled")
		require.ErrorIs(t, err, future.ErrTimeout)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, future.StateFailed, f.State())
		assert.False(t, f.Cancel())

		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Busy, "the worker stays occupied")
		<-f.Stopped()
		d.write("stopped")
		v, err := f.Get(t.Context())
		assert.Zero(t, v)
		require.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, theSeconds(2, 10, 10), d.theTimes())
		assert.Equal(t, []string{"settled", "body ends", "stopped"}, d.theNames())
	})
}

func TestTimeout_ARunThatTimesOutCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Submit(func(context.Context) error { time.Sleep(10 * time.Second); return pooltest.ErrTask },
			executor.Timeout(2*time.Second))
		require.NoError(t, err)
		<-f.Stopped()
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, uint64(1), s.Completed)
		assert.Equal(t, uint64(1), s.Runs)
		assert.Equal(t, uint64(1), s.Failures)
		assert.Zero(t, s.Cancelled)
		assert.Zero(t, s.Busy)
	})
}

func TestTimeout_CountsFromTheStartOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		f, err := p.Schedule(time.Second, d.lasting("a", time.Minute), executor.Timeout(2*time.Second))
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		assert.False(t, f.State().Settled(), "a task that waits does not time out")
		release()
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, 32*time.Second, time.Since(d.began))
	})
}

func TestTimeout_ARunInTimeKeepsItsOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, outcome := range []error{nil, pooltest.ErrTask} {
			f, err := executor.Submit(p, func(context.Context) (int, error) {
				time.Sleep(2*time.Second - 1)
				return 42, outcome
			}, executor.Timeout(2*time.Second))
			require.NoError(t, err)
			v, err := f.Get(t.Context())
			assert.Equal(t, 42, v)
			assert.Equal(t, outcome, err)
			time.Sleep(time.Minute)
			_, err = f.Get(t.Context())
			assert.Equal(t, outcome, err)
		}
	})
}

func TestTimeout_ACancelBeforeItWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		var cause error
		f, err := p.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil
		}, executor.Timeout(2*time.Second))
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.True(t, f.Cancel())
		<-f.Stopped()
		assert.Equal(t, future.ErrCancelled, cause)
		time.Sleep(time.Minute)
		assert.Equal(t, future.Cancelled, f.State())
	})
}

func TestTimeout_EndsAStopSeriesAtThatMomentLoudly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		d := startDiary()
		var told []error
		p := startPool(t, 1, log, executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
			d.write("handler")
			told = append(told, err)
		}))
		// The second run stands, and ignores its context.
		f, err := p.AtFixedRate(0, 10*time.Second, d.lasting("run", 0, 35*time.Second),
			executor.Timeout(2*time.Second), executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, 12*time.Second, time.Since(d.began))
		<-f.Stopped()
		assert.Equal(t, 45*time.Second, time.Since(d.began))

		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, []string{"run", "run", "handler"}, d.theNames())
		assert.Equal(t, theSeconds(0, 10, 12), d.theTimes())
		require.Len(t, told, 1)
		assert.EqualError(t, told[0], "executor: timed out after 2s")
		assert.Len(t, records(), 1)
		assert.Equal(t, uint64(1), p.Stats().Completed)
		assert.Equal(t, uint64(1), p.Stats().Failures)
	})
}

func TestTimeout_ASeriesThatContinuesGoesOnWhenItsBodyReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startDiary()
		var told []error
		p := startPool(t, 1, executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
			d.write("handler")
			told = append(told, err)
		}))
		// The first run heeds its context, the second ignores it, the third is in time.
		f, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
			d.write("run")
			switch run, _ := executor.RunFrom(ctx); run.Number {
			case 1:
				<-ctx.Done()
				return ctx.Err()
			case 2:
				time.Sleep(7 * time.Second)
				return pooltest.ErrTask
			}
			return nil
		}, executor.Timeout(2*time.Second), executor.FailurePolicy(executor.Continue))
		require.NoError(t, err)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"run", "handler", "run", "handler", "run"}, d.theNames())
		assert.Equal(t, theSeconds(0, 2, 10, 12, 20), d.theTimes(), "the handler is told at the timeout")
		assert.False(t, f.State().Settled())
		assert.Len(t, told, 2)
		for _, err := range told {
			assert.EqualError(t, err, "executor: timed out after 2s")
		}
	})
}

func TestTimeout_ABodyThatReturnsWhyItsContextHasEndedAddsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1, executor.Name("jobs"))
		for name, why := range map[string]func(context.Context) error{"err": context.Context.Err, "cause": context.Cause} {
			f, err := p.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
				<-ctx.Done()
				return why(ctx)
			}, executor.Name(name), executor.Timeout(2*time.Second))
			require.NoError(t, err)
			time.Sleep(3 * time.Second)
			synctest.Wait()
			last, ok := f.Last()
			require.True(t, ok)
			assert.EqualError(t, last.Err, `executor: task "`+name+`" of pool "jobs": timed out after 2s`)
			f.Cancel()
		}
	})
}

func TestTimeout_EachRunOfASeriesHasItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		var left []time.Duration
		f, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
			deadline, _ := ctx.Deadline()
			left = append(left, time.Until(deadline))
			time.Sleep(8 * time.Second)
			if ctx.Err() != nil {
				d.write("ended")
			}
			return nil
		}, executor.Timeout(9*time.Second), executor.MaxRuns(4))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, theSeconds(9, 9, 9, 9), left)
		assert.Empty(t, d.theNames())
	})
}

func TestTimeout_OneThatIsNotPositiveIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, timeout := range []time.Duration{0, -1, math.MinInt64} {
			_, err := p.Submit(pooltest.Nothing, executor.Timeout(timeout))
			require.ErrorIs(t, err, executor.ErrInvalid, "timeout %d", timeout)
		}
		f, err := p.Submit(pooltest.Nothing, executor.Timeout(math.MaxInt64))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
	})
}
