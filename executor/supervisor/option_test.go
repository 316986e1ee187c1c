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
	for text, o := range map[string]supervisor.Option{
		"interval 0s is not positive":                              supervisor.Interval(0),
		"interval -1ns is not positive":                            supervisor.Interval(-1),
		"timeout 0s is not positive":                               supervisor.Timeout(0),
		"timeout -2562047h47m16.854775808s is not positive":        supervisor.Timeout(math.MinInt64),
		"factor 0.99 is below 1 or not finite":                     supervisor.Factor(0.99),
		"factor -2 is below 1 or not finite":                       supervisor.Factor(-2),
		"factor NaN is below 1 or not finite":                      supervisor.Factor(math.NaN()),
		"factor +Inf is below 1 or not finite":                     supervisor.Factor(math.Inf(1)),
		"maximum interval 0s is not positive":                      supervisor.MaxInterval(0),
		"maximum interval 29.999999999s is below the interval 30s": supervisor.MaxInterval(30*time.Second - 1),
		"negative jitter -1ns":                                     supervisor.Jitter(-1),
		"failure policy 3 is unknown":                              supervisor.FailurePolicy(3),
		"maximum of 0 unfinished runs is below 1":                  supervisor.MaxUnfinished(0),
		"maximum of -1 unfinished runs is below 1":                 supervisor.MaxUnfinished(-1),
		"interval -2ns is not positive":                            supervisor.Eureka(-2, 4),
	} {
		t.Run(text, func(t *testing.T) {
			assert.PanicsWithValue(t, "supervisor: "+text, func() {
				supervisor.New(new(refusing), pooltest.Nothing, o)
			})
		})
	}
}

func TestANilTaskIsRefused(t *testing.T) {
	assert.PanicsWithValue(t, "supervisor: nil task", func() { supervisor.New(new(refusing), nil) })
}

func TestMisuseOfTheConstructorPanics(t *testing.T) {
	assert.PanicsWithValue(t, "supervisor: nil runner", func() { supervisor.New(nil, pooltest.Nothing) })
	assert.PanicsWithValue(t, "supervisor: option 1 is nil", func() {
		supervisor.New(new(refusing), pooltest.Nothing, executor.Name(""), nil)
	})
	assert.PanicsWithValue(t, "supervisor: option 1 is for pools and event loops", func() {
		supervisor.New(new(refusing), pooltest.Nothing, executor.Name(""), executor.Slack(0))
	})
}

func TestNilCallbacksAndLoggersAreNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervisor.New(newPool(t), hang, supervisor.AfterCapped(nil), supervisor.AfterCycle(nil), executor.Logger(nil), supervisor.Eureka(time.Second, 1))
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
