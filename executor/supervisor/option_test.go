package supervisor_test

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
)

func TestBadValuesAreRefused(t *testing.T) {
	for name, o := range map[string]supervisor.Option{
		"no interval":         supervisor.Interval(0),
		"negative interval":   supervisor.Interval(-1),
		"no timeout":          supervisor.Timeout(0),
		"negative timeout":    supervisor.Timeout(math.MinInt64),
		"small factor":        supervisor.Factor(0.99),
		"negative factor":     supervisor.Factor(-2),
		"no number":           supervisor.Factor(math.NaN()),
		"infinite factor":     supervisor.Factor(math.Inf(1)),
		"no maximum":          supervisor.MaxInterval(0),
		"small maximum":       supervisor.MaxInterval(30*time.Second - 1),
		"negative jitter":     supervisor.Jitter(-1),
		"unknown policy":      supervisor.OnFailure(3),
		"no unfinished":       supervisor.MaxUnfinished(0),
		"negative unfinished": supervisor.MaxUnfinished(-1),
		"Eureka":              supervisor.Eureka(0, 4),
	} {
		t.Run(name, func(t *testing.T) {
			s, err := supervisor.New(new(refusing), pooltest.Nothing, o)
			assert.ErrorIs(t, err, executor.ErrInvalid)
			assert.Nil(t, s)
		})
	}
}

func TestANilTaskIsRefused(t *testing.T) {
	_, err := supervisor.New(new(refusing), nil)
	assert.Equal(t, executor.ErrNilTask, err)
	_, err = supervisor.New(new(refusing), nil, supervisor.Interval(0))
	assert.ErrorIs(t, err, executor.ErrInvalid)
}

func TestMisuseOfTheConstructorPanics(t *testing.T) {
	assert.PanicsWithValue(t, "supervisor: nil pool", func() { _, _ = supervisor.New(nil, pooltest.Nothing) })
	assert.PanicsWithValue(t, "supervisor: option 1 is nil", func() {
		_, _ = supervisor.New(new(refusing), pooltest.Nothing, supervisor.Name(""), nil)
	})
}

func TestNilCallbacksAndLoggersAreNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := supervisor.New(newPool(t), hang, supervisor.OnCapped(nil), supervisor.OnOutcome(nil), supervisor.Logger(nil), supervisor.Eureka(time.Second, 1))
		require.NoError(t, err)
		s.Start()
		time.Sleep(10 * time.Second)
		require.NoError(t, s.StopContext(nil))
		assert.NotZero(t, s.Stats().TimedOut)
	})
}

func TestHugeDurationsAreNoProblem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const never = time.Duration(math.MaxInt64)
		s := supervise(t, newPool(t), hang, supervisor.Timeout(never), supervisor.Interval(never), supervisor.Jitter(never))
		time.Sleep(time.Hour)
		assert.Empty(t, s.begun(), "the jitter")
		s.Trigger()
		time.Sleep(100 * 365 * 24 * time.Hour)
		assert.Equal(t, "running", s.state())
		assert.Len(t, s.begun(), 1)
		require.NoError(t, s.StopContext(nil))
	})
}

func TestJitterIsBelowItsBoundAndDoesNotAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), takes(time.Second), supervisor.InitialDelay(10*time.Second), supervisor.Interval(10*time.Second), supervisor.Jitter(4*time.Second))
		time.Sleep(3 * time.Hour)
		starts := s.begun()
		var delays []time.Duration
		end := time.Duration(0)
		for _, at := range starts {
			delays = append(delays, at-end)
			end = at + time.Second
		}
		assert.Greater(t, len(delays), 3*60*60/15-1)
		assert.GreaterOrEqual(t, slices.Min(delays), 10*time.Second, "never early")
		assert.Less(t, slices.Max(delays), 14*time.Second)
		assert.Less(t, slices.Min(delays), 11*time.Second, "all of its range")
		assert.Greater(t, slices.Max(delays), 13*time.Second)
		assert.Equal(t, 10*time.Second, s.Stats().Delay)
	})
}

func TestATriggeredRunHasNoJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := prepare(t, newPool(t), pooltest.Nothing, supervisor.Jitter(time.Hour))
		s.Trigger()
		s.Start()
		assert.Equal(t, seconds(0), s.begun())
	})
}

func TestJitterCountsOnTopOfTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), hang, supervisor.Interval(10*time.Second), supervisor.Timeout(time.Second), supervisor.MaxInterval(20*time.Second), supervisor.Jitter(5*time.Second))
		time.Sleep(24 * time.Hour)
		starts := s.begun()
		worst := time.Duration(0)
		for i := 1; i < len(starts); i++ {
			worst = max(worst, starts[i]-starts[i-1])
		}
		assert.Equal(t, 26*time.Second, s.Stats().WorstGap)
		assert.Less(t, worst, 26*time.Second)
		assert.Greater(t, worst, 25*time.Second)
	})
}
