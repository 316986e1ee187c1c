package control_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
)

// every returns a back-off of constant waits.
func every(wait time.Duration) retry.Backoff {
	return retry.Backoff{Base: wait, Factor: 1, Spread: retry.NoSpread}
}

// attempts returns a body that fails in all attempts before the given one.
func (d *diary) attempts(succeeds uint64) executor.Task {
	return func(ctx context.Context) error {
		if r := d.run(ctx); r.Attempt < succeeds {
			return fmt.Errorf("attempt %d: %w", r.Attempt, errBoom)
		}
		return nil
	}
}

func TestARetryHoldsNoWorkerAndTheLastErrorCounts(t *testing.T) {
	var told pooltest.Errors
	onEach(t, func(t *testing.T, s scheduler) {
		d, other := newDiary(), newDiary()
		f, err := s.Submit(d.attempts(99), executor.Retry(3, every(time.Second)))
		require.NoError(t, err)
		_, err = s.Schedule(500*time.Millisecond, other.task(0))
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		assert.EqualError(t, err, "attempt 3: boom")
		assert.Equal(t, []string{"0", "1", "2"}, d.starts())
		assert.Equal(t, []string{"0.5"}, other.starts())
		requireBalanced(t, s)
		b := booksOf(s)
		assert.EqualValues(t, []uint64{4, 1, 2}, []uint64{b.Runs, b.Failures, b.Retries})
		for n, r := range d.all() {
			assert.EqualValues(t, 1, r.Number)
			assert.EqualValues(t, n+1, r.Attempt)
			assert.Equal(t, d.began, r.Scheduled)
		}
	}, executor.ErrorHandler(told.Handle))
	assert.Empty(t, told.Told(), "the future has it")
}

func TestASuccessfulAttemptIsTheOutcome(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.Schedule(time.Second, d.attempts(2), executor.Retry(5, every(time.Second)))
		require.NoError(t, err)
		d.until(1.5)
		assert.False(t, f.Reset(time.Hour), "it has begun")
		_, err = f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, []string{"1", "2"}, d.starts())
	})
}

func TestATypedTaskIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f, err := executor.Submit(p, func(ctx context.Context) (uint64, error) {
			r, _ := executor.RunFrom(ctx)
			if r.Attempt < 3 {
				return 99, errBoom
			}
			return r.Attempt, nil
		}, executor.Retry(4, retry.Backoff{}))
		require.NoError(t, err)
		v, err := f.Get(context.Background())
		assert.NoError(t, err)
		assert.EqualValues(t, 3, v)
	})
}

func TestAPlainPoolTriesAgainToo(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		d := newDiary()
		f, err := p.Submit(d.attempts(3), executor.Retry(3, every(time.Second)))
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Queued)
		pooltest.Balanced(t, p)
		_, err = f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, []string{"0", "1", "2"}, d.starts())
		pooltest.Balanced(t, p)
	})
}

func TestAnErrorMayForbidARetryOrSetItsTime(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.Submit(func(ctx context.Context) error {
			if d.run(ctx).Attempt == 1 {
				return fmt.Errorf("wrapped: %w", retry.After(errBoom, 7*time.Second))
			}
			return retry.Permanent(errBoom)
		}, executor.Retry(9, every(time.Second)))
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		assert.ErrorIs(t, err, errBoom)
		assert.EqualError(t, err, "boom")
		assert.Equal(t, []string{"0", "7"}, d.starts())
	})
}

func TestPanicAndGoexitAreNotTriedAgain(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("oh") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, s scheduler) {
				d := newDiary()
				f, err := s.Submit(func(ctx context.Context) error { d.run(ctx); end(); return nil }, executor.Retry(9, every(time.Second)))
				require.NoError(t, err)
				_, err = f.Get(context.Background())
				assert.Error(t, err)
				assert.Equal(t, []string{"0"}, d.starts())
			})
		})
	}
}

func TestACancellationDuringTheWaitSettlesAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.Submit(d.attempts(99), executor.Retry(3, every(time.Second)))
		require.NoError(t, err)
		d.until(0.5)
		assert.False(t, f.Withdraw(), "it has begun")
		assert.True(t, f.Cancel())
		<-f.Stopped()
		assert.Equal(t, 500*time.Millisecond, time.Since(d.began))
		requireBalanced(t, s)
		assert.EqualValues(t, 1, booksOf(s).Cancelled)
		d.until(5)
		assert.Equal(t, []string{"0"}, d.starts())
	})
}

func TestShutdownLetsAWaitingAttemptRunAsADelayedTask(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.Submit(d.attempts(4), executor.Retry(5, every(time.Second)))
		require.NoError(t, err)
		d.until(0.5)
		s.Shutdown()
		_, err = f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, []string{"0", "1", "2", "3"}, d.starts())
	})
}

func TestCloseSettlesAWaitingAttemptAtOnce(t *testing.T) {
	for name, end := range map[string]func(scheduler) []executor.Pending{
		"Close": func(s scheduler) []executor.Pending { r, _ := s.CloseContext(context.Background()); return r.Dropped },
		"now":   scheduler.ShutdownNow,
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, s scheduler) {
				requireSettledBy(t, s, end)
			})
			for kind, newPool := range pooltest.Kinds {
				t.Run(kind, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { requireSettledByPool(t, newPool(t, 1), name) })
				})
			}
		})
	}
}

func requireSettledBy(t *testing.T, s scheduler, end func(scheduler) []executor.Pending) {
	d := newDiary()
	f, err := s.Submit(d.attempts(99), executor.Retry(3, every(time.Second)), executor.Name("push"))
	require.NoError(t, err)
	d.until(0.5)
	dropped := end(s)
	require.Len(t, dropped, 1)
	assert.Equal(t, "push", dropped[0].Name)
	result, settled := f.Poll()
	require.True(t, settled)
	for _, target := range []error{future.ErrCancelled, executor.ErrShutdown, errBoom} {
		assert.ErrorIs(t, result.Err, target)
	}
	assert.Equal(t, 500*time.Millisecond, time.Since(d.began))
}

func requireSettledByPool(t *testing.T, p *executor.Pool, how string) {
	d := newDiary()
	f, err := p.Submit(d.attempts(99), executor.Retry(3, every(time.Second)))
	require.NoError(t, err)
	d.until(0.5)
	var dropped []executor.Pending
	if how == "Close" {
		report, err := p.CloseContext(context.Background())
		require.NoError(t, err)
		dropped = report.Dropped
	} else {
		dropped = p.ShutdownNow()
	}
	require.Len(t, dropped, 1)
	result, settled := f.Poll()
	require.True(t, settled)
	assert.ErrorIs(t, result.Err, executor.ErrShutdown)
	assert.ErrorIs(t, result.Err, errBoom)
	assert.Equal(t, 500*time.Millisecond, time.Since(d.began))
}

func TestAnAttemptThatFailsAfterCloseIsTheLast(t *testing.T) {
	var told pooltest.Errors
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.Submit(func(ctx context.Context) error { d.run(ctx); time.Sleep(time.Second); return errBoom },
			executor.Retry(3, every(time.Second)))
		require.NoError(t, err)
		d.until(0.5)
		require.NoError(t, s.Close())
		_, err = f.Get(context.Background())
		assert.Equal(t, errBoom, err)
		b := booksOf(s)
		assert.EqualValues(t, []uint64{1, 1, 0, 1}, []uint64{b.Runs, b.Failures, b.Retries, b.Completed})
	}, executor.ErrorHandler(told.Handle))
	assert.Empty(t, told.Told())
}

func TestAttemptsHaveATimeoutEachAndALimitTogether(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		backoff := every(500 * time.Millisecond)
		backoff.Within = 3 * time.Second
		f, err := s.Submit(func(ctx context.Context) error { d.run(ctx); <-ctx.Done(); return ctx.Err() },
			executor.Retry(99, backoff), executor.Timeout(time.Second))
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, []string{"0", "1.5"}, d.starts())
		assert.Equal(t, 2500*time.Millisecond, time.Since(d.began))
		requireBalanced(t, s)
	})
}

