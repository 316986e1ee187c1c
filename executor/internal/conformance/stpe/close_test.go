package stpe_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestCloseOfAnUnusedPoolReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4)
		start := time.Now()
		assert.NoError(t, p.Close())
		assert.Zero(t, time.Since(start))
		assert.True(t, probe.IsClosed(p.Terminated()))
	})
}

func TestCloseWaitsForWhatRunsAndWhatIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		running := pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		due := pooltest.Submit(t, p, func(ctx context.Context) error {
			tr.Mark("due")
			time.Sleep(time.Minute)
			return ctx.Err()
		})
		synctest.Wait()
		assert.NoError(t, p.Close())
		assert.Equal(t, 2*time.Minute, time.Since(tr.Start))
		assert.Equal(t, []string{"due 1m0s"}, tr.Seen())
		assert.NoError(t, pooltest.Outcome(t, running))
		assert.NoError(t, pooltest.Outcome(t, due))
		assert.Zero(t, withWorkers(p))
	})
}

func TestCloseDropsWhatShutdownHadKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{delayed: true, periodic: true}.pool(t, 2)
		once := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		series := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, pooltest.Nothing)
		p.Shutdown()
		start := time.Now()
		assert.NoError(t, p.Close())
		assert.Zero(t, time.Since(start))
		pooltest.CancelledByShutdown(t, once.Future)
		pooltest.CancelledByShutdown(t, series.Future)
	})
}

func TestCloseEndsARunningSeriesAfterItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{delayed: true, periodic: true}.pool(t, 2)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Minute))
		synctest.Wait()
		start := time.Now()
		assert.NoError(t, p.Close())
		assert.Equal(t, time.Minute, time.Since(start))
		pooltest.CancelledByShutdown(t, f.Future)
		assert.EqualValues(t, 1, f.Runs())
	})
}

func TestCloseTwiceReturnsNilTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		assert.NoError(t, p.Close())
		start := time.Now()
		assert.NoError(t, p.Close())
		assert.Zero(t, time.Since(start))
	})
}

func TestCloseFrom64GoroutinesReturnsToAllAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hooks atomic.Int32
		p := pooltest.NewScheduledPool(t, 2, executor.AfterTermination(func() { hooks.Add(1) }))
		start := time.Now()
		for i := range 100 {
			pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name(fmt.Sprint(i)))
		}
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		type answer struct {
			report executor.Report
			err    error
			after  time.Duration
		}
		answers := make(chan answer, 64)
		for range 64 {
			go func() {
				report, err := p.CloseContext(context.Background())
				answers <- answer{report, err, time.Since(start)}
			}()
		}
		dropped := map[string]int{}
		for range 64 {
			a := <-answers
			assert.NoError(t, a.err)
			assert.Equal(t, time.Minute, a.after)
			assert.Empty(t, a.report.Running)
			for _, name := range pooltest.Names(a.report.Dropped) {
				dropped[name]++
			}
		}
		assert.Len(t, dropped, 100)
		for name, n := range dropped {
			assert.Equal(t, 1, n, "task %s", name)
		}
		assert.EqualValues(t, 1, hooks.Load())
	})
}

func TestCloseContextReportsWhatNeverStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		pooltest.Schedule(t, p, time.Hour, pooltest.Fail, executor.Name("once"))
		pooltest.AtFixedRate(t, p, 0, time.Minute, pooltest.Nothing, executor.Name("series"))
		probe.Elapse(90 * time.Second)
		report, err := p.CloseContext(t.Context())
		require.NoError(t, err)
		assert.Empty(t, report.Running)
		require.Equal(t, []string{"series", "once"}, pooltest.Names(report.Dropped))
		series, once := report.Dropped[0], report.Dropped[1]
		assert.Equal(t, 2*time.Minute, series.Scheduled.Sub(start))
		assert.Equal(t, time.Hour, once.Scheduled.Sub(start))
		assert.Equal(t, []bool{true, false}, []bool{series.Periodic, once.Periodic})
		assert.EqualValues(t, 2, series.Runs)
		assert.Equal(t, pooltest.ErrTask, once.Task(t.Context()))
	})
}

func TestCloseContextDoesNotReportWhatWasCancelledBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing).Cancel()
		report, err := p.CloseContext(t.Context())
		require.NoError(t, err)
		assert.Empty(t, report.Dropped)
	})
}

