package stpe_test

import (
	"context"
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

func TestK10_CloseIsNotHeldUpByATaskOfNextYear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, 8760*time.Hour, pooltest.Nothing)
		probe.Elapse(time.Minute)
		start := time.Now()
		require.NoError(t, p.Close())
		assert.Zero(t, time.Since(start))
		pooltest.CancelledByShutdown(t, f.Future)
	})
}

func TestK11_NobodyWaitsForADrainedFutureForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.NewGate(t).Hold)
		synctest.Wait()
		futures := []*future.Future[struct{}]{
			pooltest.Submit(t, p, pooltest.Nothing),
			pooltest.Schedule(t, p, time.Hour, pooltest.Nothing).Future,
			pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Nothing).Future,
		}
		got := make(chan error, len(futures))
		for _, f := range futures {
			go func() {
				_, err := f.Get(context.Background())
				got <- err
			}()
		}
		synctest.Wait()
		p.ShutdownNow()
		synctest.Wait()
		require.Len(t, got, len(futures))
		for range futures {
			err := <-got
			assert.ErrorIs(t, err, executor.ErrShutdown)
			assert.ErrorIs(t, err, future.ErrCancelled)
		}
	})
}

// Policies that discard come with the plain pool; here a refusal is an error and no future.
func TestK12_ARefusedTaskHasNoFutureThatCouldStayPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.PendingLimit(1))
		accepted := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		for _, want := range []error{executor.ErrSaturated, executor.ErrShutdown} {
			submitted, err := p.Submit(pooltest.Nothing)
			assert.ErrorIs(t, err, want)
			assert.ErrorIs(t, err, executor.ErrRejected)
			assert.Nil(t, submitted)
			scheduled, err := p.Schedule(time.Second, pooltest.Nothing)
			assert.ErrorIs(t, err, want)
			assert.Nil(t, scheduled)
			series, err := p.AtFixedRate(0, time.Second, pooltest.Nothing)
			assert.ErrorIs(t, err, want)
			assert.Nil(t, series)
			typed, err := executor.Submit(&p.Pool, func(context.Context) (int, error) { return 1, nil })
			assert.ErrorIs(t, err, want)
			assert.Nil(t, typed)
			p.ShutdownNow()
		}
		pooltest.CancelledByShutdown(t, accepted.Future)
		s := p.Stats()
		assert.Equal(t, []uint64{1, 8}, []uint64{s.Accepted, s.Rejected})
	})
}

func TestK23_AnInterruptedCloseReturnsWhatItDrained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, g.Hold, executor.Name("running"))
		synctest.Wait()
		due := pooltest.Submit(t, p, pooltest.Nothing, executor.Name("due"))
		late := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("late"))
		series := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Nothing, executor.Name("series"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		report, err := p.CloseContext(ctx)
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.ElementsMatch(t, []string{"due", "late", "series"}, pooltest.Names(report.Dropped))
		require.Len(t, report.Running, 1)
		assert.Equal(t, "running", report.Running[0].Name)
		assert.Equal(t, time.Minute, report.Running[0].For)
		for _, f := range []*future.Future[struct{}]{due, late.Future, series.Future} {
			pooltest.CancelledByShutdown(t, f)
		}
	})
}

// withMix submits tasks of every kind and end until told to stop, and returns their futures.
func withMix(p *executor.ScheduledPool, seed int, stop <-chan struct{}) (futures []*future.Future[struct{}]) {
	bodies := []executor.Task{pooltest.Nothing, pooltest.Fail, pooltest.Panic, pooltest.Goexit, pooltest.Sleep(3), pooltest.Sleep(50)}
	for i := seed; !probe.IsClosed(stop); i++ {
		body := bodies[i%len(bodies)]
		d := time.Duration(i % 7)
		var f *executor.ScheduledFuture[struct{}]
		var err error
		switch i % 4 {
		case 0:
			f, err = p.AtFixedRate(d, 5, body)
		case 1:
			f, err = p.WithFixedDelay(d, 5, body, executor.FailurePolicy(executor.Continue))
		case 2:
			f, err = p.Schedule(d, body, executor.Timeout(10))
		default:
			f, err = p.Schedule(time.Hour, body)
		}
		if err != nil {
			return futures
		}
		futures = append(futures, f.Future)
		if i%5 == 0 {
			f.Cancel()
		}
		time.Sleep(time.Duration(i % 3))
	}
	return futures
}

func TestK11_K12_EveryFutureOfATerminatedPoolIsSettled(t *testing.T) {
	ends := map[string]func(p *executor.ScheduledPool){
		"Close":       func(p *executor.ScheduledPool) { _ = p.Close() },
		"ShutdownNow": func(p *executor.ScheduledPool) { p.ShutdownNow() },
		"Shutdown":    func(p *executor.ScheduledPool) { p.Shutdown() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 3, executor.PendingLimit(40))
				stop := make(chan struct{})
				var mu sync.Mutex
				var all []*future.Future[struct{}]
				var wg sync.WaitGroup
				for g := range 4 {
					wg.Go(func() {
						futures := withMix(p, g*17, stop)
						mu.Lock()
						defer mu.Unlock()
						all = append(all, futures...)
					})
				}
				time.Sleep(200)
				end(p)
				close(stop)
				wg.Wait()
				<-p.Terminated()
				assert.NotEmpty(t, all)
				for _, f := range all {
					assert.True(t, f.State().Settled(), "%v", f)
					assert.True(t, probe.IsClosed(f.Stopped()), "%v", f)
				}
			})
		})
	}
}
