package stpe_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
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

func TestSTPE080_ShutdownIsSeenAtOnceAndDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		synctest.Wait()
		assert.Equal(t, "running", p.Stats().State)
		start := time.Now()
		p.Shutdown()
		assert.Zero(t, time.Since(start))
		assert.Equal(t, "shutting down", p.Stats().State)
		_, err := p.Submit(pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}

func TestSTPE080_ShutdownTwiceIsShutdownOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		p.Shutdown()
		p.Shutdown()
		assert.Equal(t, "shutting down", p.Stats().State)
		assert.Equal(t, 1, p.Stats().Queued)
		probe.Elapse(2 * time.Hour)
		assert.NoError(t, pooltest.Outcome(t, f.Future))
	})
}

func TestSTPE081_B38_TerminatedClosesWhenTheLastTaskHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		start := time.Now()
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		synctest.Wait()
		assert.False(t, probe.IsClosed(p.Terminated()))
		p.Shutdown()
		assert.False(t, probe.IsClosed(p.Terminated()))
		<-p.Terminated()
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestSTPE082_ThePoolPassesThroughItsStates(t *testing.T) {
	stops := map[string]func(p *executor.ScheduledPool){
		"shutting down": func(p *executor.ScheduledPool) { p.Shutdown() },
		"stopping":      func(p *executor.ScheduledPool) { p.ShutdownNow() },
	}
	for state, stop := range stops {
		t.Run(state, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p *executor.ScheduledPool
				var inHook string
				p = pooltest.NewScheduledPool(t, 1, executor.AfterTermination(func() { inHook = p.Stats().State }))
				pooltest.Submit(t, p, pooltest.Sleep(time.Second))
				synctest.Wait()
				assert.Equal(t, "running", p.Stats().State)
				stop(p)
				assert.Equal(t, state, p.Stats().State)
				<-p.Terminated()
				assert.Equal(t, "tidying", inHook)
				assert.Equal(t, "terminated", p.Stats().State)
			})
		})
	}
}

func TestSTPE082_ShutdownNowAfterShutdownStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("kept"))
		pooltest.Submit(t, p, pooltest.NewGate(t).Hold)
		synctest.Wait()
		p.Shutdown()
		assert.Equal(t, []string{"kept"}, pooltest.Names(p.ShutdownNow()))
		assert.Equal(t, "stopping", p.Stats().State)
		p.Shutdown()
		assert.Equal(t, "stopping", p.Stats().State)
	})
}

func TestSTPE088_ATaskCancelledBeforeShutdownDoesNotDelayTermination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		f.Cancel()
		p.Shutdown()
		synctest.Wait()
		assert.True(t, probe.IsClosed(p.Terminated()))
	})
}

func TestSTPE089_ShutdownWaitsForAFarTaskByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, 1000*time.Hour, tr.Task("far"))
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, []string{"far 1000h0m0s"}, tr.Seen())
		assert.Equal(t, 1000*time.Hour, time.Since(tr.Start))
	})
}

// In Java this needs removal on cancel, or a purge.
func TestSTPE090_CancellingTheFarTaskAfterShutdownTerminates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, 1000*time.Hour, pooltest.Nothing)
		p.Shutdown()
		start := time.Now()
		f.Cancel()
		<-p.Terminated()
		assert.Zero(t, time.Since(start))
	})
}

// Java's close waits for delayed tasks under the default policies.
func TestSTPE099_CloseWaitsForDueTasksOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		pooltest.Submit(t, p, tr.Task("due"))
		late := pooltest.Schedule(t, p, time.Hour, tr.Task("late"))
		series := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, tr.Task("series"))
		require.NoError(t, p.Close())
		assert.Equal(t, time.Minute, time.Since(tr.Start))
		assert.Equal(t, []string{"due 1m0s"}, tr.Seen())
		pooltest.CancelledByShutdown(t, late.Future)
		pooltest.CancelledByShutdown(t, series.Future)
	})
}

func TestShutdownSendsIdleWorkersHomeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 8)
		for range 8 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		}
		long := pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		probe.Elapse(time.Minute)
		require.Equal(t, 8, p.Stats().Workers)
		p.Shutdown()
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
		assert.Equal(t, future.Running, long.State())
	})
}

func TestShutdownLeavesWorkersForTheTasksToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 3)
		tr := pooltest.NewTrace()
		for range 3 {
			pooltest.Schedule(t, p, time.Hour, func(context.Context) error {
				tr.Mark("start")
				time.Sleep(time.Minute)
				return nil
			})
		}
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, []string{"start 1h0m0s", "start 1h0m0s", "start 1h0m0s"}, tr.Seen())
		assert.Equal(t, time.Hour+time.Minute, time.Since(tr.Start))
	})
}

func TestTerminatedClosesOnlyWhenEveryDrainedFutureIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 5 {
			p := pooltest.NewScheduledPool(t, 1)
			first := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing).Future
			last := pooltest.Schedule(t, p, 2*time.Hour, pooltest.Nothing).Future
			// Many futures depend on the first, so that the idle worker is gone before it is
			// settled.
			for f, n := first, 0; n < 5000; n++ {
				f = future.Then(f, func(struct{}) (struct{}, error) { return struct{}{}, nil })
			}
			synctest.Wait()
			go p.ShutdownNow()
			<-p.Terminated()
			pooltest.CancelledByShutdown(t, first)
			pooltest.CancelledByShutdown(t, last)
			require.EqualValues(t, 2, p.Stats().Returned)
		}
	})
}

func TestSubmissionsThatRaceWithAShutdownAreRefusedOrSettled(t *testing.T) {
	for i := range 40 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { withRaceToShutdown(t, withColumn{i&1 != 0, i&2 != 0, i&4 != 0}) })
		})
	}
}

func withRaceToShutdown(t *testing.T, c withColumn) {
	p := c.pool(t, 2)
	var mu sync.Mutex
	var futures []*future.Future[struct{}]
	refused := 0
	submit := func(f *executor.ScheduledFuture[struct{}], err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			futures = append(futures, f.Future)
		} else if errors.Is(err, executor.ErrShutdown) {
			refused++
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				time.Sleep(time.Duration(rand.IntN(3)))
				submit(p.Schedule(time.Duration(rand.IntN(3)), pooltest.Nothing))
				submit(p.AtFixedRate(time.Duration(rand.IntN(3)), 1, pooltest.Nothing, executor.MaxRuns(5)))
			}
		})
	}
	wg.Go(func() {
		time.Sleep(7)
		c.shutdown(p)
	})
	wg.Wait()
	probe.Elapse(time.Hour)
	assert.Equal(t, 160, len(futures)+refused)
	for _, f := range futures {
		assert.True(t, f.State().Settled(), "%v", f)
	}
	assert.True(t, probe.IsClosed(p.Terminated()))
	s := p.Stats()
	assert.EqualValues(t, len(futures), s.Accepted)
	assert.EqualValues(t, refused, s.Rejected)
	assert.Equal(t, s.Accepted, s.Completed+s.Returned)
}
