package control_test

import (
	"context"
	"log/slog"
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

// failing returns a body that fails in the runs of these numbers.
func (d *diary) failing(numbers ...uint64) executor.Task {
	return func(ctx context.Context) error {
		r := d.run(ctx)
		for _, n := range numbers {
			if r.Number == n {
				return errBoom
			}
		}
		return nil
	}
}

func TestFailuresStretchADelayAndASuccessResetsIt(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		delayed(t, s, d.failing(2, 3, 4, 5, 7), executor.SlowDown(2, 50*time.Second))
		d.until(310)
		assert.Equal(t, []string{"10", "20", "40", "80", "130", "180", "190", "210", "220"}, d.starts()[:9])
	})
}

func TestFailuresStretchARateByWholePeriods(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		rate(t, s, d.failing(1, 2, 3, 4), executor.SlowDown(1.5, 35*time.Second))
		d.until(150)
		// 15, 22.5, 33.75 and 35 s, in periods of 10 s.
		assert.Equal(t, []string{"10", "20", "40", "70", "100", "110"}, d.starts()[:6])
		for _, r := range d.all() {
			assert.Zero(t, r.Missed)
		}
	})
}

func TestASlowDownDoesNotOverflow(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		delayed(t, s, func(ctx context.Context) error { d.run(ctx); return errBoom }, executor.SlowDown(1e9, 1<<62))
		d.until(1e9)
		assert.Equal(t, []string{"10"}, d.starts()[:1])
		assert.LessOrEqual(t, len(d.starts()), 2)
	})
}

func TestASeriesPausesAfterFailuresInARow(t *testing.T) {
	var log pooltest.Log
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.failing(1, 3, 4, 5, 6, 7, 8), executor.PauseAfter(3))
		d.until(100)
		assert.Equal(t, []string{"10", "20", "30", "40", "50"}, d.starts())
		assert.True(t, f.Paused())
		assert.Contains(t, log.All(), "executor: periodic task paused after failures")
		assert.True(t, f.Resume())
		d.until(200)
		assert.Equal(t, []string{"100", "110", "120"}, d.starts()[5:], "a new row of three")
		f.Trigger()
		d.until(201)
		assert.True(t, f.Paused(), "a success of an extra run does not resume")
	}, executor.Logger(slog.New(&log)))
}

func TestASeriesRunsFromOneTimeUntilAnother(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0), executor.From(d.began.Add(25*time.Second)), executor.Until(d.began.Add(55*time.Second)))
		d.until(46)
		assert.Equal(t, []string{"25", "35", "45"}, d.starts(), "the end is exclusive")
		_, err := f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, 46*time.Second, time.Since(d.began), "it has ended with its last run")
	})
}

// A run that was triggered before it does not let the plan begin earlier.
func TestNothingIsPlannedBeforeFromAfterATriggeredRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		ten := func(executor.LastRun) (time.Duration, bool) { return 10 * time.Second, true }
		for _, way := range []struct {
			task func(d *diary) executor.Task
			opts []executor.TaskOption
		}{
			{func(d *diary) executor.Task { return d.task(0) }, []executor.TaskOption{executor.DelayBy(ten)}},
			{func(d *diary) executor.Task {
				return func(ctx context.Context) error { d.run(ctx); executor.NextIn(ctx, 10*time.Second); return nil }
			}, nil},
		} {
			d := newDiary()
			f := rate(t, s, way.task(d), append(way.opts, executor.From(d.began.Add(25*time.Second)))...)
			d.until(3)
			assert.True(t, f.Trigger())
			d.until(30)
			assert.Equal(t, []string{"3!", "25"}, d.starts())
			assert.True(t, f.Cancel())
		}
	})
}

func TestASeriesWhoseRunIsMovedBeyondItsEndEnds(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0), executor.Until(d.began.Add(35*time.Second)))
		d.until(15)
		f.Reset(time.Minute)
		_, err := f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, []string{"10"}, d.starts())
		assert.EqualValues(t, 1, f.Runs())
		assert.EqualValues(t, 1, booksOf(s).Runs)
		requireBalanced(t, s)
	})
}

func TestASeriesWithoutARunInItsBoundsIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		now := time.Now()
		for _, opts := range [][]executor.TaskOption{
			{executor.Until(now.Add(-time.Hour))},
			{executor.Until(now.Add(10 * time.Second))},
			{executor.From(now.Add(time.Hour)), executor.Until(now.Add(time.Hour))},
			{executor.Until(time.Time{})},
		} {
			_, err := s.AtFixedRate(10*time.Second, time.Second, pooltest.Nothing, opts...)
			assert.ErrorIs(t, err, executor.ErrInvalid)
		}
		assert.Zero(t, booksOf(s).Accepted)
	})
}

func TestAFunctionOfTheLastRunDecidesAboutTheNext(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := delayed(t, s, d.failing(2), executor.DelayBy(func(last executor.LastRun) (time.Duration, bool) {
			if last.Err != nil {
				return time.Second, true
			}
			return time.Duration(last.Number) * 20 * time.Second, last.Number < 4
		}))
		_, err := f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, []string{"10", "30", "31", "91"}, d.starts())
		requireBalanced(t, s)
	})
}

func TestAResetDuringARunHasPriorityOverTheFunction(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := delayed(t, s, d.task(3*time.Second), executor.DelayBy(
			func(executor.LastRun) (time.Duration, bool) { return time.Hour, true }))
		d.until(11)
		assert.True(t, f.Reset(time.Second))
		d.until(20)
		assert.True(t, f.Trigger())
		d.until(21)
		assert.True(t, f.Reset(5*time.Second))
		d.until(3628)
		assert.Equal(t, []string{"10", "13", "20!", "26"}, d.starts())
		d.until(3640) // for the run after that the function counts again
		assert.Equal(t, []string{"10", "13", "20!", "26", "3629"}, d.starts())
	})
}

