package faults_test

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// The tests of this file are about misuse. Where a name holds an id like A7, that is the row of the
// fault table it answers.

var noContext context.Context // nil, which a linter would not let us write

const (
	longest  = time.Duration(math.MaxInt64)
	shortest = time.Duration(math.MinInt64)
)

// refused checks that a submission is refused as it should be, leaves no trace, and that the next
// good one works.
func refused(t *testing.T, p *executor.ScheduledPool, want error, submit func() error) {
	t.Helper()
	before := p.Stats()
	err := submit()
	assert.ErrorIs(t, err, want)
	after := p.Stats()
	after.Rejected = before.Rejected
	assert.Equal(t, before, after, "a refusal leaves no trace")
	f, err := p.Submit(pooltest.Nothing)
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	require.NoError(t, err)
	synctest.Wait()
}

func TestA1_NilTaskIsRefusedEverywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		for name, submit := range pooltest.Submissions(0) {
			t.Log(name)
			refused(t, p, executor.ErrNilTask, func() error { return submit(p, nil) })
		}
	})
}

func TestA1_NilTaskWinsOverShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		require.NoError(t, p.Close())
		for name, submit := range pooltest.Submissions(0) {
			assert.ErrorIs(t, submit(p, nil), executor.ErrNilTask, name)
			assert.ErrorIs(t, submit(p, pooltest.Nothing), executor.ErrShutdown, name)
		}
		_, err := p.AtFixedRate(0, 0, pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrInvalid, "so does a bad period")
	})
}

func TestA3_NegativeDelaysMeanNowInOrderOfSubmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var order []int
		for i, d := range []time.Duration{0, -1, shortest, -time.Hour, 0, shortest} {
			_, err := p.Schedule(d, func(context.Context) error {
				assert.Equal(t, start, time.Now())
				order = append(order, i)
				return nil
			})
			require.NoError(t, err)
		}
		synctest.Wait()
		assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, order)
	})
}

func TestA4_ATaskNeverRunsInItsSubmitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		for name, submit := range pooltest.Submissions(0) {
			returned := make(chan struct{}) // a body run by the submitter would wait for ever
			require.NoError(t, submit(p, func(context.Context) error { <-returned; return nil }), name)
			close(returned)
			synctest.Wait()
		}
	})
}

func TestA5_TheLongestDelayNeverRunsAndDisturbsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var never []*executor.ScheduledFuture[struct{}]
		for _, d := range []time.Duration{longest, longest - 1} {
			f, err := p.Schedule(d, pooltest.Nothing)
			require.NoError(t, err)
			never = append(never, f)
		}
		f, err := p.ScheduleAt(time.Now().Add(longest).Add(longest), pooltest.Nothing)
		require.NoError(t, err)
		never = append(never, f)
		soon, err := p.Schedule(time.Second, pooltest.Nothing)
		require.NoError(t, err)
		_, err = soon.Get(t.Context())
		require.NoError(t, err)
		time.Sleep(200 * 365 * 24 * time.Hour)
		for _, f := range never {
			assert.Equal(t, future.Pending, f.State())
			assert.Positive(t, f.Delay())
			assert.True(t, f.Cancel())
		}
	})
}

func TestA7_PeriodsThatAreNotPositiveAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		for _, d := range []time.Duration{0, -1, shortest} {
			refused(t, p, executor.ErrInvalid, func() error { _, err := p.AtFixedRate(0, d, pooltest.Nothing); return err })
			refused(t, p, executor.ErrInvalid, func() error { _, err := p.WithFixedDelay(0, d, pooltest.Nothing); return err })
		}
	})
}

func TestA9_TheLongestPeriodRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		rate, err := p.AtFixedRate(0, longest, pooltest.Nothing)
		require.NoError(t, err)
		delay, err := p.WithFixedDelay(shortest, longest, pooltest.Nothing)
		require.NoError(t, err)
		time.Sleep(200 * 365 * 24 * time.Hour)
		assert.EqualValues(t, 1, rate.Runs())
		assert.EqualValues(t, 1, delay.Runs())
	})
}

