package executor_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file hold the costs that the doc comments state.

func TestCost_OneAllocationPerSchedule(t *testing.T) {
	p := executor.NewScheduledPool(1)
	defer p.Close()
	allocs := testing.AllocsPerRun(1000, func() {
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		if err != nil || !f.Cancel() {
			t.Error("not scheduled")
		}
	})
	assert.EqualValues(t, 1, allocs)
}

func TestCost_TwoAllocationsAtMostPerTypedSchedule(t *testing.T) {
	p := executor.NewScheduledPool(1)
	defer p.Close()
	fn := func(context.Context) (int, error) { return 1, nil }
	allocs := testing.AllocsPerRun(1000, func() {
		f, err := executor.Schedule(p, time.Hour, fn)
		if err != nil || !f.Cancel() {
			t.Error("not scheduled")
		}
	})
	assert.LessOrEqual(t, allocs, 2.0)
}

func TestCost_OneAllocationPerTaskWithAFuture(t *testing.T) {
	p := executor.NewScheduledPool(1)
	defer p.Close()
	ran := make(chan struct{})
	task := func(context.Context) error { ran <- struct{}{}; return nil }
	limited, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for name, row := range map[string]struct {
		submit func() error
		allocs float64
	}{
		"Execute":      {func() error { return p.Execute(task) }, 0},
		"ExecuteAfter": {func() error { return p.ExecuteAfter(time.Microsecond, task) }, 1},
		"Submit":       {func() error { _, err := p.Submit(task); return err }, 1},
		"Schedule":     {func() error { _, err := p.Schedule(time.Microsecond, task); return err }, 1},
		"SubmitContext": {func() error {
			_, err := p.SubmitContext(context.Background(), task)
			return err
		}, 1},
		"SubmitContext with a limit": {func() error {
			_, err := p.SubmitContext(limited, task)
			return err
		}, 1},
	} {
		allocs := testing.AllocsPerRun(1000, func() {
			if row.submit() != nil {
				t.Error("refused")
			}
			<-ran
		})
		assert.Equal(t, row.allocs, allocs, name)
	}
}

func TestCost_NoAllocationPerPeriodicRun(t *testing.T) {
	for name, opt := range map[string]executor.TaskOption{
		"burst": executor.CatchUp(executor.Burst), "skip": executor.CatchUp(executor.Skip),
		"coalesce": executor.CatchUp(executor.Coalesce), "jitter": executor.Jitter(time.Nanosecond),
	} {
		p := executor.NewScheduledPool(1)
		ran := make(chan struct{})
		_, err := p.AtFixedRate(0, 10*time.Microsecond, func(context.Context) error {
			ran <- struct{}{}
			return nil
		}, opt)
		require.NoError(t, err)
		assert.Zero(t, testing.AllocsPerRun(1000, func() { <-ran }), name)
		p.ShutdownNow()
		select {
		case <-ran:
		case <-p.Terminated():
		}
	}
}

func TestCost_RunFromAllocatesNothing(t *testing.T) {
	p := executor.NewScheduledPool(1)
	defer p.Close()
	f, err := executor.Submit(p, func(ctx context.Context) (float64, error) {
		return testing.AllocsPerRun(100, func() {
			if _, ok := executor.RunFrom(ctx); !ok {
				t.Error("no run")
			}
		}), nil
	})
	require.NoError(t, err)
	allocs, err := f.Get(t.Context())
	require.NoError(t, err)
	assert.Zero(t, allocs)
}

const million = 1_000_000

func TestCost_G1_AMillionPendingTasksTakeAtMost128BytesEachAndOneWorker(t *testing.T) {
	before := probe.HeapInUse()
	p := executor.NewScheduledPool(1)
	futures := make([]*future.Future[struct{}], million)
	for i := range futures {
		f, err := p.Schedule(time.Hour+time.Duration(i), pooltest.Nothing)
		require.NoError(t, err)
		futures[i] = f.Future
	}
	const slice = 8 // the test's own
	assert.LessOrEqual(t, (probe.HeapInUse()-before)/million-slice, uint64(128), "bytes per pending task with its future")
	assert.LessOrEqual(t, pooltest.Goroutines(), 1, "one worker waits, and nothing else")
	assert.Len(t, p.ShutdownNow(), million)
	runtime.KeepAlive(futures)
	require.NoError(t, p.AwaitTermination(t.Context()))
}

func TestCost_AMillionFarTasksCauseNoWakeup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2)
		for i := range million {
			_, err := p.Schedule(1000*time.Hour+time.Duration(i), pooltest.Nothing)
			require.NoError(t, err)
		}
		synctest.Wait()
		before := p.Stats().Wakeups
		time.Sleep(999 * time.Hour)
		assert.Equal(t, before, p.Stats().Wakeups, "the pool slept for 999 hours")
		p.ShutdownNow()
		require.NoError(t, p.AwaitTermination(t.Context()))
	})
}

func TestCost_AnIdleCoreSizeZeroPoolSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(0)
		defer p.Close()
		f, err := p.Schedule(1000*time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		synctest.Wait()
		before := p.Stats()
		assert.Equal(t, 1, before.Workers)
		time.Sleep(999 * time.Hour)
		assert.Equal(t, before.Wakeups, p.Stats().Wakeups)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Zero(t, p.Stats().Workers, "and its worker goes when there is nothing left")
	})
}
