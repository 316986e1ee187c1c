package eventloop_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// The tests named after rows NETTYLOOP-01 to 25 answer the behaviours of Netty's scheduled event
// executor; where a loop behaves otherwise on purpose, the test says so.

func TestNETTYLOOP01_TimesCountFromAnEpochOfTheLoopsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := quiet()
		time.Sleep(1000 * time.Hour)
		young := quiet()
		at := time.Now().Add(time.Hour)
		for _, l := range []*eventloop.Loop{old, young} {
			f, err := l.ScheduleAt(at, func(ctx context.Context) error {
				run, ok := executor.RunFrom(ctx)
				assert.True(t, ok)
				assert.True(t, run.Scheduled.Equal(at), "%v", run.Scheduled)
				assert.True(t, time.Now().Equal(at))
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, time.Until(at), f.Delay())
			_, err = f.Get(t.Context())
			require.NoError(t, err)
			at = time.Now()
		}
		require.NoError(t, old.Close())
		require.NoError(t, young.Close())
	})
}

func TestNETTYLOOP02_AHugeDelayMeansNeverAndHoldsUpNobody(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		for _, delay := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1} {
			f, err := l.Schedule(delay, d.task("never"))
			require.NoError(t, err)
			assert.Greater(t, f.Delay(), 292*365*24*time.Hour)
		}
		series, err := l.AtFixedRate(0, math.MaxInt64, d.task("once"))
		require.NoError(t, err)
		synctest.Wait()
		before := l.Stats().Wakeups
		time.Sleep(200 * 365 * 24 * time.Hour)
		assert.Equal(t, before, l.Stats().Wakeups, "a sleep without a timer")
		_, err = l.Schedule(ms, d.task("soon"))
		require.NoError(t, err)
		time.Sleep(ms)
		assert.Equal(t, []string{"once", "soon"}, d.readNames())
		assert.EqualValues(t, 1, series.Runs())
		assert.Equal(t, 3, l.Stats().Queued)
	})
}

func TestNETTYLOOP03_ADelayOfZeroOrLessMeansNow(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		for _, delay := range []time.Duration{0, -1, math.MinInt64} {
			_, err := l.Schedule(delay, d.task("task"))
			require.NoError(t, err)
			f, err := eventloop.Schedule(l, delay, func(ctx context.Context) (executor.Run, error) {
				run, _ := executor.RunFrom(ctx)
				return run, nil
			})
			require.NoError(t, err)
			run, err := f.Get(t.Context())
			require.NoError(t, err)
			assert.True(t, run.Scheduled.Equal(time.Now()))
		}
		_, err := l.ScheduleAt(time.Now().Add(-time.Hour), d.task("task"))
		require.NoError(t, err)
		do(t, l, func(_ context.Context, turn eventloop.Turn) {
			_, err := turn.Schedule(-1, d.task("task"))
			assert.NoError(t, err)
			_, err = turn.ScheduleAt(time.Now().Add(-time.Hour), d.task("task"))
			assert.NoError(t, err)
		})
		assert.Equal(t, inMs(0, 0, 0, 0, 0, 0), d.readTimes())
	})
}

// Unlike the original, a negative initial delay means now, as everywhere in this module.
func TestNETTYLOOP04_APeriodMustBePositive(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		for _, period := range []time.Duration{0, -1, math.MinInt64} {
			_, err := l.AtFixedRate(0, period, pooltest.Nothing)
			assert.ErrorIs(t, err, executor.ErrInvalid, "rate %v", period)
			_, err = l.WithFixedDelay(0, period, pooltest.Nothing)
			assert.ErrorIs(t, err, executor.ErrInvalid, "delay %v", period)
		}
		_, err := l.AtFixedRate(0, ms, pooltest.Nothing, executor.Jitter(ms+1))
		assert.ErrorIs(t, err, executor.ErrInvalid)
		assert.Zero(t, l.Stats().Accepted)
		d := newDiary()
		f, err := l.AtFixedRate(-time.Hour, time.Second, d.task("tick"), executor.MaxRuns(2))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{0, time.Second}, d.readTimes())
	})
}

func TestNETTYLOOP05_ARateCountsFromStartsAndADelayFromTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		schedule func(l *eventloop.Loop, initial, every time.Duration, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
		want     []time.Duration
	}{
		"fixed rate":  {(*eventloop.Loop).AtFixedRate, inMs(10, 110, 210, 310)},
		"fixed delay": {(*eventloop.Loop).WithFixedDelay, inMs(10, 140, 270, 400)},
	} {
		t.Run(name, func(t *testing.T) {
			withLoop(t, func(t *testing.T, l *eventloop.Loop) {
				d := newDiary()
				f, err := c.schedule(l, 10*ms, 100*ms, d.lasting("run", 30*ms), executor.MaxRuns(4))
				require.NoError(t, err)
				assert.True(t, f.Periodic())
				_, err = f.Get(t.Context())
				require.NoError(t, err)
				assert.Equal(t, c.want, d.readTimes())
				assert.EqualValues(t, 4, f.Runs())
			})
		})
	}
}

