package supervisor_test

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// These tests run on the real clock, for the race detector. They ask for what must hold however
// slow the machine is.

// TestStress has all methods race with each other, with runs of all kinds, and with the end of the
// pool. A round takes a few milliseconds; the test goes on for a second, or for the duration in the
// environment variable PUNCTUAL_STRESS.
func TestStress(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	length := time.Second
	if d, err := time.ParseDuration(os.Getenv("PUNCTUAL_STRESS")); err == nil {
		length = d
	}
	rounds := 0
	for end := time.Now().Add(length); time.Now().Before(end) && !t.Failed(); rounds++ {
		stressRound(t)
	}
	t.Logf("%d rounds", rounds)
}

func stressRound(t *testing.T) {
	policy := []rejection.Policy{rejection.Abort, rejection.Block, rejection.CallerRuns, rejection.Discard, rejection.DiscardOldest}[rand.IntN(5)]
	pool := executor.NewPool(1, executor.MaximumSize(2), executor.Queue(queue.Bounded(1)), executor.OnRejection(policy))
	var running, most, told atomic.Int64
	allowed := 1 + rand.IntN(2)
	var s *supervisor.Supervisor
	s = supervisor.New(pool, func(ctx context.Context) error {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		return anything(ctx, s)
	}, supervisor.Interval(100*time.Microsecond), supervisor.Timeout(300*time.Microsecond), supervisor.Bound(2),
		supervisor.Jitter(20*time.Microsecond), supervisor.MaxUnfinished(allowed),
		supervisor.AfterCycle(func(supervisor.Outcome) { told.Add(1) }))
	var parties sync.WaitGroup
	for range 4 {
		parties.Go(func() {
			for range 40 {
				stressStep(s, pool)
			}
		})
	}
	time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
	if rand.IntN(2) == 0 {
		pool.ShutdownNow()
	}
	require.NoError(t, s.StopContext(nil))
	assert.Zero(t, running.Load(), "a body runs after Done")
	parties.Wait()
	pool.ShutdownNow()
	require.NoError(t, pool.AwaitTermination(t.Context()))
	st := s.Stats()
	assert.Equal(t, "stopped", st.State)
	assert.Zero(t, st.Unfinished)
	assert.Zero(t, running.Load())
	assert.LessOrEqual(t, most.Load(), int64(allowed), "runs overlap")
	ended := int64(st.Succeeded + st.TimedOut + st.Failed + st.Rejected + st.Capped)
	for told.Load() < ended {
		runtime.Gosched() // the last callbacks
	}
	assert.Equal(t, ended, told.Load())
}

// anything is a run of any kind.
func anything(ctx context.Context, s *supervisor.Supervisor) error {
	switch rand.IntN(8) {
	case 0:
		return errBoom
	case 1:
		panic(errBoom)
	case 2:
		runtime.Goexit()
	case 3:
		<-ctx.Done()
		return context.Cause(ctx)
	case 4:
		time.Sleep(500 * time.Microsecond) // stubborn
	case 5:
		s.Trigger()
	case 6:
		s.Suspend()
		s.Resume()
	}
	return nil
}

func stressStep(s *supervisor.Supervisor, pool *executor.Pool) {
	switch rand.IntN(8) {
	case 0:
		s.Start()
	case 1, 2:
		s.Trigger()
	case 3:
		s.Suspend()
		fallthrough
	case 4:
		s.Resume()
	case 5:
		_ = s.Stats()
	case 6:
		_ = pool.Execute(func(context.Context) error { time.Sleep(100 * time.Microsecond); return nil })
	case 7:
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
		if rand.IntN(40) == 0 {
			s.Stop()
		}
	}
}

// TestNothingIsLeftBehind runs a supervisor as a service would, and looks for goroutines after it.
func TestNothingIsLeftBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	pool := executor.NewPool(1)
	runs := make(chan struct{})
	s := supervisor.New(pool, func(ctx context.Context) error {
		select {
		case runs <- struct{}{}:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}, supervisor.Interval(time.Millisecond), supervisor.Timeout(time.Hour))
	s.Start()
	for range 20 {
		<-runs
	}
	require.NoError(t, s.StopContext(t.Context()))
	require.NoError(t, pool.Close())
	assert.GreaterOrEqual(t, s.Stats().Succeeded, uint64(19), "the last may have been stopped")
}

// TestNoRunBeginsOnceDone has Stop meet the start of a run.
func TestNoRunBeginsOnceDone(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	pool := executor.NewPool(2)
	for range 300 {
		var done, late atomic.Bool
		s := supervisor.New(pool, func(context.Context) error {
			if done.Load() {
				late.Store(true)
			}
			return nil
		}, supervisor.Interval(10*time.Microsecond))
		s.Start()
		for range rand.IntN(20) {
			s.Trigger()
			runtime.Gosched()
		}
		s.Stop()
		<-s.Done()
		done.Store(true)
		for range 5 {
			runtime.Gosched()
		}
		require.False(t, late.Load())
	}
	require.NoError(t, pool.Close())
}