func TestA10_ConstructorMisusePanicsWithAClearText(t *testing.T) {
	for want, build := range map[string]func(){
		"negative core size -1":           func() { executor.NewScheduledPool(-1) },
		"option 1 is nil":                 func() { executor.NewScheduledPool(1, executor.Name("x"), nil) },
		"core size 3 is above the max":    func() { executor.NewScheduledPool(3, executor.MaximumSize(2)) },
		"maximum size 0 is below 1":       func() { executor.MaximumSize(0) },
		"negative keep-alive -1ns":        func() { executor.KeepAlive(-1) },
		"core timeout needs a keep-alive": func() { executor.NewScheduledPool(1, executor.CoreTimeout(), executor.KeepAlive(0)) },
		"pending limit 0 is below 1":      func() { executor.PendingLimit(0) },
		"nil base context":                func() { executor.BaseContext(noContext) },
	} {
		func() {
			defer func() {
				text, _ := recover().(string)
				assert.True(t, strings.HasPrefix(text, "executor: "), text)
				assert.Contains(t, text, want)
			}()
			build()
		}()
	}
}

func TestA10_AHugePoolCostsNothingUntilUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(math.MaxInt)
		defer p.Close()
		f, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, p.Stats().Largest)
	})
}

func TestA20_BadTaskOptionsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		for name, o := range map[string]executor.TaskOption{
			"nil": nil, "timeout 0": executor.Timeout(0), "timeout < 0": executor.Timeout(-1),
			"jitter < 0": executor.Jitter(-1), "no runs": executor.MaxRuns(0), "runs < 0": executor.MaxRuns(-1),
			"catch-up": executor.CatchUp(99), "error policy": executor.FailurePolicy(99),
		} {
			for way, submit := range pooltest.Submissions(0) {
				if way == "Execute" {
					continue // takes none
				}
				refused(t, p, executor.ErrInvalid, func() error { return submit(p, pooltest.Nothing, o) })
			}
			t.Log(name)
		}
	})
}

func TestA13_NilContextsNeverEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		f, err := p.Schedule(time.Second, pooltest.Nothing)
		require.NoError(t, err)
		_, err = f.Get(noContext)
		require.NoError(t, err)
		_, ok := executor.RunFrom(noContext)
		assert.False(t, ok)
		_, err = p.CloseContext(noContext)
		require.NoError(t, err)
		require.NoError(t, p.AwaitTermination(noContext))
	})
}

func TestB_4_ManyPanicsLeaveTheWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4)
		defer p.Close()
		for i := range 10_000 {
			_, err := p.Submit(func(context.Context) error {
				if i%2 == 0 {
					panic(i)
				}
				runtime.Goexit()
				return nil
			})
			require.NoError(t, err)
		}
		synctest.Wait()
		s := p.Stats()
		assert.EqualValues(t, 10_000, s.Failures)
		assert.LessOrEqual(t, s.Workers, 4)
		assert.LessOrEqual(t, s.Largest, 4)
		assert.Zero(t, s.Busy)
	})
}

func TestB_6_B_7_ATaskThatNeverLooksAtItsContextIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2)
		release := make(chan struct{})
		deaf, err := p.Submit(func(context.Context) error { <-release; return nil }, executor.Name("deaf"))
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, deaf.Cancel(), "the future is cancelled at once")
		_, err = deaf.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrCancelled)
		select {
		case <-deaf.Stopped():
			t.Error("stopped, but the body still runs")
		default:
		}
		other, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		_, err = other.Get(t.Context())
		require.NoError(t, err, "other workers go on")

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		report, err := p.CloseContext(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, report.Running, 1)
		assert.Equal(t, "deaf", report.Running[0].Name)

		close(release)
		<-deaf.Stopped()
		<-p.Terminated()
	})
}

func TestC1_ATaskSchedulesOnItsOwnPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		depth := 0
		var deeper executor.Task
		deeper = func(context.Context) error {
			if depth++; depth == 1000 {
				return nil
			}
			_, err := p.Schedule(time.Second, deeper)
			return err
		}
		require.NoError(t, p.Execute(deeper))
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, 1000, depth)
	})
}

