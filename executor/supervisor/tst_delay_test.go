package supervisor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
)

// The rows of TimedSupervisorTask: when the next cycle follows.

func TestTST01_IntervalAndTimeoutAreTwoSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.InTurn(pooltest.Nothing, hang),
			supervisor.Interval(10*time.Second), supervisor.Timeout(3*time.Second), supervisor.Bound(1))
		time.Sleep(40 * time.Second)
		assert.Equal(t, seconds(0, 10, 23, 36), s.begun(), "a bound of 1: the ceiling is not below the interval")
	})
}

func TestTST01_TimeoutIsTheIntervalByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), hang, supervisor.Interval(7*time.Second), supervisor.Factor(1))
		time.Sleep(30 * time.Second)
		assert.Equal(t, seconds(0, 14, 28), s.begun())
	})
}

func TestTST01_EurekaTakesOneValueForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.InTurn(pooltest.Nothing, hang), supervisor.Eureka(30*time.Second, 10))
		time.Sleep(200 * time.Second)
		assert.Equal(t, seconds(30, 60, 150), s.begun())
		assert.Equal(t, seconds(30, 60, 120), s.delays())
	})
}

func TestTST02_ACycleIsSubmittedWatchedAndFollowedByTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := prepare(t, pool, pooltest.Nothing, supervisor.InitialDelay(5*time.Second), supervisor.Interval(10*time.Second))
		time.Sleep(time.Hour)
		assert.Empty(t, s.begun(), "nothing comes before Start")
		s.epoch = time.Now()
		s.Start()
		s.Start()
		time.Sleep(36 * time.Second)
		assert.Equal(t, seconds(5, 15, 25, 35), s.begun())
		assert.EqualValues(t, 4, pool.Stats().Accepted)
	})
}

func TestTST02_WithoutAnInitialDelayTheFirstRunComesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		for _, opts := range [][]supervisor.Option{nil, {supervisor.InitialDelay(-time.Hour)}} {
			s := supervise(t, pool, pooltest.Nothing, opts...)
			assert.Equal(t, seconds(0), s.begun())
		}
	})
}

func TestTST03_TheDelayCountsFromTheEndOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.InTurn(takes(7*time.Second), takes(time.Second), takes(20*time.Second), pooltest.Nothing),
			supervisor.Interval(10*time.Second), supervisor.Timeout(time.Minute))
		time.Sleep(68 * time.Second)
		assert.Equal(t, seconds(0, 17, 28, 58, 68), s.begun(), "no fixed rate, and nothing is caught up with")
	})
}

func TestTST04_SuccessRestoresTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.InTurn(hang, hang, pooltest.Nothing, hang, pooltest.Nothing), supervisor.Eureka(10*time.Second, 8))
		time.Sleep(3 * time.Minute)
		assert.Equal(t, seconds(20, 40, 10, 20, 10), s.delays()[:5])
		assert.Equal(t, seconds(10, 40, 90, 100, 130, 140), s.begun()[:6])
	})
}

func TestTST05_TimeoutDoublesTheDelayUpToTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), hang, supervisor.Eureka(30*time.Second, 4))
		time.Sleep(571 * time.Second)
		assert.Equal(t, seconds(60, 120, 120, 120), s.delays())
		assert.Equal(t, seconds(30, 120, 270, 420, 570), s.begun())
	})
}

func TestTST05_TheCeilingNeedNotBeAPowerOfTheFactor(t *testing.T) {
	for name, c := range map[string]struct {
		opts []supervisor.Option
		want []time.Duration
	}{
		"bound":             {[]supervisor.Option{supervisor.Bound(5)}, seconds(20, 40, 50, 50)},
		"maximum":           {[]supervisor.Option{supervisor.MaxInterval(25 * time.Second)}, seconds(20, 25, 25)},
		"factor":            {[]supervisor.Option{supervisor.Factor(3)}, seconds(30, 90, 100, 100)},
		"broken factor":     {[]supervisor.Option{supervisor.Factor(1.5), supervisor.Bound(2)}, seconds(15, 20, 20)},
		"no factor":         {[]supervisor.Option{supervisor.Factor(1), supervisor.Bound(9)}, seconds(10, 10, 10)},
		"bound, last":       {[]supervisor.Option{supervisor.MaxInterval(time.Hour), supervisor.Bound(2)}, seconds(20, 20)},
		"maximum, last":     {[]supervisor.Option{supervisor.Bound(2), supervisor.MaxInterval(time.Hour)}, seconds(20, 40, 80)},
		"maximum, interval": {[]supervisor.Option{supervisor.MaxInterval(10 * time.Second)}, seconds(10, 10)},
		"timeout is short":  {[]supervisor.Option{supervisor.Timeout(time.Second), supervisor.Bound(25)}, seconds(20, 25, 25)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := supervise(t, newPool(t), hang, append([]supervisor.Option{supervisor.Eureka(10*time.Second, 10)}, c.opts...)...)
				time.Sleep(time.Hour)
				assert.Equal(t, c.want, s.delays()[:len(c.want)])
			})
		})
	}
}

