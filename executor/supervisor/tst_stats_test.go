package supervisor_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// The rows of TimedSupervisorTask: what a supervisor costs and tells, and its end.

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
		s := supervise(t, pool, pooltest.Nothing, supervisor.Eureka(10*time.Second, 2))
		time.Sleep(79 * time.Second)
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut, supervisor.TimedOut}, s.kinds())
		assert.Equal(t, 10*time.Second, s.told()[0].Took)
	})
}

func TestTST10_AnIdleDayCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1)
		s := supervise(t, pool, pooltest.Nothing, supervisor.Interval(25*time.Hour))
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
		pool := &refusing{Runner: newPool(t)}
		s := prepare(t, pool, pooltest.InTurn(takes(2*time.Second), fail, hang, stubborn(45*time.Second), pooltest.Nothing), executor.Name("registry"),
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
		assert.Equal(t, `supervisor("registry": waiting, delay 10s, 2 succeeded, 2 timed out, 1 failed, 1 rejected, 1 capped, 0 unfinished)`, s.String())
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
		s := supervisor.New(new(refusing), pooltest.Nothing, c.opts...)
		assert.Equal(t, c.want, s.Stats().WorstGap)
	}
}

func TestTST12_StopEndsTheCycleForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, pool, pooltest.Nothing, supervisor.Interval(10*time.Second))
		time.Sleep(15 * time.Second)
		s.Stop()
		<-s.Done()
		time.Sleep(24 * time.Hour)
		assert.Equal(t, seconds(0, 10), s.begun())
		assert.Zero(t, s.Stats().Next)
		assert.Equal(t, "running", pool.Stats().State, "the pool goes on")
	})
}

func TestTST15_NothingIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := newLog()
		poolLog, ofPool := newLog()
		pool := &refusing{Runner: newPool(t, executor.Logger(poolLog))}
		s := supervise(t, pool, pooltest.InTurn(hang, fail, stubborn(time.Minute), func(context.Context) error { panic(errBoom) }, pooltest.Nothing),
			supervisor.Eureka(10*time.Second, 1), executor.Logger(log))
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
		assert.Equal(t, 1, strings.Count(ofPool(), "\n"), "the pool tells of the panic: %s", ofPool())
	})
}