func TestC3_ATaskThatWaitsForItselfGetsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		self := make(chan *future.Future[struct{}], 1)
		f, err := p.Submit(func(ctx context.Context) error {
			derived, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			_, err := (<-self).Get(derived)
			return err
		})
		require.NoError(t, err)
		self <- f
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
	})
}

func TestC5_ATaskCancelsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		selves := make(chan *executor.ScheduledFuture[struct{}], 1)
		runs := 0
		body := func(ctx context.Context) error {
			if runs++; runs >= 3 {
				assert.True(t, (<-selves).Cancel())
				assert.ErrorIs(t, context.Cause(ctx), future.ErrCancelled)
				assert.Equal(t, context.Canceled, ctx.Err())
			}
			return nil
		}
		series, err := p.AtFixedRate(time.Second, time.Second, body)
		require.NoError(t, err)
		selves <- series
		<-series.Stopped()
		time.Sleep(time.Hour)
		assert.Equal(t, 3, runs)
		assert.Zero(t, p.Stats().Queued)
		assert.Equal(t, future.Cancelled, series.State())

		once, err := p.Schedule(time.Second, body)
		require.NoError(t, err)
		selves <- once
		_, err = once.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrCancelled, "a one-shot that cancels itself is cancelled")
	})
}

func TestC6_ATaskShutsItsOwnPoolDown(t *testing.T) {
	for name, shut := range map[string]func(ctx context.Context, p *executor.ScheduledPool) error{
		"Shutdown":    func(_ context.Context, p *executor.ScheduledPool) error { p.Shutdown(); return nil },
		"ShutdownNow": func(_ context.Context, p *executor.ScheduledPool) error { p.ShutdownNow(); return nil },
		"Close":       func(_ context.Context, p *executor.ScheduledPool) error { return p.Close() },
		"CloseContext": func(ctx context.Context, p *executor.ScheduledPool) error {
			_, err := p.CloseContext(ctx)
			return err
		},
		"CloseContext of another context": func(_ context.Context, p *executor.ScheduledPool) error {
			_, err := p.CloseContext(context.Background())
			return err
		},
		"AwaitTermination": func(ctx context.Context, p *executor.ScheduledPool) error {
			p.Shutdown()
			return p.AwaitTermination(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(2)
				far, err := p.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing)
				require.NoError(t, err)
				f, err := p.Submit(func(ctx context.Context) error { return shut(ctx, p) })
				require.NoError(t, err)
				_, err = f.Get(t.Context())
				if !strings.HasPrefix(name, "Shutdown") {
					assert.ErrorIs(t, err, future.ErrSelfWait)
				} else {
					assert.NoError(t, err)
				}
				_, err = far.Get(t.Context())
				assert.ErrorIs(t, err, executor.ErrShutdown)
				assert.ErrorIs(t, err, future.ErrCancelled)
				require.NoError(t, p.AwaitTermination(t.Context()))
			})
		})
	}
}

func TestC6_ATaskMayCloseAnotherPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, other := executor.NewScheduledPool(1), executor.NewScheduledPool(1)
		defer p.Close()
		require.NoError(t, other.Execute(func(context.Context) error { time.Sleep(time.Minute); return nil }))
		synctest.Wait()
		f, err := p.Submit(func(context.Context) error { return other.Close() })
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		<-other.Terminated()
	})
}

func TestD11_ATaskSeesNothingOfTheLastOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var first context.Context
		f, err := p.Submit(func(ctx context.Context) error { first = ctx; return nil },
			executor.Name("first"), executor.Timeout(time.Hour))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		g, err := p.Submit(func(ctx context.Context) error {
			_, limited := ctx.Deadline()
			run, _ := executor.RunFrom(ctx)
			assert.False(t, limited)
			assert.Empty(t, run.Name)
			assert.NoError(t, ctx.Err())
			assert.ErrorIs(t, first.Err(), context.Canceled, "a context ends with its run")
			return nil
		})
		require.NoError(t, err)
		_, err = g.Get(t.Context())
		require.NoError(t, err)
	})
}