func TestTST05_ARunThatEndsWithItsTimeHasTimedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, pool, pooltest.InTurn(stubborn(10*time.Second), stubborn(10*time.Second-1)), supervisor.Eureka(10*time.Second, 2))
		time.Sleep(2 * time.Minute)
		o := s.told()
		assert.Equal(t, supervisor.TimedOut, o[0].Kind)
		assert.Equal(t, supervisor.Succeeded, o[1].Kind)
	})
}

func TestTST06_RejectionDoublesTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &refusing{Runner: newPool(t), err: executor.ErrSaturated}
		s := supervise(t, pool, pooltest.Nothing, supervisor.Eureka(10*time.Second, 4))
		time.Sleep(100 * time.Second)
		assert.Equal(t, seconds(20, 40, 40), s.delays())
		for _, o := range s.told() {
			assert.Equal(t, supervisor.Rejected, o.Kind)
			assert.ErrorIs(t, o.Err, executor.ErrRejected)
			assert.Zero(t, o.Took)
		}
		pool.refuse(nil)
		assert.Empty(t, s.begun())
		time.Sleep(10 * time.Second)
		assert.Equal(t, seconds(110), s.begun())
	})
}

func TestTST07_FailureKeepsResetsOrGrows(t *testing.T) {
	for policy, want := range map[supervisor.DelayPolicy][]time.Duration{
		supervisor.Keep:  seconds(20, 20, 20),
		supervisor.Reset: seconds(20, 10, 10),
		supervisor.Grow:  seconds(20, 40, 80),
	} {
		synctest.Test(t, func(t *testing.T) {
			s := supervise(t, newPool(t), pooltest.InTurn(hang, fail), supervisor.Eureka(10*time.Second, 8), supervisor.FailurePolicy(policy))
			time.Sleep(10 * time.Minute)
			assert.Equal(t, want, s.delays()[:3], "policy %d", policy)
			assert.Equal(t, errBoom, s.told()[1].Err)
		})
	}
}

func TestTST07_KeepIsTheDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.InTurn(hang, fail, pooltest.Nothing), supervisor.Eureka(10*time.Second, 8))
		time.Sleep(5 * time.Minute)
		assert.Equal(t, seconds(20, 20, 10), s.delays()[:3])
	})
}

func TestTST07_PanicAndGoexitAreFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.InTurn(
			func(context.Context) error { panic(errBoom) },
			func(context.Context) error { runtime.Goexit(); return nil },
			pooltest.Nothing), supervisor.Interval(10*time.Second))
		time.Sleep(21 * time.Second)
		o := s.told()
		require.Len(t, o, 3)
		assert.Equal(t, []supervisor.Kind{supervisor.Failed, supervisor.Failed, supervisor.Succeeded}, s.kinds())
		var p *future.PanicError
		ok := errors.As(o[0].Err, &p)
		require.True(t, ok)
		assert.Equal(t, errBoom, p.Value)
		assert.Equal(t, future.ErrGoexit, o[1].Err)
	})
}

func TestTST13_ABoundOfOneIsNoGrowth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), hang, supervisor.Eureka(10*time.Second, 1))
		time.Sleep(71 * time.Second)
		assert.Equal(t, seconds(10, 30, 50, 70), s.begun())
		assert.Equal(t, seconds(10, 10, 10), s.delays())
	})
}

func TestTST13_ABoundBelowOneIsRefused(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt} {
		for _, o := range []supervisor.Option{supervisor.Bound(n), supervisor.Eureka(time.Second, n)} {
			text := fmt.Sprintf("supervisor: bound %d is below 1", n)
			assert.PanicsWithValue(t, text, func() { supervisor.New(new(refusing), pooltest.Nothing, o) })
		}
	}
}

func TestTST13_AHugeBoundSaturates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &refusing{err: executor.ErrSaturated}
		s := supervise(t, pool, pooltest.Nothing, supervisor.Eureka(time.Hour, math.MaxInt))
		for range 100 {
			s.Trigger()
			synctest.Wait()
		}
		delays := s.delays()
		require.Len(t, delays, 100)
		for i := 1; i < len(delays); i++ {
			require.True(t, delays[i] == 2*delays[i-1] || delays[i] == math.MaxInt64, "%v after %v", delays[i], delays[i-1])
		}
		assert.Equal(t, time.Duration(math.MaxInt64), delays[99])
		time.Sleep(100 * 365 * 24 * time.Hour)
		assert.Len(t, s.delays(), 100, "it does not wrap to none")
	})
}