func TestNETTYLOOP06_AFixedRateCatchesUpAsItsPolicySays(t *testing.T) {
	for policy, want := range map[executor.CatchUpPolicy]struct {
		starts []time.Duration
		missed uint64 // in all runs together
	}{
		executor.Burst:    {inMs(0, 401, 401, 401, 401, 500, 600), 3 + 2 + 1}, // as the backlog shrinks
		executor.Coalesce: {inMs(0, 401, 500, 600), 3},                        // 400 has its run
		executor.Skip:     {inMs(0, 500, 600), 4},
	} {
		t.Run(fmt.Sprint(policy), func(t *testing.T) {
			withLoop(t, func(t *testing.T, l *eventloop.Loop) {
				d := newDiary()
				var missed uint64
				f, err := l.AtFixedRate(0, 100*ms, func(ctx context.Context) error {
					d.note("run")
					run, _ := executor.RunFrom(ctx)
					if missed += run.Missed; run.Number == 1 {
						time.Sleep(401 * ms)
					}
					return nil
				}, executor.CatchUp(policy))
				require.NoError(t, err)
				time.Sleep(600 * ms)
				assert.Equal(t, want.starts, d.readTimes())
				assert.Equal(t, want.missed, missed)
				assert.True(t, f.Cancel())
			})
		})
	}
}

// Unlike the original, the next run of a series counts as submitted when the last has ended.
func TestNETTYLOOP07_EqualTimesRunInTheOrderOfArrival(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		var want []string
		add := func(name string, schedule func(time.Duration, executor.Task, ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)) {
			_, err := schedule(10*ms, d.task(name))
			assert.NoError(t, err)
			want = append(want, name)
		}
		for i := range 50 {
			add(fmt.Sprint("outside ", i), l.Schedule)
		}
		do(t, l, func(_ context.Context, turn eventloop.Turn) {
			for i := range 50 {
				add(fmt.Sprint("by turns, from outside ", i), l.Schedule)
				add(fmt.Sprint("by turns, inside ", i), turn.Schedule)
			}
		})
		time.Sleep(10 * ms)
		assert.Equal(t, want, d.readNames())
		assert.Equal(t, 10*ms, d.readTimes()[len(want)-1])
	})
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		_, err := l.AtFixedRate(0, 10*ms, d.task("series"))
		require.NoError(t, err)
		synctest.Wait()
		_, err = l.Schedule(20*ms, d.task("once"))
		require.NoError(t, err)
		time.Sleep(20 * ms)
		assert.Equal(t, []string{"series", "series", "once", "series"}, d.readNames())
	})
}

// Unlike the original, the delay of an overdue task is negative, as in java.util.concurrent.
func TestNETTYLOOP08_DelayTellsTheTimeLeft(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		release := block(t, l)
		now, err := l.Schedule(0, pooltest.Nothing)
		require.NoError(t, err)
		later, err := l.Schedule(5*ms, pooltest.Nothing)
		require.NoError(t, err)
		assert.Zero(t, now.Delay())
		assert.Equal(t, 5*ms, later.Delay())
		next, planned := later.Next()
		assert.True(t, planned)
		assert.Equal(t, 5*ms, time.Until(next))
		time.Sleep(7 * ms)
		assert.Equal(t, -7*ms, now.Delay())
		assert.Equal(t, -2*ms, later.Delay())
		assert.Zero(t, later.Runs())
		release()
		_, err = later.Get(t.Context())
		require.NoError(t, err)
		_, planned = later.Next()
		assert.False(t, planned)
		assert.EqualValues(t, 1, later.Runs())
		assert.False(t, later.Periodic())
	})
}

func TestNETTYLOOP24_DeadlinesAreExactToTheNanosecond(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		for _, delay := range []time.Duration{1, 999, 5 * time.Microsecond, ms - 1, ms + 1, time.Hour + 1} {
			start := time.Now()
			f, err := l.Schedule(delay, func(context.Context) error {
				assert.Equal(t, delay, time.Since(start))
				return nil
			})
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
		}
	})
}

// On the real clock nothing is early either.
func TestNETTYLOOP24_NeverEarlyOnTheRealClock(t *testing.T) {
	l := quiet()
	for i := range 200 {
		delay := time.Duration(i) * 3 * time.Microsecond
		start := time.Now()
		f, err := l.Schedule(delay, func(context.Context) error {
			assert.GreaterOrEqual(t, time.Since(start), delay)
			return nil
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
	}
	require.NoError(t, l.Close())
}
