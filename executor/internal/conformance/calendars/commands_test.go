package calendars_test

import (
	"context"
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

func TestATriggerLeavesTheCalendarAlone(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(every(hour), executor.MaxRuns(2))
		s.after(30 * time.Minute)
		require.True(t, f.Trigger())
		assert.Equal(t, []string{"01T00:30!", "01T01:00", "01T02:00"}, s.after(5*hour))
		assert.Equal(t, "succeeded", f.State().String())
	})
}

func TestAResetPutsOneRunBeforeTheNextTime(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(every(hour))
		require.True(t, f.Reset(20*time.Minute))
		assert.Equal(t, []string{"01T00:20", "01T01:00"}, s.after(hour))
		require.True(t, f.Reset(90*time.Minute))
		assert.Equal(t, []string{"01T02:30", "01T03:00"}, s.after(2*hour))
		s.wall.Step(10 * time.Minute)
		require.True(t, f.Reset(5*time.Minute))
		assert.Equal(t, []string{"01T03:15", "01T04:00"}, s.after(50*time.Minute))
		require.ErrorIs(t, f.SetPeriod(hour), executor.ErrInvalid)
	})
}

func TestARunChoosesTheTimeOfTheNext(t *testing.T) {
	onStage(t, func(s *stage) {
		s.body = func(ctx context.Context) error {
			if r, _ := executor.RunFrom(ctx); r.Number == 1 {
				executor.NextIn(ctx, 10*time.Minute)
			}
			return nil
		}
		s.on(every(hour))
		assert.Equal(t, []string{"01T01:00", "01T01:10", "01T02:00"}, s.after(2*hour))
	})
	onStage(t, func(s *stage) {
		f := s.on(list{day(1)}, executor.DelayBy(func(last executor.LastRun) (time.Duration, bool) {
			return hour, last.Number < 3
		}))
		s.after(5 * hour)
		assert.EqualValues(t, 1, f.Runs(), "the calendar has ended")
	})
}

func TestAPauseDropsTheTimesThatPass(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(every(hour))
		require.True(t, f.Pause())
		s.after(3*hour + 30*time.Minute)
		require.True(t, f.Resume())
		assert.Equal(t, []string{"01T04:00 missed 3"}, s.after(hour))
	})
	onStage(t, func(s *stage) { // during a run
		s.takes(3*hour + 30*time.Minute)
		f := s.on(every(hour))
		s.after(2*hour + 30*time.Minute)
		require.True(t, f.Pause())
		s.after(time.Minute)
		require.True(t, f.Resume())
		assert.Equal(t, []string{"01T04:30 for 01T04:00 missed 2"}, s.after(5 * hour)[:1])
	})
	onStage(t, func(s *stage) { // beyond its end
		f := s.on(list{day(1), day(2)})
		require.True(t, f.Pause())
		s.after(10 * hour)
		require.True(t, f.Resume())
		assert.Empty(t, s.after(0))
		assert.Equal(t, "succeeded", f.State().String())
	})
}

func TestAttemptsOfARunOnACalendar(t *testing.T) {
	onStage(t, func(s *stage) {
		s.body = func(ctx context.Context) error {
			if r, _ := executor.RunFrom(ctx); r.Attempt < 3 {
				return errBoom
			}
			return nil
		}
		f := s.on(every(hour), executor.Retry(3, retry.Backoff{
			Base: 10 * time.Minute, Factor: 1, Spread: retry.NoSpread}))
		assert.Equal(t, []string{"01T01:00", "01T01:10 for 01T01:00", "01T01:20 for 01T01:00", "01T02:00"},
			s.after(2*hour))
		last, ok := f.Last()
		assert.True(t, ok)
		assert.True(t, last.Scheduled.Equal(day(1)))
		assert.EqualValues(t, 2, f.Runs())
	})
}

func TestPausesAfterFailures(t *testing.T) {
	onStage(t, func(s *stage) {
		s.body = pooltest.Fail
		f := s.on(every(hour), executor.PauseAfter(2))
		assert.Len(t, s.after(5*hour+time.Minute), 2)
		assert.True(t, f.Paused())
		require.True(t, f.Resume())
		assert.Equal(t, []string{"01T06:00 missed 3"}, s.after(hour)[:1])
	})
}