func TestCloseContextReportsWhatStillRunsLongestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 3)
		g := pooltest.NewGate(t)
		for _, name := range []string{"first", "second", "third"} {
			pooltest.Submit(t, p, g.Hold, executor.Name(name))
			probe.Elapse(time.Minute)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		report, err := p.CloseContext(ctx)
		assert.Equal(t, context.DeadlineExceeded, err)
		require.Len(t, report.Running, 3)
		for i, want := range []string{"first", "second", "third"} {
			assert.Equal(t, want, report.Running[i].Name)
			assert.Equal(t, time.Hour+time.Duration(3-i)*time.Minute, report.Running[i].For)
		}
	})
}

func TestCloseContextStopsThePoolWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		var cause error
		running := pooltest.Submit(t, p, func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil
		})
		due := pooltest.Submit(t, p, pooltest.Nothing)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, err := p.CloseContext(ctx)
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Equal(t, time.Minute, time.Since(start))
		<-p.Terminated()
		assert.Equal(t, executor.ErrShutdown, cause)
		assert.NoError(t, pooltest.Outcome(t, running))
		pooltest.CancelledByShutdown(t, due)
	})
}

func TestCloseContextReportsTheDroppedInOrderOfTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.NewGate(t).Hold)
		synctest.Wait()
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("late"))
		pooltest.Submit(t, p, pooltest.Nothing, executor.Name("due"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		report, err := p.CloseContext(ctx)
		assert.Error(t, err)
		assert.Equal(t, []string{"due", "late"}, pooltest.Names(report.Dropped))
	})
}

func TestCloseContextWithAnEndedContextDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		running := pooltest.Submit(t, p, pooltest.NewGate(t).Heed, executor.Name("running"))
		due := pooltest.Submit(t, p, pooltest.Nothing, executor.Name("due"))
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		report, err := p.CloseContext(ctx)
		assert.Equal(t, context.Canceled, err)
		assert.Zero(t, time.Since(start))
		assert.Equal(t, []string{"due"}, pooltest.Names(report.Dropped))
		pooltest.CancelledByShutdown(t, due)
		<-p.Terminated()
		assert.Equal(t, executor.ErrShutdown, pooltest.Outcome(t, running))
	})
}

func TestCloseContextOfATerminatedPoolIsNilWhateverItsContextSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Nothing)
		require.NoError(t, p.Close())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 {
			report, err := p.CloseContext(ctx)
			require.NoError(t, err)
			assert.Equal(t, executor.Report{Dropped: []executor.Pending{}}, report)
			require.NoError(t, p.AwaitTermination(ctx))
		}
	})
}

func TestCloseContextTwiceReportsEachDroppedTaskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.NewGate(t).Hold, executor.Name("running"))
		synctest.Wait()
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		first, err := p.CloseContext(ctx)
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Len(t, first.Dropped, 1)
		second, err := p.CloseContext(ctx)
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Empty(t, second.Dropped)
		assert.Len(t, second.Running, 1)
	})
}

func TestCloseAfterAnInterruptedCloseWaitsForTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := p.CloseContext(ctx)
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.NoError(t, p.Close())
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestANilContextNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		var none context.Context
		_, err := p.CloseContext(none)
		assert.NoError(t, err)
		assert.NoError(t, p.AwaitTermination(none))
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestB16_SubmissionsThatRaceWithCloseAreRefusedOrSettled(t *testing.T) {
	for i := range 20 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, i%3)
				var accepted, refused, settled atomic.Int64
				var wg sync.WaitGroup
				for g := range 16 {
					wg.Go(func() {
						for n := range 20 {
							f, err := p.Schedule(time.Duration((g+n)%3), pooltest.Nothing)
							if err != nil {
								refused.Add(1)
								continue
							}
							accepted.Add(1)
							if _, err := f.Get(context.Background()); err == nil || errors.Is(err, executor.ErrShutdown) {
								settled.Add(1)
							}
						}
					})
				}
				time.Sleep(time.Duration(i % 7))
				require.NoError(t, p.Close())
				wg.Wait()
				assert.EqualValues(t, 16*20, accepted.Load()+refused.Load())
				assert.Equal(t, accepted.Load(), settled.Load())
				assert.EqualValues(t, refused.Load(), p.Stats().Rejected)
			})
		})
	}
}
