package stpe_test

import (
	"context"
	"log/slog"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestK03_B46_B47_AStallOfTenHoursIsFollowedByAsManyRunsAsThePolicySays(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy executor.CatchUpPolicy
		late   int // runs at the end of the stall
	}{
		{"burst", executor.Burst, 600}, {"coalesce", executor.Coalesce, 1}, {"skip", executor.Skip, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				start := time.Now()
				var starts []time.Duration
				f := pooltest.AtFixedRate(t, p, 0, time.Minute, func(context.Context) error {
					starts = append(starts, time.Since(start))
					if len(starts) == 1 {
						time.Sleep(10*time.Hour + time.Second)
					}
					return nil
				}, executor.CatchUp(c.policy))
				probe.Elapse(10*time.Hour + 2*time.Minute)
				f.Stop()
				want := []time.Duration{0}
				for range c.late {
					want = append(want, 10*time.Hour+time.Second)
				}
				want = append(want, 10*time.Hour+time.Minute, 10*time.Hour+2*time.Minute)
				assert.Equal(t, want, starts)
			})
		})
	}
}

const withSeriesEnded = "executor: periodic task ended by a failure"

func TestK04_B50_ASeriesThatFailsTellsFutureHandlerAndLogOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		var log pooltest.Log
		p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(told.Handle), executor.Logger(slog.New(&log)))
		f := pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Fail, executor.Name("series"), executor.FailurePolicy(executor.StopSeries))
		probe.Elapse(time.Minute)
		assert.Equal(t, pooltest.ErrTask, pooltest.Outcome(t, f.Future))
		assert.Equal(t, []error{pooltest.ErrTask}, told.Told())
		assert.Equal(t, "series", told.Runs[0].Name)
		assert.Equal(t, []string{withSeriesEnded}, log.All())
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestK04_TheEndOfASeriesIsLoggedWhateverTheHandlerDoes(t *testing.T) {
	for _, fault := range pooltest.Faults {
		t.Run(fault.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log pooltest.Log
				p := pooltest.NewScheduledPool(t, 1, executor.Logger(slog.New(&log)),
					executor.ErrorHandler(func(context.Context, executor.Run, error) { fault.Do() }))
				pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Panic)
				probe.Elapse(time.Minute)
				assert.Contains(t, log.All(), withSeriesEnded)
			})
		})
	}
}

func TestK04_ASeriesMayGoOnAfterFailures(t *testing.T) {
	for name, body := range map[string]executor.Task{"error": pooltest.Fail, "panic": pooltest.Panic, "goexit": pooltest.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told pooltest.Errors
				p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(told.Handle))
				f := pooltest.WithFixedDelay(t, p, 0, time.Second, body, executor.FailurePolicy(executor.Continue))
				probe.Elapse(9 * time.Second)
				assert.False(t, f.State().Settled())
				assert.EqualValues(t, 10, f.Runs())
				assert.Len(t, told.Told(), 10)
				assert.EqualValues(t, 10, p.Stats().Failures)
			})
		})
	}
}

func TestK04_AFailureOfAnExecutedTaskIsTold(t *testing.T) {
	for name, body := range map[string]executor.Task{"error": pooltest.Fail, "panic": pooltest.Panic, "goexit": pooltest.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log pooltest.Log
				p := pooltest.NewScheduledPool(t, 1, executor.Logger(slog.New(&log)))
				require.NoError(t, p.Execute(body))
				synctest.Wait()
				assert.Equal(t, []string{"executor: task failed"}, log.All())
			})
		})
	}
}

func TestK09_AGiganticPeriodDoesNotHoldUpAnOverdueTask(t *testing.T) {
	for _, gigantic := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64/2 + 1} {
		t.Run(gigantic.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				tr := pooltest.NewTrace()
				pooltest.AtFixedRate(t, p, 0, gigantic, func(context.Context) error {
					tr.Mark("giant")
					time.Sleep(3 * time.Millisecond)
					return nil
				})
				f := pooltest.AtFixedRate(t, p, 0, time.Millisecond, tr.Task("small"))
				probe.Elapse(5 * time.Millisecond)
				want := []string{"giant 0s", "small 3ms", "small 3ms", "small 3ms", "small 3ms", "small 4ms", "small 5ms"}
				assert.Equal(t, want, tr.Seen())
				probe.Elapse(time.Second)
				assert.EqualValues(t, 1006, f.Runs())
			})
		})
	}
}