func TestACalendarThatLeadsNowhereEndsItsSeries(t *testing.T) {
	for name, fault := range map[string]struct {
		next func(time.Time) time.Time
		err  error
	}{
		"stands still": {func(after time.Time) time.Time { return after }, executor.ErrCalendar},
		"goes back":    {func(after time.Time) time.Time { return after.Add(-hour) }, executor.ErrCalendar},
		"panics":       {func(time.Time) time.Time { panic(errBoom) }, errBoom},
		"exits":        {func(time.Time) time.Time { runtime.Goexit(); return time.Time{} }, future.ErrGoexit},
	} {
		for when, from := range map[string]time.Time{"during the first run": day(1), "before the third": day(2)} {
			t.Run(name+" "+when, func(t *testing.T) {
				onStage(t, func(s *stage) {
					f := s.on(next(func(after time.Time) time.Time {
						if !after.Before(from) {
							return fault.next(after)
						}
						return every(hour).Next(after)
					}))
					s.after(10 * hour)
					_, err := f.Get(t.Context())
					require.ErrorIs(t, err, fault.err)
					assert.LessOrEqual(t, f.Runs(), uint64(2))
					synctest.Wait()
					_, _, busy := s.counts()
					assert.Zero(t, busy)
				})
			})
		}
	}
}

func TestACalendarIsRefused(t *testing.T) {
	onStage(t, func(s *stage) {
		for _, row := range []struct {
			calendar executor.Calendar
			task     executor.Task
			opts     []executor.TaskOption
			err      error
		}{
			{nil, s.run, nil, executor.ErrInvalid},
			{every(hour), nil, nil, executor.ErrNilTask},
			{list{}, s.run, nil, executor.ErrInvalid},
			{next(func(after time.Time) time.Time { return after }), s.run, nil, executor.ErrCalendar},
			{every(hour), s.run, []executor.TaskOption{executor.CatchUp(executor.Shift)}, executor.ErrInvalid},
			{every(hour), s.run, []executor.TaskOption{executor.SlowDown(2, 5*hour)}, executor.ErrInvalid},
			{every(hour), s.run, []executor.TaskOption{nil}, executor.ErrInvalid},
			{every(hour), s.run, []executor.TaskOption{executor.From(day(2)), executor.Until(day(1))},
				executor.ErrInvalid},
		} {
			f, err := s.s.On(row.calendar, row.task, row.opts...)
			require.ErrorIs(t, err, row.err)
			assert.Nil(t, f)
		}
		assert.PanicsWithValue(t, "no", func() {
			_, _ = s.s.On(next(func(time.Time) time.Time { panic("no") }), s.run)
		})
		require.NoError(t, s.s.Close())
		_, err := s.s.On(every(hour), s.run)
		require.ErrorIs(t, err, executor.ErrShutdown)
	})
}

func TestTheRefusalNamesTheTask(t *testing.T) {
	onStage(t, func(s *stage) {
		_, err := s.s.On(list{}, s.run, executor.Name("nightly"))
		require.ErrorContains(t, err, `task "nightly" of `)
		require.ErrorContains(t, err, `"jobs": the calendar has no time after 2000-01-01`)
	})
}

func TestACalendarMayUseThePool(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(next(func(after time.Time) time.Time {
			_, _ = s.s.Schedule(0, pooltest.Nothing) // it would deadlock if the lock were held
			return every(hour).Next(after)
		}))
		s.after(hour)
		f.Pause()
		s.after(hour)
		f.Resume()
		s.after(0) // who is to begin now has begun
		s.wall.Step(-5 * hour)
		assert.Len(t, s.after(3*hour), 3)
	})
}

func TestManyTimesThatHavePassedAreNotCountedToTheEnd(t *testing.T) {
	onStage(t, func(s *stage) {
		asked := 0
		s.on(next(func(after time.Time) time.Time {
			asked++
			return every(time.Second).Next(after)
		}), executor.MaxRuns(1))
		s.wall.Step(10 * 365 * 24 * hour)
		runs := s.after(0)
		require.Len(t, runs, 1)
		assert.Contains(t, runs[0], "missed 10000")
		assert.NotContains(t, runs[0], "for", "it counts for the last time that has passed")
		assert.Less(t, asked, 10_200)
	})
}
