package stpe_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/probe"
)

// dropLists are the calls that tell what will not run any more, of a pool whose tasks do not heed
// their contexts.
var dropLists = map[string]endOfPool{
	"ShutdownNow": (*executor.ScheduledPool).ShutdownNow,
	"CloseContext": func(p *executor.ScheduledPool) []executor.Pending {
		report, _ := p.CloseContext(context.Background())
		return report.Dropped
	},
	"CloseContext that runs out of time": func(p *executor.ScheduledPool) []executor.Pending {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		report, _ := p.CloseContext(ctx)
		return report.Dropped
	},
	"ShutdownNow after Shutdown": func(p *executor.ScheduledPool) []executor.Pending {
		p.SetContinuePeriodicAfterShutdown(true) // or else Shutdown would drop those that wait
		p.Shutdown()
		return p.ShutdownNow()
	},
	"CloseContext after Shutdown": func(p *executor.ScheduledPool) []executor.Pending {
		p.SetContinuePeriodicAfterShutdown(true)
		p.Shutdown()
		report, _ := p.CloseContext(context.Background())
		return report.Dropped
	},
}

func withDropLists(t *testing.T, test func(t *testing.T, end endOfPool)) {
	for name, end := range dropLists {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, end) })
		})
	}
}

// endOfPool returns what will not run any more.
type endOfPool func(p *executor.ScheduledPool) []executor.Pending

// assertEnded checks the accounts of a pool of which nothing is left, and how many tasks it has
// handed back.
func assertEnded(t *testing.T, p *executor.ScheduledPool, returned int) {
	t.Helper()
	<-p.Terminated()
	s := p.Stats()
	assert.EqualValues(t, returned, s.Returned, "%+v", s)
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned, "%+v", s)
	assert.Empty(t, p.ShutdownNow())
}

func TestAListOfDroppedTasksHasTheSeriesThatAreInARun(t *testing.T) {
	withDropLists(t, func(t *testing.T, end endOfPool) {
		p := pooltest.NewScheduledPool(t, 2)
		start := time.Now()
		ran := make(chan struct{}, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, func(context.Context) error {
			time.Sleep(time.Minute)
			ran <- struct{}{}
			return nil
		}, executor.Name("in a run"))
		for i := range 4 {
			name := executor.Name(fmt.Sprint(i))
			pooltest.AtFixedRate(t, p, time.Duration(i+1)*25*time.Minute, time.Hour, pooltest.Nothing, name)
		}
		probe.Elapse(time.Second)
		dropped := end(p)
		byTime := []string{"0", "1", "in a run", "2", "3"}
		require.Equal(t, byTime, pooltest.Names(dropped))
		in := dropped[2]
		assert.Equal(t, time.Hour, in.Scheduled.Sub(start), "when its next run would have been")
		assert.True(t, in.Periodic)
		assert.EqualValues(t, 1, in.Runs)
		<-p.Terminated()
		<-ran
		assert.NoError(t, in.Task(context.Background()))
		pooltest.CancelledByShutdown(t, f.Future)
		assert.EqualValues(t, 1, f.Runs())
		assertEnded(t, p, 5)
	})
}

func TestASeriesInARunCountsAsReturnedAsSoonAsItIsHandedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Minute))
		synctest.Wait()
		assert.Len(t, p.ShutdownNow(), 1)
		assert.EqualValues(t, 1, p.Stats().Returned)
		assert.Equal(t, future.Running, f.State(), "its future is settled at the end of the run")
		assert.Empty(t, p.ShutdownNow())
		report, err := p.CloseContext(t.Context())
		assert.NoError(t, err)
		assert.Empty(t, report.Dropped)
		pooltest.CancelledByShutdown(t, f.Future)
		assertEnded(t, p, 1)
	})
}

