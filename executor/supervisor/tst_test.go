package supervisor_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
)

// The rows of TimedSupervisorTask: what a cycle is, and what follows it.

func TestTST01_IntervalAndTimeoutAreTwoSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), inTurn(succeed, hang),
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
		s := supervise(t, newPool(t), inTurn(succeed, hang), supervisor.Eureka(30*time.Second, 10))
		time.Sleep(200 * time.Second)
		assert.Equal(t, seconds(30, 60, 150), s.begun())
		assert.Equal(t, seconds(30, 60, 120), s.delays())
	})
}

func TestTST02_ACycleIsSubmittedWatchedAndFollowedByTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := prepare(t, pool, succeed, supervisor.InitialDelay(5*time.Second), supervisor.Interval(10*time.Second))
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
			s := supervise(t, pool, succeed, opts...)
			assert.Equal(t, seconds(0), s.begun())
		}
	})
}

func TestTST03_TheDelayCountsFromTheEndOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), inTurn(takes(7*time.Second), takes(time.Second), takes(20*time.Second), succeed),
			supervisor.Interval(10*time.Second), supervisor.Timeout(time.Minute))
		time.Sleep(68 * time.Second)
		assert.Equal(t, seconds(0, 17, 28, 58, 68), s.begun(), "no fixed rate, and nothing is caught up with")
	})
}

func TestTST04_SuccessRestoresTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), inTurn(hang, hang, succeed, hang, succeed), supervisor.Eureka(10*time.Second, 8))
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
		s := supervise(t, pool, inTurn(stubborn(10*time.Second), stubborn(10*time.Second-1)), supervisor.Eureka(10*time.Second, 2))
		time.Sleep(2 * time.Minute)
		o := s.told()
		assert.Equal(t, supervisor.TimedOut, o[0].Kind)
		assert.Equal(t, supervisor.Succeeded, o[1].Kind)
	})
}

func TestTST06_RejectionDoublesTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &refusing{Pool: newPool(t), err: executor.ErrSaturated}
		s := supervise(t, pool, succeed, supervisor.Eureka(10*time.Second, 4))
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
	for policy, want := range map[supervisor.FailurePolicy][]time.Duration{
		supervisor.Keep:  seconds(20, 20, 20),
		supervisor.Reset: seconds(20, 10, 10),
		supervisor.Grow:  seconds(20, 40, 80),
	} {
		synctest.Test(t, func(t *testing.T) {
			s := supervise(t, newPool(t), inTurn(hang, fail), supervisor.Eureka(10*time.Second, 8), supervisor.OnFailure(policy))
			time.Sleep(10 * time.Minute)
			assert.Equal(t, want, s.delays()[:3], "policy %d", policy)
			assert.Equal(t, errBoom, s.told()[1].Err)
		})
	}
}

func TestTST07_KeepIsTheDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), inTurn(hang, fail, succeed), supervisor.Eureka(10*time.Second, 8))
		time.Sleep(5 * time.Minute)
		assert.Equal(t, seconds(20, 20, 10), s.delays()[:3])
	})
}

func TestTST07_PanicAndGoexitAreFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), inTurn(
			func(context.Context) error { panic(errBoom) },
			func(context.Context) error { runtime.Goexit(); return nil },
			succeed), supervisor.Interval(10*time.Second))
		time.Sleep(21 * time.Second)
		o := s.told()
		require.Len(t, o, 3)
		assert.Equal(t, []supervisor.Kind{supervisor.Failed, supervisor.Failed, supervisor.Succeeded}, s.kinds())
		p, ok := errors.AsType[*future.PanicError](o[0].Err)
		require.True(t, ok)
		assert.Equal(t, errBoom, p.Value)
		assert.Equal(t, future.ErrGoexit, o[1].Err)
	})
}

func TestTST08_TimeoutEndsTheContextOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		var ended time.Duration
		var err, cause error
		epoch := time.Now()
		task := func(ctx context.Context) error {
			deadline, ok := ctx.Deadline()
			assert.True(t, ok)
			assert.Equal(t, 10*time.Second, time.Until(deadline))
			<-ctx.Done()
			ended, err, cause = time.Since(epoch), ctx.Err(), context.Cause(ctx)
			return nil
		}
		s := supervise(t, pool, task, supervisor.Timeout(10*time.Second))
		time.Sleep(11 * time.Second)
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut}, s.kinds(), "what it returns is too late")
		assert.Equal(t, future.ErrTimeout, s.told()[0].Err)
		assert.Equal(t, 10*time.Second, ended)
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Equal(t, future.ErrTimeout, cause)
		assert.Zero(t, s.Stats().Unfinished)
		assert.Zero(t, pool.Stats().Busy)
	})
}

func TestTST08_AFinishedRunIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		var ctx context.Context
		s := supervise(t, pool, func(c context.Context) error { ctx = c; return nil }, supervisor.Interval(time.Hour))
		s.begun()
		assert.Equal(t, context.Canceled, context.Cause(ctx), "it has ended with the run")
		s.Stop()
		assert.Equal(t, context.Canceled, context.Cause(ctx))
		assert.EqualValues(t, 0, pool.Stats().Cancelled)
	})
}

func TestTST08_ARunThatGoesOnKeepsOthersFromStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), inTurn(stubborn(100*time.Second), succeed),
			supervisor.Interval(10*time.Second), supervisor.Timeout(10*time.Second), supervisor.Bound(4))
		// It times out at 10; the others would be at 30, 70, 110, 120.
		time.Sleep(99 * time.Second)
		assert.Equal(t, seconds(0), s.begun())
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut, supervisor.Capped, supervisor.Capped}, s.kinds())
		assert.Equal(t, seconds(20, 40, 40), s.delays())
		assert.Equal(t, 1, s.Stats().Unfinished)
		assert.Equal(t, s.told()[1:], s.capped)
		assert.Equal(t, 1, s.capped[0].Unfinished)
		assert.NoError(t, s.capped[0].Err)

		time.Sleep(21 * time.Second)
		assert.Equal(t, seconds(0, 110, 120), s.begun())
		assert.Zero(t, s.Stats().Unfinished)
		assert.EqualValues(t, 2, s.Stats().Succeeded, "what came too late is no success")
	})
}

func TestTST08_AsManyMayBeUnfinishedAsIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), stubborn(24*time.Hour), supervisor.Interval(10*time.Second),
			supervisor.Timeout(10*time.Second), supervisor.Bound(1), supervisor.MaxUnfinished(3))
		time.Sleep(90 * time.Second)
		assert.Equal(t, seconds(0, 20, 40), s.begun())
		assert.Equal(t, 3, s.Stats().Unfinished)
		assert.Equal(t, supervisor.Capped, s.kinds()[3])
	})
}

func TestTST08_ARunThatHasNotBegunInTimeNeverDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1)
		require.NoError(t, pool.Execute(stubborn(15*time.Second)))
		s := supervise(t, pool, succeed, supervisor.Interval(10*time.Second), supervisor.Timeout(10*time.Second), supervisor.Bound(1))
		time.Sleep(9 * time.Second)
		assert.Equal(t, 1, pool.Stats().Queued)
		time.Sleep(2 * time.Second)
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut}, s.kinds())
		assert.Equal(t, 0, pool.Stats().Queued, "it has left the queue")
		assert.Zero(t, s.Stats().Unfinished)
		time.Sleep(10 * time.Second)
		assert.Equal(t, seconds(20), s.begun())
	})
}

func TestTST09_AShutDownPoolStopsTheSupervisor(t *testing.T) {
	for name, shutDown := range map[string]func(*executor.Pool){
		"Shutdown":    (*executor.Pool).Shutdown,
		"ShutdownNow": func(p *executor.Pool) { p.ShutdownNow() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := newPool(t)
				s := supervise(t, pool, succeed, supervisor.Interval(10*time.Second))
				time.Sleep(15 * time.Second)
				shutDown(pool)
				assert.Equal(t, "waiting", s.state())
				time.Sleep(5 * time.Second)
				assert.Equal(t, "stopped", s.state())
				<-s.Done()
				assert.Equal(t, []supervisor.Kind{supervisor.Succeeded, supervisor.Succeeded}, s.kinds(), "in silence")
				assert.Zero(t, s.Stats().Rejected)
				assert.Zero(t, s.Stats().Next)
			})
		})
	}
}

