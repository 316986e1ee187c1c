package timer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

func TestTMR07_RepeatCountsFromStartToStart(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.Repeat(l.task("a", 60*ms), 0, 100*ms))
		probe.Elapse(550 * ms)
		assert.Equal(t, millis(0, 100, 200, 300, 400, 500), l.starts())
	})
}

// The same name in Java, with another meaning: that of a scheduled pool.
func TestTMR07_WithFixedDelayCountsFromEndToStart(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		s, err := timer.WithFixedDelay(tm, 0, 100*ms, func() {
			l.runs = append(l.runs, aRun{at: time.Since(l.start)})
			time.Sleep(60 * ms)
		})
		require.NoError(t, err)
		probe.Elapse(550 * ms)
		assert.True(t, s.Stop())
		assert.Equal(t, millis(0, 160, 320, 480), l.starts())
	})
}

func TestTMR08_ADelayShiftsARepeatingTaskForGood(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.Repeat(l.task("a", 250*ms, 0), 100*ms, 100*ms))
		probe.Elapse(700 * ms)
		assert.Equal(t, millis(100, 350, 450, 550, 650), l.starts())
	})
}

func TestTMR09_FixedRateCatchesUp(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.AtFixedRate(l.task("a", 250*ms, 0), 100*ms, 100*ms))
		probe.Elapse(550 * ms)
		assert.Equal(t, []aRun{
			{"a", 100 * ms, 100 * ms},
			{"a", 350 * ms, 200 * ms},
			{"a", 350 * ms, 300 * ms},
			{"a", 400 * ms, 400 * ms},
			{"a", 500 * ms, 500 * ms},
		}, l.runs)
	})
}

func TestTMR10_TheScheduledTimeIsThePlanButOfARepeatingTaskTheStart(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.Schedule(timer.NewTask(func() { time.Sleep(200 * ms) }), 0))
		fresh := l.task("")
		onceTask, rate, repeat := l.task("once"), l.task("rate"), l.task("repeat")
		require.NoError(t, tm.Schedule(onceTask, 50*ms))
		require.NoError(t, tm.AtFixedRate(rate, 50*ms, time.Hour))
		require.NoError(t, tm.Repeat(repeat, 50*ms, time.Hour))
		for _, k := range []*timer.Task{onceTask, rate, repeat} {
			assert.Equal(t, 50*ms, k.ScheduledTime().Sub(l.start), "before the first run: its plan")
		}
		probe.Elapse(time.Second)
		assert.Equal(t, []aRun{
			{"once", 200 * ms, 50 * ms},
			{"rate", 200 * ms, 50 * ms},
			{"repeat", 200 * ms, 200 * ms},
		}, l.runs)
		assert.Equal(t, 50*ms, rate.ScheduledTime().Sub(l.start), "after a run: that of the last one")
		rate.Cancel()
		assert.Equal(t, 50*ms, rate.ScheduledTime().Sub(l.start))
		assert.True(t, fresh.ScheduledTime().IsZero())
		fresh.Cancel()
		assert.True(t, fresh.ScheduledTime().IsZero())
	})
}

func TestTMR11_AFirstTimeInThePast(t *testing.T) {
	for name, want := range map[string][]aRun{
		"ScheduleAt": {{"a", 0, -1050 * ms}},
		"RepeatAt":   {{"a", 0, 0}, {"a", 200 * ms, 200 * ms}},
		"AtFixedRateAt": {
			{"a", 0, -1050 * ms}, {"a", 0, -850 * ms}, {"a", 0, -650 * ms}, {"a", 0, -450 * ms}, {"a", 0, -250 * ms},
			{"a", 0, -50 * ms}, {"a", 150 * ms, 150 * ms},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *timer.Timer) {
				l := newLog()
				require.NoError(t, ways[name](tm, l.task("a"), l.start.Add(-1050*ms), 200*ms))
				probe.Elapse(210 * ms)
				assert.Equal(t, want, l.runs)
			})
		})
	}
}
