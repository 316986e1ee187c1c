package timer_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

// The tests of this file answer for the JDK's own tests of java.util.Timer.

// ways are all that schedule, to begin now or, those with a time, at first.
var ways = map[string]func(tm *timer.Timer, k *timer.Task, first time.Time, period time.Duration) error{
	"Schedule": func(tm *timer.Timer, k *timer.Task, _ time.Time, _ time.Duration) error {
		return tm.Schedule(k, 0)
	},
	"ScheduleAt": func(tm *timer.Timer, k *timer.Task, first time.Time, _ time.Duration) error {
		return tm.ScheduleAt(k, first)
	},
	"Repeat": func(tm *timer.Timer, k *timer.Task, _ time.Time, period time.Duration) error {
		return tm.Repeat(k, 0, period)
	},
	"RepeatAt": (*timer.Timer).RepeatAt,
	"AtFixedRate": func(tm *timer.Timer, k *timer.Task, _ time.Time, period time.Duration) error {
		return tm.AtFixedRate(k, 0, period)
	},
	"AtFixedRateAt": (*timer.Timer).AtFixedRateAt,
}

func TestTMJ01_EveryBadArgumentIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		k := timer.NewTask(nothing)
		for _, period := range []time.Duration{0, -42} {
			for name, way := range ways {
				if err := way(tm, k, time.Now(), period); name[0] != 'S' {
					assert.ErrorIs(t, err, timer.ErrInvalid, "%s, period %d", name, period)
				} else {
					require.NoError(t, err, name)
					k.Cancel()
					k = timer.NewTask(nothing)
				}
			}
		}
		before1970 := time.Unix(0, 0).Add(-42 * ms)
		for _, err := range []error{
			tm.Schedule(k, -42), tm.Repeat(k, -42, 1), tm.AtFixedRate(k, -42, 1),
			tm.ScheduleAt(k, before1970), tm.RepeatAt(k, before1970, 1), tm.AtFixedRateAt(k, before1970, 1),
		} {
			assert.ErrorIs(t, err, timer.ErrInvalid)
		}
		for name, way := range ways {
			assert.ErrorIs(t, way(tm, nil, time.Now(), 1), timer.ErrNilTask, name)
			used := timer.NewTask(nothing)
			require.NoError(t, way(tm, used, time.Now(), time.Hour), name)
			assert.ErrorIs(t, way(tm, used, time.Now(), time.Hour), timer.ErrTaskUsed, name)
		}
		tm.Cancel()
		for name, way := range ways {
			assert.ErrorIs(t, way(tm, k, time.Now(), 1), timer.ErrClosed, name)
		}
	})
}

func TestTMJ01_AFirstTimeTenAndAHalfPeriodsAgo(t *testing.T) {
	const period = 30 * time.Second
	for name, want := range map[string]int{"ScheduleAt": 1, "RepeatAt": 1, "AtFixedRateAt": 11} {
		inBubble(t, func(t *testing.T, tm *timer.Timer) {
			l := newLog()
			require.NoError(t, ways[name](tm, l.task("a"), l.start.Add(-10*period-period/2), period))
			probe.Elapse(period / 4)
			assert.Equal(t, make([]time.Duration, want), l.starts(), name)
		})
	}
}

func TestTMJ02_AForgottenTimerRunsItsTasksAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		forgotten(t, func(tm *timer.Timer) error {
			for i := range 10 {
				require.NoError(t, tm.Schedule(l.task("a"), time.Duration(i)*500*ms))
			}
			return nil
		})
		runtime.GC()
		probe.Elapse(4500 * ms)
		synctest.Wait()
		assert.Equal(t, millis(0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500), l.starts())
	})
}

func TestTMJ03_AnEndlessPeriodIsOneRun(t *testing.T) {
	for name, way := range ways {
		if name[0] == 'S' {
			continue
		}
		inBubble(t, func(t *testing.T, tm *timer.Timer) {
			l := newLog()
			k := l.task("a")
			require.NoError(t, way(tm, k, l.start, longest), name)
			probe.Elapse(time.Hour)
			assert.Equal(t, []aRun{{"a", 0, 0}}, l.runs, name)
			assert.True(t, l.start.Equal(k.ScheduledTime()), name)
			assert.True(t, k.Cancel(), name)
			assert.True(t, l.start.Equal(k.ScheduledTime()), name)
		})
	}
}

func TestTMJ04_SchedulingOnADeadTimerIsRefused(t *testing.T) {
	recorded(t)
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		require.NoError(t, tm.Schedule(timer.NewTask(theCulprit), 0))
		synctest.Wait()
		for name, way := range ways {
			err := way(tm, timer.NewTask(nothing), time.Now(), time.Second)
			assert.ErrorIs(t, err, timer.ErrClosed, name)
			assert.ErrorIs(t, err, errBoom, name)
		}
	})
}

func TestTMJ05_TheGoroutineCarriesTheName(t *testing.T) {
	for name, want := range map[string]string{"heartbeat": `"timer":"heartbeat"`, "": ""} {
		var profile bytes.Buffer
		ran := make(chan error)
		tm := timer.New(name)
		pprof.Do(t.Context(), pprof.Labels("caller", "me"), func(context.Context) {
			require.NoError(t, tm.Schedule(timer.NewTask(func() {
				ran <- pprof.Lookup("goroutine").WriteTo(&profile, 1)
			}), 0))
			require.NoError(t, <-ran)
		})
		drained(t, tm)
		assert.Contains(t, profile.String(), want)
		assert.NotRegexp(t, `"timer":.*"caller":|"caller":.*"timer":`, profile.String(), "not those of the caller")
		if name == "" {
			assert.NotContains(t, profile.String(), `"timer":`)
		}
	}
}

func TestTMJ06_PurgeReturnsTheNumberOfTheCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		rng := rand.New(rand.NewPCG(1, 2))
		cancelled := 0
		for i := range 1000 {
			k := timer.NewTask(nothing)
			delay := time.Hour // the first is that, and stays on top
			if i > 0 {
				delay += time.Duration(rng.IntN(1000)+1) * ms
			}
			require.NoError(t, tm.Schedule(k, delay))
			if i > 0 && rng.IntN(2) == 0 {
				require.True(t, k.Cancel())
				cancelled++
			}
		}
		assert.Equal(t, cancelled, tm.Purge())
		assert.Zero(t, tm.Purge())
		assert.Equal(t, 1000-cancelled, timer.Queued(tm))
		require.NoError(t, timer.Validate(tm))
	})
}