func TestK26_AYearOfHourlyRunsIsExactAndTakesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		wrong, runs := 0, 0
		f := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, func(context.Context) error {
			runs++
			if time.Since(start) != time.Duration(runs)*time.Hour {
				wrong++
			}
			return nil
		}, executor.MaxRuns(365*24))
		_, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 365*24, runs)
		assert.Zero(t, wrong)
		assert.Equal(t, 365*24*time.Hour, time.Since(start))
	})
}

func TestK27_APeriodThatMeansNeverAgainIsTakenAndRunsOnce(t *testing.T) {
	submits := map[string]func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}]{
		"rate": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.AtFixedRate(t, p, time.Hour, math.MaxInt64, pooltest.Nothing)
		},
		"rate, skip": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.AtFixedRate(t, p, time.Hour, math.MaxInt64, pooltest.Nothing, executor.CatchUp(executor.Skip))
		},
		"rate, coalesce": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.AtFixedRate(t, p, time.Hour, math.MaxInt64, pooltest.Nothing, executor.CatchUp(executor.Coalesce))
		},
		"delay": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.WithFixedDelay(t, p, time.Hour, math.MaxInt64, pooltest.Nothing)
		},
		"delay, body": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.WithFixedDelay(t, p, time.Hour, math.MaxInt64, pooltest.Sleep(time.Hour), executor.Jitter(1))
		},
	}
	for name, submit := range submits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				f := submit(t, p)
				probe.Elapse(100 * 8760 * time.Hour)
				assert.EqualValues(t, 1, f.Runs())
				assert.False(t, f.State().Settled())
				assert.Greater(t, f.Delay(), 190*8760*time.Hour)
				next, ok := f.Next()
				assert.False(t, ok, "%v", next)
				assert.Equal(t, 1, p.Stats().Queued)
			})
		})
	}
}

func TestK27_AHugeInitialDelayIsTakenAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		probe.Elapse(time.Hour)
		f := pooltest.AtFixedRate(t, p, math.MaxInt64, math.MaxInt64, pooltest.Nothing, executor.Jitter(math.MaxInt64))
		probe.Elapse(100 * 8760 * time.Hour)
		assert.Zero(t, f.Runs())
		assert.Positive(t, f.Delay())
	})
}

func TestK28_ASeriesCancelledInItsRunIsNotQueuedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		var self atomic.Pointer[executor.ScheduledFuture[struct{}]]
		self.Store(pooltest.AtFixedRate(t, p, time.Second, time.Second, func(context.Context) error {
			tr.Mark("run")
			if f := self.Load(); f.Runs() == 2 {
				f.Stop()
			}
			return nil
		}))
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"run 1s", "run 2s"}, tr.Seen())
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestK28_AFixedDelayIsNotAFixedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		delay, rate := pooltest.NewTrace(), pooltest.NewTrace()
		d := pooltest.WithFixedDelay(t, p, 0, 50, func(context.Context) error {
			delay.Mark("start")
			time.Sleep(30)
			return nil
		}, executor.MaxRuns(3))
		<-d.Done()
		rate.Start = time.Now()
		r := pooltest.AtFixedRate(t, p, 0, 50, func(context.Context) error {
			rate.Mark("start")
			time.Sleep(30)
			return nil
		}, executor.MaxRuns(3))
		<-r.Done()
		assert.Equal(t, []string{"start 0s", "start 80ns", "start 160ns"}, delay.Seen())
		assert.Equal(t, []string{"start 0s", "start 50ns", "start 100ns"}, rate.Seen())
	})
}
