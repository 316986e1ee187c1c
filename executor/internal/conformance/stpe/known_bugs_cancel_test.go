package stpe_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestK06_B23_TimeoutsThatAreCancelledDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		for range 20000 {
			pooltest.Schedule(t, p, 1000*time.Hour, pooltest.Nothing).Cancel()
			require.Zero(t, p.Stats().Queued)
		}
		s := p.Stats()
		assert.Equal(t, []uint64{20000, 20000, 0, 0}, []uint64{s.Accepted, s.Cancelled, s.Completed, s.Runs})
	})
}

func TestK07_ACancelledDecoratedTaskLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d pooltest.Decorator
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(d.Decorate))
		once := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		series := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Nothing)
		synctest.Wait()
		require.Equal(t, 2, p.Stats().Queued)
		once.Cancel()
		series.Stop()
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestK08_ASeriesCancelledBetweenItsRunAndTheNextIsNotQueued(t *testing.T) {
	cancels := map[string]func(f *executor.ScheduledFuture[struct{}]) bool{
		"Cancel": func(f *executor.ScheduledFuture[struct{}]) bool { return f.Cancel() },
		"Stop":   func(f *executor.ScheduledFuture[struct{}]) bool { return f.Stop() },
	}
	for name, cancel := range cancels {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := pooltest.NewGate(t)
				p := pooltest.NewScheduledPool(t, 1, executor.AfterRun(func(ctx context.Context, _ executor.Run, _ error) { _ = g.Hold(ctx) }))
				t.Cleanup(g.Open)
				f := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Nothing)
				synctest.Wait() // the body has returned, the hook keeps the worker from queueing the next run
				require.True(t, cancel(f))
				assert.False(t, probe.IsClosed(f.Stopped()))
				g.Open()
				synctest.Wait()
				assert.Zero(t, p.Stats().Queued)
				assert.True(t, probe.IsClosed(f.Stopped()))
				probe.Elapse(3 * time.Hour)
				assert.EqualValues(t, 1, f.Runs())
			})
		})
	}
}

// Each moment of body, hook and pause is cancelled at, in step with the worker and beside it.
func TestK08_WheneverASeriesIsCancelledItIsGoneAtOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body := time.Duration(rapid.IntRange(0, 3).Draw(rt, "length of body"))
		hook := time.Duration(rapid.IntRange(0, 3).Draw(rt, "length of hook"))
		pause := time.Duration(rapid.IntRange(1, 3).Draw(rt, "period"))
		at := time.Duration(rapid.IntRange(0, 30).Draw(rt, "cancelled at"))
		fixedRate, stop := rapid.Bool().Draw(rt, "fixed rate"), rapid.Bool().Draw(rt, "stop")
		core := rapid.IntRange(0, 2).Draw(rt, "core")
		var fault string
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewScheduledPool(t, core, executor.AfterRun(func(context.Context, executor.Run, error) { time.Sleep(hook) }))
			submit := p.WithFixedDelay
			if fixedRate {
				submit = p.AtFixedRate
			}
			f, _ := submit(0, pause, pooltest.Sleep(body))
			time.Sleep(at)
			cancelled := f.Cancel
			if stop {
				cancelled = f.Stop
			}
			won, runs := cancelled(), f.Runs()
			if n := p.Stats().Queued; n != 0 {
				fault = fmt.Sprintf("%d queued right after the cancellation", n)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			s := p.Stats()
			switch {
			case !won || f.State() != future.Cancelled || !probe.IsClosed(f.Stopped()):
				fault = fmt.Sprintf("cancelled=%v, %v", won, f)
			case f.Runs() != runs || s.Runs != runs:
				fault = fmt.Sprintf("%d runs begun, then %d, %d ended", runs, f.Runs(), s.Runs)
			case s.Queued != 0 || s.Busy != 0 || s.Cancelled != 1 || s.Returned != 0 || s.Completed != 0:
				fault = fmt.Sprintf("%+v", s)
			}
		})
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

// On real goroutines: the cancellation comes about when the run ends.
func TestK08_ACancellationThatRacesWithTheEndOfARunLeavesNothingQueued(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	p := executor.NewScheduledPool(2, executor.AfterRun(func(context.Context, executor.Run, error) { runtime.Gosched() }))
	outcomes := map[bool]int{} // by whether the run was still in progress
	for i := range 3000 {
		var ended atomic.Bool
		f, err := p.AtFixedRate(0, time.Hour, func(context.Context) error {
			ended.Store(true)
			return nil
		})
		require.NoError(t, err)
		for !ended.Load() {
			runtime.Gosched()
		}
		for range i % 8 {
			runtime.Gosched()
		}
		inRun := f.State() == future.Running
		require.True(t, f.Cancel())
		<-f.Stopped()
		outcomes[inRun]++
		require.Zero(t, p.Stats().Queued, "round %d, in its run: %v", i, inRun)
		_, planned := f.Next()
		require.False(t, planned)
	}
	require.NoError(t, p.Close())
	s := p.Stats()
	assert.EqualValues(t, 3000, s.Cancelled)
	assert.EqualValues(t, 3000, s.Runs)
	assert.Len(t, outcomes, 2, "both sides of the race are met: %v", outcomes)
}
