package timer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

// wheel is what the wheels have in common.
type wheel interface {
	timer.Scheduler
	Close() []timer.Handle
}

var wheels = map[string]func(timer.Config) wheel{
	"hashed":       func(c timer.Config) wheel { return hashedwheel.New(c) },
	"hierarchical": func(c timer.Config) wheel { return hierarchical.New(c) },
	"revolver":     func(c timer.Config) wheel { return revolver.New(c) },
}

// onEachWheel runs a test in a bubble for every wheel.
func onEachWheel(t *testing.T, c timer.Config, test func(t *testing.T, w wheel)) {
	for name, newWheel := range wheels {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWheel(c)
				defer w.Close()
				test(t, w)
			})
		})
	}
}

func TestLARS16_TheLongRunRateIsExactOnEveryWheel(t *testing.T) {
	const period, tick = 25 * ms, 10 * ms
	onEachWheel(t, timer.Config{Tick: tick}, func(t *testing.T, w wheel) {
		r := newTimes()
		s, err := timer.AtFixedRate(w, period, period, r.run)
		require.NoError(t, err)
		probe.Elapse(200*period + tick + 1)
		at := r.all(t)
		require.Len(t, at, 200)
		for i, at := range at {
			plan := time.Duration(i+1) * period
			assert.True(t, plan <= at && at <= plan+tick, "run %d, planned for %v, begins at %v", i, plan, at)
		}
		stop(t, s)
	})
}

func TestLARS17_AWheelIsToldOfThePanicOfASeriesAndGoesOn(t *testing.T) {
	var told []any
	var stack string
	c := timer.Config{OnPanic: func(v any, s []byte) { told, stack = append(told, v), string(s) }}
	onEachWheel(t, c, func(t *testing.T, w wheel) {
		told, stack = nil, ""
		r := newTimes()
		other, err := timer.AtFixedRate(w, 0, time.Second, r.run)
		require.NoError(t, err)
		failing, err := timer.WithFixedDelay(w, time.Second, time.Second, theCulprit)
		require.NoError(t, err)
		probe.Elapse(10*time.Second + 500*ms)
		assert.ErrorIs(t, failing.Err(), errBoom)
		assert.Equal(t, []any{errBoom}, told)
		assert.Contains(t, stack, "timer_test.theCulprit", "where it came from, not where it was passed on")
		assert.Len(t, r.all(t), 11)
		stop(t, other)
	})
}

func TestLARS19_AStoppedWheelTakesItsSeriesWithIt(t *testing.T) {
	onEachWheel(t, timer.Config{}, func(t *testing.T, w wheel) {
		s, err := timer.AtFixedRate(w, 0, time.Second, nothing)
		require.NoError(t, err)
		probe.Elapse(2500 * ms)
		assert.Len(t, w.Close(), 1)
		assert.ErrorIs(t, s.Err(), timer.ErrClosed)
		assert.True(t, probe.IsClosed(s.Done()))
		assert.EqualValues(t, 3, s.Runs())
		_, err = timer.AtFixedRate(w, 0, time.Second, nothing)
		assert.ErrorIs(t, err, timer.ErrClosed)
	})
}

func TestLARS19_B51_AFullWheelRefusesTheNextRunAndEndsTheSeries(t *testing.T) {
	onEachWheel(t, timer.Config{PendingLimit: 1}, func(t *testing.T, w wheel) {
		s, err := timer.AtFixedRate(w, 0, time.Second, func() { w.AfterFunc(time.Hour, nothing) })
		require.NoError(t, err)
		<-s.Done()
		assert.ErrorIs(t, s.Err(), timer.ErrSaturated)
		assert.EqualValues(t, 1, s.Runs())
		_, err = timer.AtFixedRate(w, 0, time.Second, nothing)
		assert.ErrorIs(t, err, timer.ErrSaturated)
	})
}