func TestASeriesWithAFixedDelayIsHandedBackOutOfARunWithoutATimeAndLast(t *testing.T) {
	withDropLists(t, func(t *testing.T, end endOfPool) {
		p := pooltest.NewScheduledPool(t, 2)
		pooltest.WithFixedDelay(t, p, 0, time.Second, pooltest.Sleep(time.Minute), executor.Name("delay"))
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("once"))
		synctest.Wait()
		dropped := end(p)
		require.Equal(t, []string{"once", "delay"}, pooltest.Names(dropped))
		assert.True(t, dropped[1].Scheduled.IsZero(), "it depends on when the run ends")
		assertEnded(t, p, 2)
	})
}

func TestAFixedRateInARunIsHandedBackWithTheSlotOfItsNextRun(t *testing.T) {
	for name, c := range map[string]struct {
		option executor.TaskOption
		next   time.Duration
	}{
		"burst":    {executor.CatchUp(executor.Burst), 2 * time.Minute},
		"skip":     {executor.CatchUp(executor.Skip), 4 * time.Minute},
		"coalesce": {executor.CatchUp(executor.Coalesce), 2 * time.Minute},
		"jitter":   {executor.Jitter(time.Nanosecond), 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				start := time.Now()
				g := pooltest.NewGate(t)
				pooltest.AtFixedRate(t, p, time.Minute, time.Minute, g.Hold, c.option)
				probe.Elapse(3*time.Minute + time.Second)
				dropped := p.ShutdownNow()
				require.Len(t, dropped, 1)
				assert.Equal(t, c.next, dropped[0].Scheduled.Sub(start))
			})
		})
	}
}

func TestASeriesInItsLastRunIsNotDropped(t *testing.T) {
	withDropLists(t, func(t *testing.T, end endOfPool) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Minute), executor.MaxRuns(1))
		synctest.Wait()
		assert.Empty(t, end(p))
		assertEnded(t, p, 0)
		assert.NoError(t, pooltest.Outcome(t, f.Future))
	})
}

func TestACancelledSeriesThatStillRunsIsNotDropped(t *testing.T) {
	withDropLists(t, func(t *testing.T, end endOfPool) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Minute))
		synctest.Wait()
		assert.True(t, f.Stop())
		assert.Empty(t, end(p))
		assertEnded(t, p, 0)
	})
}

func TestARunThatFailsAfterItsSeriesWasHandedBackEndsItNoSecondTime(t *testing.T) {
	for name, body := range map[string]executor.Task{
		"error":  pooltest.Fail,
		"panic":  func(context.Context) error { panic(pooltest.ErrTask) },
		"Goexit": pooltest.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				g := pooltest.NewGate(t)
				f := pooltest.AtFixedRate(t, p, 0, time.Hour, func(ctx context.Context) error {
					<-g.Opened
					return body(ctx)
				})
				synctest.Wait()
				assert.Len(t, p.ShutdownNow(), 1)
				g.Open()
				assertEnded(t, p, 1)
				assert.EqualValues(t, 1, p.Stats().Failures)
				assert.Error(t, pooltest.Outcome(t, f.Future))
			})
		})
	}
}

func TestARunThatTakesTooLongAfterItsSeriesWasHandedBackEndsItNoSecondTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Minute), executor.Timeout(time.Second))
		synctest.Wait()
		assert.Len(t, p.ShutdownNow(), 1)
		assertEnded(t, p, 1)
		assert.Error(t, pooltest.Outcome(t, f.Future))
	})
}

func TestASeriesThatIsCancelledAfterItWasHandedBackCountsAsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Minute))
		synctest.Wait()
		assert.Len(t, p.ShutdownNow(), 1)
		assert.True(t, f.Cancel())
		assertEnded(t, p, 1)
		assert.Equal(t, future.ErrCancelled, pooltest.Outcome(t, f.Future))
	})
}

