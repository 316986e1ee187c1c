package stpe_test

import (
	"context"
	"errors"
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

func TestK21_TheCauseTellsWhoEndedTheContext(t *testing.T) {
	reason := errors.New("reason")
	enders := []struct {
		name string
		end  func(p *executor.ScheduledPool, f *future.Future[struct{}])
		want error
	}{
		{"Cancel", func(_ *executor.ScheduledPool, f *future.Future[struct{}]) { f.Cancel() }, future.ErrCancelled},
		{"CancelCause", func(_ *executor.ScheduledPool, f *future.Future[struct{}]) { f.CancelCause(reason) }, reason},
		{"ShutdownNow", func(p *executor.ScheduledPool, _ *future.Future[struct{}]) { p.ShutdownNow() }, executor.ErrShutdown},
		{"Timeout", func(*executor.ScheduledPool, *future.Future[struct{}]) {}, future.ErrTimeout},
	}
	for _, c := range enders {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				causes := make(chan error, 1)
				f := pooltest.Submit(t, p, func(ctx context.Context) error {
					<-ctx.Done()
					causes <- context.Cause(ctx)
					return ctx.Err()
				}, executor.Timeout(time.Minute))
				synctest.Wait()
				c.end(p, f)
				assert.ErrorIs(t, <-causes, c.want)
			})
		})
	}
}

func TestK21_B52_ACancellationDoesNotLeakIntoTheNextTaskOfTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		first := pooltest.Submit(t, p, g.Hold)
		var errs []error
		look := func(ctx context.Context) error {
			errs = append(errs, ctx.Err(), context.Cause(ctx))
			return nil
		}
		pooltest.Submit(t, p, look)
		pooltest.AtFixedRate(t, p, 0, time.Second, look, executor.MaxRuns(2))
		synctest.Wait()
		first.Cancel()
		g.Open()
		probe.Elapse(time.Minute)
		assert.Equal(t, make([]error, 6), errs)
	})
}

func TestK22_ATimeoutEndsTheContextAndSettlesTheFutureOnTheInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		start := time.Now()
		heedless := pooltest.Submit(t, p, g.Hold, executor.Timeout(time.Minute))
		<-heedless.Done()
		assert.Equal(t, time.Minute, time.Since(start))
		assert.ErrorIs(t, pooltest.Outcome(t, heedless), future.ErrTimeout)
		assert.ErrorIs(t, pooltest.Outcome(t, heedless), context.DeadlineExceeded)
		assert.False(t, probe.IsClosed(heedless.Stopped()))
		g.Open()
		synctest.Wait()
		assert.True(t, probe.IsClosed(heedless.Stopped()))
		s := p.Stats()
		assert.Equal(t, []uint64{1, 1, 1}, []uint64{s.Completed, s.Runs, s.Failures})
	})
}

func TestK22_TheTimeoutCountsFromTheStartOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		f := pooltest.Submit(t, p, pooltest.Sleep(time.Second), executor.Timeout(2*time.Second))
		probe.Elapse(time.Hour + time.Second)
		assert.NoError(t, pooltest.Outcome(t, f))
	})
}

// The timeout and the end of the body race for the run: either may win, but not both.
func TestK22_ARunThatEndsOnTheInstantOfItsTimeoutIsLateOrNot(t *testing.T) {
	for range 8 {
		synctest.Test(t, func(t *testing.T) {
			const workers = 8
			p := pooltest.NewScheduledPool(t, workers)
			for range 300 {
				futures := make([]*executor.ScheduledFuture[struct{}], workers)
				for i := range futures {
					futures[i] = pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(10), executor.Timeout(10))
				}
				probe.Elapse(time.Minute)
				pending := 0
				for _, f := range futures {
					if !f.State().Settled() {
						pending++
					}
				}
				require.Equal(t, pending, p.Stats().Queued, "what is settled is not queued")
				for _, f := range futures {
					f.Cancel()
				}
			}
		})
	}
}

func TestK24_StoppedTellsWhenTheBodyOfACancelledTaskHasReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		f := pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		probe.Elapse(time.Minute)
		f.Cancel()
		<-f.Done()
		assert.Equal(t, time.Minute, time.Since(start))
		assert.False(t, probe.IsClosed(f.Stopped()))
		assert.Equal(t, 1, p.Stats().Busy)
		<-f.Stopped()
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestK24_StoppedOfASeriesClosesWithTheRunThatWasCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		f := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, pooltest.Sleep(30*time.Minute))
		probe.Elapse(2*time.Hour + time.Minute)
		f.Stop()
		<-f.Stopped()
		assert.Equal(t, 2*time.Hour+30*time.Minute, time.Since(start))
	})
}

func TestK24_StoppedIsClosedAtOnceWhenNoBodyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		queued := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		between := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Nothing)
		synctest.Wait()
		queued.Cancel()
		between.Cancel()
		assert.True(t, probe.IsClosed(queued.Stopped()))
		assert.True(t, probe.IsClosed(between.Stopped()))
	})
}
