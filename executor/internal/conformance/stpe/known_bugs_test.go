package stpe_test

import (
	"context"
	"runtime/metrics"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/probe"
)

// Each test here is named after a known bug or complaint about Java's executors, and shows that it
// does not exist here.

// withIdlePools are pools that have nothing to do for a day, and the workers each should have.
var withIdlePools = []struct {
	name    string
	pool    func(t *testing.T) *executor.ScheduledPool
	workers int
}{
	{"core size 0, task far away", func(t *testing.T) *executor.ScheduledPool {
		p := pooltest.NewScheduledPool(t, 0)
		pooltest.Schedule(t, p, 1000*time.Hour, pooltest.Nothing)
		return p
	}, 1},
	{"core size 0, empty", func(t *testing.T) *executor.ScheduledPool {
		p := pooltest.NewScheduledPool(t, 0)
		pooltest.Submit(t, p, pooltest.Nothing)
		return p
	}, 0},
	{"core timeout, task far away", func(t *testing.T) *executor.ScheduledPool {
		p := pooltest.NewScheduledPool(t, 3, executor.CoreTimeout())
		for range 3 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		}
		pooltest.Schedule(t, p, 1000*time.Hour, pooltest.Nothing)
		return p
	}, 1},
	{"core timeout, empty", func(t *testing.T) *executor.ScheduledPool {
		p := pooltest.NewScheduledPool(t, 3, executor.CoreTimeout())
		for range 3 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		}
		return p
	}, 0},
	{"keep-alive 0, task far away", func(t *testing.T) *executor.ScheduledPool {
		p := pooltest.NewScheduledPool(t, 0, executor.KeepAlive(0))
		pooltest.Schedule(t, p, 1000*time.Hour, pooltest.Nothing)
		return p
	}, 1},
	{"core size lowered to 0, tasks far away", func(t *testing.T) *executor.ScheduledPool {
		p := pooltest.NewScheduledPool(t, 3)
		for range 3 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
			pooltest.Schedule(t, p, 1000*time.Hour, pooltest.Nothing)
		}
		probe.Elapse(time.Minute)
		require.NoError(t, p.SetCoreSize(0))
		return p
	}, 1},
	{"core size 3, tasks far away", func(t *testing.T) *executor.ScheduledPool {
		p := pooltest.NewScheduledPool(t, 3)
		for range 3 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
			pooltest.AtFixedRate(t, p, 1000*time.Hour, time.Hour, pooltest.Nothing)
		}
		return p
	}, 3},
}

func TestK01_STPE112_G10_AnIdlePoolIsNotWokenOnceInADay(t *testing.T) {
	for _, c := range withIdlePools {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := c.pool(t)
				probe.Elapse(time.Minute) // surplus workers leave
				before, goroutines := p.Stats(), pooltest.Workers(t)
				assert.Equal(t, c.workers, before.Workers)
				probe.Elapse(24 * time.Hour)
				assert.Equal(t, before, p.Stats())
				assert.Equal(t, goroutines, pooltest.Workers(t))
			})
		})
	}
}

// withDispatches returns how often the runtime has put a goroutine on a processor, of which it
// counts one in eight.
func withDispatches() (n uint64) {
	sample := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(sample)
	for _, c := range sample[0].Value.Float64Histogram().Counts {
		n += c
	}
	return n
}

// This does not believe the pool's own count. Java wakes up 8,640,000 times in these 24 hours.
func TestK01_STPE112_B12_TheRuntimeSeesNoWakeUpOfAnIdlePool(t *testing.T) {
	const keepAlives = 10 * 60 * 100 // in ten minutes
	synctest.Test(t, func(t *testing.T) {
		start := withDispatches()
		for range keepAlives {
			time.Sleep(withKeepAlive)
		}
		require.Greater(t, withDispatches()-start, uint64(keepAlives/16), "the instrument shows wake-ups")
		for _, c := range withIdlePools {
			c.pool(t)
		}
		probe.Elapse(time.Minute)
		start = withDispatches()
		probe.Elapse(24 * time.Hour)
		assert.Less(t, withDispatches()-start, uint64(keepAlives/16))
	})
}

func TestK02_CoreSizeZeroRunsItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 0)
		tr := pooltest.NewTrace()
		withEveryEntry(t, p, time.Second, tr.Task("ran"))
		probe.Elapse(time.Minute)
		assert.Len(t, tr.Seen(), withEntryRuns)
	})
}

func TestK14_ASlowTaskDelaysNobodyWhileAnotherWorkerIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, time.Second, pooltest.Sleep(time.Hour))
		pooltest.AtFixedRate(t, p, 0, time.Second, tr.Task("heartbeat"))
		probe.Elapse(3 * time.Second)
		assert.Equal(t, []string{"heartbeat 0s", "heartbeat 1s", "heartbeat 2s", "heartbeat 3s"}, tr.Seen())
	})
}

func TestK14_ARunIsToldHowLateItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		late, err := executor.Schedule(p, time.Second, func(ctx context.Context) (time.Duration, error) {
			run, _ := executor.RunFrom(ctx)
			return run.Started.Sub(run.Scheduled), nil
		})
		require.NoError(t, err)
		d, err := late.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 59*time.Second, d)
	})
}

// There are no calendar schedules; a time of the calendar is turned into a delay at the call.
func TestK15_ATimeWithoutMonotonicReadingIsKeptExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		day := time.Now().Truncate(24*time.Hour).AddDate(0, 0, 1)
		_, err := p.ScheduleAt(day, tr.Task("next day"))
		require.NoError(t, err)
		_, err = p.ScheduleAt(day.In(time.FixedZone("elsewhere", 3600)), tr.Task("next day elsewhere"))
		require.NoError(t, err)
		probe.Elapse(48 * time.Hour)
		at := day.Sub(tr.Start).String()
		assert.Equal(t, []string{"next day " + at, "next day elsewhere " + at}, tr.Seen())
	})
}

func TestK25_CountersCountWhatTheyAreNamedAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.PendingLimit(5), executor.BeforeRun(func(context.Context, executor.Run) { panic("hook") }))
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, g.Hold)
		synctest.Wait()
		pooltest.Submit(t, p, pooltest.Nothing).Cancel()
		pooltest.Submit(t, p, pooltest.Fail)
		require.NoError(t, p.Execute(pooltest.Panic))
		pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Nothing, executor.MaxRuns(3))
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing).Stop()
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		_, err := p.Submit(pooltest.Nothing)
		require.ErrorIs(t, err, executor.ErrSaturated)
		g.Open()
		probe.Elapse(time.Minute)
		p.ShutdownNow()
		s := p.Stats()
		got := map[string]uint64{"accepted": s.Accepted, "rejected": s.Rejected, "completed": s.Completed,
			"cancelled": s.Cancelled, "returned": s.Returned, "runs": s.Runs, "failures": s.Failures}
		assert.Equal(t, map[string]uint64{"accepted": 8, "rejected": 1, "completed": 4,
			"cancelled": 2, "returned": 2, "runs": 6, "failures": 2}, got)
	})
}