func TestTST09_ARunCutOffByShutdownNowStopsTheSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, pool, hang, supervisor.Timeout(time.Minute))
		time.Sleep(time.Second)
		pool.ShutdownNow()
		<-s.Done()
		assert.Equal(t, "stopped", s.state())
		assert.Empty(t, s.kinds())
		require.NoError(t, pool.AwaitTermination(t.Context()))
		assert.Equal(t, time.Second, time.Since(s.epoch))
	})
}

func TestTST09_ASuccessInSpiteOfShutdownNowCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, pool, func(ctx context.Context) error { <-ctx.Done(); return nil })
		time.Sleep(time.Second)
		pool.ShutdownNow()
		<-s.Done()
		assert.Equal(t, []supervisor.Kind{supervisor.Succeeded}, s.kinds())
		assert.Equal(t, "stopped", s.state())
	})
}

func TestTST09_ARunDroppedByShutdownNowStopsTheSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1)
		require.NoError(t, pool.Execute(func(ctx context.Context) error { <-ctx.Done(); return nil }))
		s := supervise(t, pool, succeed)
		time.Sleep(time.Second)
		assert.Len(t, pool.ShutdownNow(), 1)
		<-s.Done()
		assert.Equal(t, "stopped", s.state())
		assert.Empty(t, s.kinds())
		assert.Empty(t, s.begun())
	})
}

func TestTST10_NoWorkerAndNoGoroutineWhileNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1)
		s := supervise(t, pool, takes(3*time.Second), supervisor.Interval(10*time.Second))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, 1, pool.Stats().Busy)
		assert.Equal(t, 1, goroutines(), "but for that of the run")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, "waiting", s.Stats().State)
		assert.Equal(t, 0, pool.Stats().Busy)
		assert.Equal(t, 0, goroutines())
	})
}

func TestTST10_TheTimeoutNeedsNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 2)
		for range 2 {
			require.NoError(t, pool.Execute(stubborn(time.Hour)))
		}
		s := supervise(t, pool, succeed, supervisor.Eureka(10*time.Second, 2))
		time.Sleep(79 * time.Second)
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut, supervisor.TimedOut}, s.kinds())
		assert.Equal(t, 10*time.Second, s.told()[0].Took)
	})
}

func TestTST10_AnIdleDayCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1)
		s := supervise(t, pool, succeed, supervisor.Interval(25*time.Hour))
		s.begun()
		before := pool.Stats()
		time.Sleep(24 * time.Hour)
		assert.Equal(t, before, pool.Stats())
		assert.Equal(t, 0, goroutines())
		time.Sleep(time.Hour)
		assert.Equal(t, []time.Duration{0, 25 * time.Hour}, s.begun(), "and the next run is on time")
	})
}

func TestTST11_StatsTellOutcomesAndTheLastSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &refusing{Pool: newPool(t)}
		s := prepare(t, pool, inTurn(takes(2*time.Second), fail, hang, stubborn(45*time.Second), succeed), supervisor.Name("registry"),
			supervisor.Interval(10*time.Second), supervisor.Timeout(5*time.Second), supervisor.Bound(6), supervisor.Jitter(0))
		want := supervisor.Stats{Name: "registry", State: "new", Delay: 10 * time.Second, WorstGap: 35 * time.Second}
		at := func(n int) time.Time { return s.epoch.Add(time.Duration(n) * time.Second) }
		check := func(second int) {
			t.Helper()
			time.Sleep(time.Until(at(second)))
			synctest.Wait()
			assert.Equal(t, want, s.Stats())
		}
		check(0)
		s.Start()
		want.State = "running"
		check(1)
		want.State, want.Succeeded, want.LastSuccess, want.Next = "waiting", 1, at(2), at(12)
		check(3)
		want.Failed, want.Next = 1, at(22)
		check(12)
		want.State, want.Next = "running", time.Time{}
		check(23)
		want.State, want.TimedOut, want.Delay, want.Next = "waiting", 1, 20*time.Second, at(47)
		check(27)
		want.TimedOut, want.Unfinished, want.Delay, want.Next = 2, 1, 30*time.Second, at(82)
		check(53)
		want.Capped, want.Next = 1, at(112)
		check(83)
		want.Unfinished = 0
		check(93)
		pool.refuse(executor.ErrSaturated)
		want.Rejected, want.Next = 1, at(142)
		check(113)
		pool.refuse(nil)
		want.Succeeded, want.LastSuccess, want.Delay, want.Next = 2, at(142), 10*time.Second, at(152)
		check(143)
		assert.Equal(t, "supervisor(registry: waiting, delay 10s, 2 succeeded, 2 timed out, 1 failed, 1 rejected, 1 capped, 0 unfinished)", s.String())
	})
}