// With a result or without one, what the body says counts, though it says it too late.
func TestAnAttemptThatIsOutOfTimeStillSaysWhenToTryAgain(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		for _, task := range []struct {
			then func(err error) error
			want []string
		}{
			{func(err error) error { return retry.After(err, 7*time.Second) }, []string{"0", "8", "16"}},
			{retry.Permanent, []string{"0"}},
			{func(err error) error { return err }, []string{"0", "4", "8"}},
		} {
			opts := []executor.TaskOption{executor.Retry(3, every(3*time.Second)), executor.Timeout(time.Second)}
			plain, typed := newDiary(), newDiary()
			late := func(d *diary) executor.Task {
				return func(ctx context.Context) error { d.run(ctx); <-ctx.Done(); return task.then(errBoom) }
			}
			f, err := s.Submit(late(plain), opts...)
			require.NoError(t, err)
			_, err = f.Get(context.Background())
			assert.ErrorIs(t, err, future.ErrTimeout)
			typed.began = time.Now()
			g, err := executor.Submit(s, func(ctx context.Context) (int, error) { return 1, late(typed)(ctx) }, opts...)
			require.NoError(t, err)
			_, err = g.Get(context.Background())
			assert.ErrorIs(t, err, future.ErrTimeout)
			assert.Equal(t, task.want, plain.starts())
			assert.Equal(t, task.want, typed.starts())
		}
	})
}

func TestRetriesDoNotMoveTheGridNorOverlapTheNextRun(t *testing.T) {
	for policy, want := range map[executor.CatchUpPolicy][]string{
		executor.Burst:    {"10", "16", "22", "22", "30"},
		executor.Coalesce: {"10", "16", "22", "22", "30"},
		executor.Skip:     {"10", "16", "22", "30", "40"},
	} {
		onEach(t, func(t *testing.T, s scheduler) {
			d := newDiary()
			f := rate(t, s, func(ctx context.Context) error {
				if r := d.run(ctx); r.Number == 1 && r.Attempt < 3 {
					return errBoom
				}
				return nil
			}, executor.CatchUp(policy), executor.Retry(3, every(6*time.Second)))
			d.until(45)
			assert.Equal(t, want, d.starts()[:5])
			numbers := []uint64{}
			for _, r := range d.all()[:4] {
				numbers = append(numbers, r.Number)
			}
			assert.Equal(t, []uint64{1, 1, 1, 2}, numbers)
			f.Cancel()
		})
	}
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		delayed(t, s, func(ctx context.Context) error {
			if r := d.run(ctx); r.Number == 1 && r.Attempt < 3 {
				return errBoom
			}
			return nil
		}, executor.Retry(3, every(6*time.Second)))
		d.until(35)
		assert.Equal(t, []string{"10", "16", "22", "32"}, d.starts())
	})
}

func TestTheMaximumAndThePolicyAreOfRunsNotOfAttempts(t *testing.T) {
	var told pooltest.Errors
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, func(ctx context.Context) error { d.run(ctx); return errBoom },
			executor.MaxRuns(2), executor.Retry(2, every(time.Second)))
		_, err := f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, []string{"10", "11", "20", "21"}, d.starts())
		assert.EqualValues(t, 2, booksOf(s).Failures)
		assert.EqualValues(t, 2, f.Runs())

		f = rate(t, s, func(context.Context) error { return errBoom }, executor.FailurePolicy(executor.StopSeries), executor.Retry(2, every(time.Second)))
		_, err = f.Get(context.Background())
		assert.ErrorIs(t, err, errBoom)
		assert.EqualValues(t, 1, f.Runs())
	}, executor.ErrorHandler(told.Handle))
	assert.Len(t, told.Told(), 3*3, "a run is told of once")
}

func TestCommandsDuringTheWaitForAnAttemptComeAfterTheRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, func(ctx context.Context) error {
			if r := d.run(ctx); r.Number == 1 && r.Attempt == 1 {
				return errBoom
			}
			return nil
		}, executor.Retry(2, every(5*time.Second)))
		d.until(12)
		assert.True(t, f.Trigger())
		assert.True(t, f.Pause())
		assert.True(t, f.Reset(20*time.Second))
		d.until(50)
		assert.Equal(t, []string{"10", "15", "15!"}, d.starts(), "a pause lets a run end, with its retries")
		f.Resume()
		d.until(65)
		assert.Equal(t, []string{"52", "62"}, d.starts()[3:])
	})
}