func TestAFunctionThatPanicsIsReportedAndThePeriodCounts(t *testing.T) {
	var told pooltest.Errors
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		delayed(t, s, d.task(0), executor.DelayBy(func(executor.LastRun) (time.Duration, bool) { panic("no idea") }))
		d.until(25)
		assert.Equal(t, []string{"10", "20"}, d.starts())
		require.NotEmpty(t, told.Told())
		assert.ErrorContains(t, told.Told()[0], "no idea")
	}, executor.ErrorHandler(told.Handle))
}

func TestARunThatCannotBeginInTimeIsDropped(t *testing.T) {
	var told pooltest.Errors
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		block := func(context.Context) error { time.Sleep(30 * time.Second); return nil }
		for range 3 {
			require.NoError(t, s.Execute(block))
		}
		late, err := s.Schedule(10*time.Second, d.task(0), executor.BeginWithin(19*time.Second), executor.Name("mail"))
		require.NoError(t, err)
		soon, err := s.Schedule(10*time.Second, d.task(0), executor.BeginWithin(80*time.Second))
		require.NoError(t, err)
		_, err = soon.Get(context.Background())
		require.NoError(t, err)
		_, err = late.Get(context.Background())
		assert.ErrorIs(t, err, executor.ErrExpired)
		assert.EqualError(t, err, map[bool]string{
			true: `executor: task "mail" of pool "jobs": not begun within 19s`, false: `eventloop: task "mail" of loop "jobs": not begun within 19s`,
		}[isPool(s)])
		synctest.Wait()
		b := booksOf(s)
		assert.EqualValues(t, 1, b.Expired)
		assert.EqualValues(t, 4, b.Runs)
		assert.Zero(t, b.Failures)
		requireBalanced(t, s)
	}, executor.ErrorHandler(told.Handle))
	assert.Empty(t, told.Told(), "the future has it")
}

func isPool(s scheduler) bool {
	_, is := s.(*executor.ScheduledPool)
	return is
}

func TestASeriesGoesOnAfterARunThatCameTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(told.Handle))
		d := newDiary()
		f := rate(t, p, d.task(0), executor.BeginWithin(time.Second), executor.FailurePolicy(executor.StopSeries), executor.CatchUp(executor.Skip))
		_, err := p.Schedule(15*time.Second, func(context.Context) error { time.Sleep(10 * time.Second); return nil })
		require.NoError(t, err)
		d.until(45)
		assert.Equal(t, []string{"10", "30", "40"}, d.starts())
		require.Len(t, told.Told(), 1)
		assert.ErrorIs(t, told.Told()[0], executor.ErrExpired)
		assert.EqualValues(t, 1, p.Stats().Expired)
		assert.Equal(t, future.Pending, f.State())
		f.Cancel()
	})
}

func TestAGridThatShiftsLeavesAPeriodBetweenRuns(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
			if d.run(ctx).Number == 3 {
				time.Sleep(27 * time.Second)
			}
			return nil
		}, executor.CatchUp(executor.Shift))
		require.NoError(t, err)
		d.until(70)
		assert.Equal(t, []string{"0", "10", "20", "47", "57", "67"}, d.starts())
		assert.EqualValues(t, 1, d.all()[3].Missed)
		f.Cancel()
	})
}

func TestAGridShiftsWhenARunStartsAPeriodLate(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		for range 3 {
			_, err := s.Schedule(9*time.Second, func(context.Context) error { time.Sleep(8 * time.Second); return nil })
			require.NoError(t, err)
		}
		f := rate(t, s, d.task(0), executor.CatchUp(executor.Shift))
		d.until(60)
		first := d.all()[0]
		for n, r := range d.all()[1:3] {
			if late := first.Started.Sub(d.began) - 10*time.Second; late >= 10*time.Second {
				assert.Equal(t, first.Started.Add(time.Duration(n+1)*10*time.Second), r.Started)
			} else {
				assert.Equal(t, d.began.Add(time.Duration(n+2)*10*time.Second), r.Started, "lateness of less than a period shifts nothing")
			}
		}
		f.Cancel()
	})
}

func TestABadOptionOfASeriesIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		nan := 0.0
		nan /= nan
		for _, o := range []executor.TaskOption{
			executor.SlowDown(0.5, time.Hour), executor.SlowDown(nan, time.Hour), executor.SlowDown(2, 0), executor.SlowDown(2, time.Second),
			executor.PauseAfter(0), executor.DelayBy(nil), executor.BeginWithin(0), executor.BeginWithin(-1),
			executor.Retry(0, retry.Backoff{}), executor.Retry(2, retry.Backoff{Base: -1}), executor.Retry(2, retry.Backoff{Factor: 0.5}),
			executor.Retry(2, retry.Backoff{Factor: nan}), executor.Retry(2, retry.Backoff{Spread: retry.NoSpread + 1}),
			executor.Retry(2, retry.Backoff{Within: -1}), executor.Retry(2, retry.Backoff{Max: -1}),
		} {
			_, err := s.AtFixedRate(0, time.Minute, pooltest.Nothing, o)
			assert.ErrorIs(t, err, executor.ErrInvalid)
		}
		assert.Zero(t, booksOf(s).Accepted)
	})
}