func TestTST11_TheWorstGapIsTimeoutAndDelayAndJitter(t *testing.T) {
	for _, c := range []struct {
		opts []supervisor.Option
		want time.Duration
	}{
		{nil, 330 * time.Second},
		{[]supervisor.Option{supervisor.Bound(1)}, 60 * time.Second},
		{[]supervisor.Option{supervisor.Factor(1)}, 60 * time.Second},
		{[]supervisor.Option{supervisor.Interval(3 * time.Second), supervisor.Timeout(10 * time.Second), supervisor.Bound(4)}, 50 * time.Second},
		{[]supervisor.Option{supervisor.MaxInterval(time.Minute), supervisor.Jitter(time.Second)}, 91 * time.Second},
		{[]supervisor.Option{supervisor.Timeout(math.MaxInt64), supervisor.Jitter(math.MaxInt64)}, math.MaxInt64},
	} {
		s, err := supervisor.New(new(refusing), succeed, c.opts...)
		require.NoError(t, err)
		assert.Equal(t, c.want, s.Stats().WorstGap)
	}
}

func TestTST12_StopEndsTheCycleForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, pool, succeed, supervisor.Interval(10*time.Second))
		time.Sleep(15 * time.Second)
		s.Stop()
		<-s.Done()
		time.Sleep(24 * time.Hour)
		assert.Equal(t, seconds(0, 10), s.begun())
		assert.Zero(t, s.Stats().Next)
		assert.Equal(t, "running", pool.Stats().State, "the pool goes on")
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
			_, err := supervisor.New(new(refusing), succeed, o)
			assert.ErrorIs(t, err, executor.ErrInvalid)
		}
	}
}

func TestTST13_AHugeBoundSaturates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &refusing{err: executor.ErrSaturated}
		s := supervise(t, pool, succeed, supervisor.Eureka(time.Hour, math.MaxInt))
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

func TestTST14_RunsDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most, runs := 0, 0, 0 // without a lock: the race detector sees runs that overlap
		body := inTurn(stubborn(time.Minute), hang, fail, takes(5*time.Second), stubborn(12*time.Second))
		s := supervise(t, newPool(t), func(ctx context.Context) error {
			running++
			runs++
			most = max(most, running)
			defer func() { running-- }()
			return body(ctx)
		}, supervisor.Eureka(10*time.Second, 2), supervisor.OnFailure(supervisor.Grow))
		for range 200 {
			time.Sleep(1300 * time.Millisecond)
			s.Trigger()
		}
		require.NoError(t, s.StopContext(nil))
		assert.Equal(t, 1, most)
		assert.Greater(t, runs, 10)
	})
}

func TestTST15_NothingIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := newLog()
		pool := &refusing{Pool: newPool(t, executor.Logger(log))}
		s := supervise(t, pool, inTurn(hang, fail, stubborn(time.Minute), func(context.Context) error { panic(errBoom) }, succeed),
			supervisor.Eureka(10*time.Second, 1), supervisor.Logger(log))
		time.Sleep(5 * time.Minute)
		pool.refuse(executor.ErrSaturated)
		time.Sleep(time.Minute)
		pool.refuse(executor.ErrShutdown)
		time.Sleep(time.Minute)
		assert.Equal(t, "stopped", s.state())
		st := s.Stats()
		for _, n := range []uint64{st.Succeeded, st.TimedOut, st.Failed, st.Rejected, st.Capped} {
			assert.NotZero(t, n)
		}
		assert.Empty(t, records())
	})
}
