package stpe_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestARunThatNeverReturnsIsToldAtItsTimeout(t *testing.T) {
	for name, policy := range map[string]executor.ErrorPolicy{"by default": 0, "continue": executor.Continue} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told pooltest.Errors
				d := startDiary()
				p := startPool(t, 1, executor.ErrorHandler(func(ctx context.Context, run executor.Run, err error) {
					d.write("told")
					told.Handle(ctx, run, err)
				}))
				release := make(chan struct{})
				defer close(release)
				stuck := func(context.Context) error { <-release; return nil }
				f, err := p.AtFixedRate(0, 10*time.Second, stuck,
					executor.Timeout(time.Second), executor.FailurePolicy(policy), executor.Name("stuck"))
				require.NoError(t, err)
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				assert.Equal(t, theSeconds(1), d.theTimes())
				require.Len(t, told.Told(), 1)
				require.ErrorIs(t, told.Told()[0], future.ErrTimeout)
				assert.Equal(t, "stuck", told.Runs[0].Name)
				assert.EqualValues(t, 1, told.Runs[0].Number)
				s := p.Stats()
				assert.Equal(t, []uint64{0, 1, 0}, []uint64{s.Runs, s.Failures, s.Completed})
				assert.EqualValues(t, 1, f.Runs(), "the series waits for the body")
				assert.False(t, f.State().Settled())
			})
		})
	}
}

func TestARunThatNeverReturnsIsLoggedAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := startPool(t, 1, log)
		release := make(chan struct{})
		defer close(release)
		stuck := func(context.Context) error { <-release; return nil }
		_, err := p.WithFixedDelay(0, 10*time.Second, stuck,
			executor.Timeout(time.Second), executor.Name("stuck"))
		require.NoError(t, err)
		time.Sleep(time.Second - 1)
		synctest.Wait()
		assert.Empty(t, records())
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		require.Len(t, records(), 1)
		assert.Contains(t, records()[0], "task=stuck run=1")
	})
}

func TestAnOverrunCountsOnceAndTheHookSeesWhatTheBodyReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		var seen []error
		p := startPool(t, 1, executor.ErrorHandler(told.Handle),
			executor.AfterRun(func(_ context.Context, _ executor.Run, err error) { seen = append(seen, err) }))
		d := startDiary()
		f, err := p.AtFixedRate(0, 10*time.Second, func(context.Context) error {
			d.write("run")
			time.Sleep(12 * time.Second)
			return pooltest.ErrTask
		}, executor.Timeout(time.Second), executor.MaxRuns(2))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, theSeconds(0, 12), d.theTimes(), "the series waits for the body")
		assert.Len(t, told.Told(), 2)
		for _, err := range seen {
			require.ErrorIs(t, err, future.ErrTimeout)
			require.ErrorIs(t, err, pooltest.ErrTask)
		}
		assert.Len(t, seen, 2)
		s := p.Stats()
		assert.Equal(t, []uint64{2, 2, 1}, []uint64{s.Runs, s.Failures, s.Completed})
	})
}

func TestAPanicAfterAnOverrunIsToldToo(t *testing.T) {
	for name, c := range map[string]struct {
		policy executor.ErrorPolicy
		runs   uint64
		told   int
		log    int
	}{
		"by default":  {executor.StopOnPanic, 1, 2, 1},
		"stop series": {executor.StopSeries, 1, 2, 1},
		"continue":    {executor.Continue, 2, 4, 0},
	} {
		for how, body := range abruptly {
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told pooltest.Errors
					log, records := theLog()
					p := startPool(t, 1, log, executor.ErrorHandler(told.Handle))
					f, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
						time.Sleep(5 * time.Second)
						return body(ctx)
					}, executor.Timeout(time.Second), executor.FailurePolicy(c.policy), executor.MaxRuns(2))
					require.NoError(t, err)
					time.Sleep(time.Hour)
					synctest.Wait()
					assert.True(t, f.State().Settled())
					assert.Equal(t, c.runs, f.Runs())
					assert.Len(t, told.Told(), c.told)
					for i, err := range told.Told() {
						require.ErrorIs(t, err, future.ErrTimeout)
						ofBody := errors.Is(err, pooltest.ErrTask) || errors.Is(err, future.ErrGoexit)
						assert.Equal(t, i%2 == 1, ofBody)
					}
					assert.Len(t, records(), c.log, "%v", records())
					s := p.Stats()
					assert.Equal(t, []uint64{c.runs, c.runs, 1}, []uint64{s.Runs, s.Failures, s.Completed})
				})
			})
		}
	}
}

func TestAPanicAfterAnOverrunIsLogged(t *testing.T) {
	for name, series := range map[string]bool{"once": false, "series": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log, records := theLog()
				p := startPool(t, 1, log)
				slow := func(ctx context.Context) error { time.Sleep(time.Minute); return pooltest.Panic(ctx) }
				var err error
				if series {
					_, err = p.AtFixedRate(0, time.Hour, slow, executor.Timeout(time.Second))
				} else {
					_, err = p.Schedule(0, slow, executor.Timeout(time.Second))
				}
				require.NoError(t, err)
				time.Sleep(30 * time.Minute)
				synctest.Wait()
				assert.Len(t, logged(records(), `stack=.*(pooltest\.Panic)`), 1)
				assert.EqualValues(t, 1, p.Stats().Failures)
			})
		})
	}
}

func TestThePoolDoesNotEndBeforeAnOverrunOfASeriesThatGoesOnIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := false
		p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(func(context.Context, executor.Run, error) {
			time.Sleep(time.Minute)
			told = true
		}))
		_, err := p.AtFixedRate(0, time.Hour, pooltest.Sleep(2*time.Second), executor.Timeout(time.Second))
		require.NoError(t, err)
		time.Sleep(1500 * time.Millisecond)
		began := time.Now()
		require.NoError(t, p.Close())
		assert.True(t, told)
		assert.Equal(t, time.Minute-500*time.Millisecond, time.Since(began))
		s := p.Stats()
		assert.Equal(t, []uint64{1, 0, 0, 1}, []uint64{s.Accepted, s.Completed, s.Cancelled, s.Returned})
	})
}

func TestATaskThatOutlivesItsTimeoutHasFailedAtThatMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := startPool(t, 1, log)
		slow := func(context.Context) error { time.Sleep(time.Minute); return pooltest.ErrTask }
		f, err := p.Schedule(0, slow, executor.Timeout(time.Second))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrTimeout)
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []uint64{0, 1, 1}, []uint64{s.Runs, s.Failures, s.Completed})
		<-f.Stopped()
		synctest.Wait()
		s = p.Stats()
		assert.Equal(t, []uint64{1, 1, 1}, []uint64{s.Runs, s.Failures, s.Completed})
		assert.Empty(t, records(), "the future tells")
	})
}

func TestACancelledRunDoesNotOutliveItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		p := startPool(t, 1, executor.ErrorHandler(told.Handle))
		f, err := p.AtFixedRate(0, time.Minute, pooltest.Sleep(10*time.Second),
			executor.Timeout(2*time.Second))
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.True(t, f.Stop())
		<-f.Stopped()
		synctest.Wait()
		assert.Empty(t, told.Told())
		s := p.Stats()
		assert.Equal(t, []uint64{1, 0, 0, 1}, []uint64{s.Runs, s.Failures, s.Completed, s.Cancelled})
	})
}