func TestASeriesThatCloseHasDroppedIsNotRevived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Sleep(time.Minute))
		synctest.Wait()
		ended := make(chan executor.Report)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			defer cancel()
			report, err := p.CloseContext(ctx)
			assert.NoError(t, err)
			ended <- report
		}()
		synctest.Wait()
		p.SetContinuePeriodicAfterShutdown(true)
		assert.Len(t, (<-ended).Dropped, 1)
		pooltest.CancelledByShutdown(t, f.Future)
		assert.EqualValues(t, 1, f.Runs())
		assertEnded(t, p, 1)
	})
}

func TestShutdownLeavesASeriesInARunToWhoeverTakesAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Minute), executor.Name("short"))
		pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Hour), executor.Name("long"))
		synctest.Wait()
		p.Shutdown()
		assert.Zero(t, p.Stats().Returned)
		probe.Elapse(time.Minute)
		assert.EqualValues(t, 1, p.Stats().Returned, "dropped at the end of its run")
		assert.Equal(t, []string{"long"}, pooltest.Names(p.ShutdownNow()))
		assertEnded(t, p, 2)
	})
}

func TestASeriesThatClosesItsPoolIsDroppedAndReportedAsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		reports := make(chan executor.Report, 1)
		pooltest.AtFixedRate(t, p, 0, time.Hour, func(ctx context.Context) error {
			report, err := p.CloseContext(ctx)
			assert.ErrorIs(t, err, future.ErrSelfWait)
			reports <- report
			return nil
		}, executor.Name("self"))
		report := <-reports
		assert.Equal(t, []string{"self"}, pooltest.Names(report.Dropped))
		require.Len(t, report.Running, 1)
		assert.Equal(t, "self", report.Running[0].Name)
		assertEnded(t, p, 1)
	})
}

func TestASeriesInARunIsInTheListsOfManyWhoCloseThePoolOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 3)
		for range 3 {
			pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Minute))
		}
		synctest.Wait()
		counts := make(chan int)
		for i := range 64 {
			go func() {
				if i%2 == 0 {
					counts <- len(p.ShutdownNow())
					return
				}
				report, _ := p.CloseContext(context.Background())
				counts <- len(report.Dropped)
			}()
		}
		sum := 0
		for range 64 {
			sum += <-counts
		}
		assert.Equal(t, 3, sum)
		assertEnded(t, p, 3)
	})
}

// What runs.

func TestAReportTellsATaskAsRunningThatHeedsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		var heeded atomic.Int32
		heed := func(ctx context.Context) error {
			<-ctx.Done()
			heeded.Add(1)
			return nil
		}
		pooltest.Submit(t, p, heed, executor.Name("once"))
		probe.Elapse(time.Second)
		pooltest.AtFixedRate(t, p, 0, time.Hour, heed, executor.Name("series"))
		probe.Elapse(time.Second)
		waits := pooltest.Submit(t, p, pooltest.Nothing)
		defer delay.Set(func(at delay.Point) {
			if at == delay.CellSettled && waits.State().Settled() {
				time.Sleep(time.Second) // both have ended when the waiting task has been dropped
			}
		})()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		report, err := p.CloseContext(ctx)
		assert.Equal(t, context.Canceled, err)
		assert.EqualValues(t, 2, heeded.Load())
		var names []string
		for _, r := range report.Running {
			names = append(names, fmt.Sprint(r.Name, " ", r.Number, " ", r.For))
		}
		assert.Equal(t, []string{"once 1 2s", "series 1 1s"}, names, "longest first")
		assert.Equal(t, []string{"", "series"}, pooltest.Names(report.Dropped))
	})
}

// The runner notes the failure of the run without the lock, and the list is made at the same time.
func TestASeriesIsHandedBackWhileItsRunFails(t *testing.T) {
	for range 200 {
		p := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)))
		begun := make(chan struct{})
		_, err := p.AtFixedRate(0, time.Hour, func(context.Context) error {
			close(begun)
			return pooltest.ErrTask
		})
		require.NoError(t, err)
		<-begun
		p.ShutdownNow()
		<-p.Terminated()
	}
}