func TestBeginWithinIsJudgedAtTheFirstAttemptOnly(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.Schedule(time.Second, d.attempts(3), executor.BeginWithin(time.Second), executor.Retry(3, every(time.Minute)))
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, []string{"1", "61", "121"}, d.starts())
	})
}

func TestTenThousandRetriesTakeNoGoroutineEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		before := runtime.NumGoroutine()
		d := newDiary()
		var fs []*future.Future[struct{}]
		for range 10_000 {
			f, err := p.Submit(func(ctx context.Context) error {
				if r, _ := executor.RunFrom(ctx); r.Attempt == 1 {
					return errBoom
				}
				return nil
			}, executor.Retry(2, every(time.Minute)))
			require.NoError(t, err)
			fs = append(fs, f)
		}
		d.until(30)
		assert.LessOrEqual(t, runtime.NumGoroutine(), before+3)
		assert.Equal(t, 10_000, p.Stats().Queued)
		for _, f := range fs {
			_, err := f.Get(context.Background())
			require.NoError(t, err)
		}
	})
}

func TestEachAttemptHasAContextOfItsOwn(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		var first context.Context
		f, err := s.Submit(func(ctx context.Context) error {
			if first == nil {
				first = ctx
				_ = ctx.Done()
				return errBoom
			}
			assert.Error(t, first.Err(), "that attempt is over")
			assert.NoError(t, ctx.Err())
			_, is := executor.RunFrom(first)
			assert.False(t, is)
			return nil
		}, executor.Retry(2, every(time.Second)))
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		assert.NoError(t, err)
	})
}

func TestATaskMayWaitForOneThatIsTriedAgain(t *testing.T) {
	for kind, newPool := range pooltest.Kinds {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool(t, 1)
				d := newDiary()
				outer, err := p.Submit(func(ctx context.Context) error {
					f, err := p.Submit(d.attempts(3), executor.Retry(3, every(time.Second)))
					if err != nil {
						return err
					}
					_, err = f.Get(ctx)
					return err
				})
				require.NoError(t, err)
				_, err = outer.GetTimeout(time.Hour)
				assert.NoError(t, err)
				assert.Equal(t, []string{"0", "1", "2"}, d.starts())
			})
		})
	}
}

// badError is an error whose methods end the goroutine, or panic.
type badError struct{ end func() }

func (badError) Error() string { return "bad" }
func (e badError) As(any) bool { e.end(); return false }

func TestAnErrorWhoseMethodsEndTheGoroutineLosesNothing(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("oh") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, s scheduler) {
				f, err := s.Submit(func(context.Context) error { return badError{end} }, executor.Retry(2, every(time.Second)))
				require.NoError(t, err)
				_, err = f.GetTimeout(time.Hour)
				var bad badError
				assert.True(t, errors.As(err, &bad))
				requireBalanced(t, s)
			})
		})
	}
}

func TestAnAttemptAtOnceQueuesBehindWhatIsDueHoweverManyCameBefore(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		const last = 1200 // the power of the factor is beyond all numbers by then
		f, err := s.Submit(func(ctx context.Context) error {
			r, _ := executor.RunFrom(ctx)
			if r.Attempt < last {
				if r.Attempt == last-1 {
					time.Sleep(time.Second) // so that what follows is due before the last attempt
				}
				return errBoom
			}
			d.write("retried")
			return nil
		}, executor.Retry(last, retry.Backoff{}))
		require.NoError(t, err)
		for range 3 {
			_, err = s.Schedule(500*time.Millisecond, func(context.Context) error {
				d.write("waited")
				time.Sleep(time.Second)
				return nil
			})
			require.NoError(t, err)
		}
		_, err = f.Get(context.Background())
		require.NoError(t, err)
		assert.Equal(t, "waited", d.starts()[0])
	})
}
