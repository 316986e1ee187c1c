package stpe_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestCloseOfAnUnusedPoolReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4)
		start := time.Now()
		assert.NoError(t, p.Close())
		assert.Zero(t, time.Since(start))
		assert.True(t, pooltest.IsClosed(p.Terminated()))
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
		p := pooltest.NewScheduledPool(t, 2, executor.OnTerminated(func() { hooks.Add(1) }))
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
		pooltest.Elapse(90 * time.Second)
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
			pooltest.Elapse(time.Minute)
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

// A task that would wait for itself.

// withWaits are the calls that wait for the end of a pool. Only some are given a context.
var withWaits = map[string]func(p *executor.ScheduledPool, ctx context.Context) error{
	"Close": func(p *executor.ScheduledPool, _ context.Context) error { return p.Close() },
	"CloseContext": func(p *executor.ScheduledPool, ctx context.Context) error {
		_, err := p.CloseContext(ctx)
		return err
	},
	"CloseContext, derived context": func(p *executor.ScheduledPool, ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		_, err := p.CloseContext(ctx)
		return err
	},
	"CloseContext, other context": func(p *executor.ScheduledPool, _ context.Context) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		_, err := p.CloseContext(ctx)
		return err
	},
	"CloseContext, own goroutine": func(p *executor.ScheduledPool, ctx context.Context) error {
		errs := make(chan error)
		go func() {
			_, err := p.CloseContext(ctx)
			errs <- err
		}()
		return <-errs
	},
}

func TestATaskThatClosesItsPoolIsToldThatItWouldWaitForItself(t *testing.T) {
	for name, wait := range withWaits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				start := time.Now()
				f := pooltest.Submit(t, p, func(ctx context.Context) error {
					err := wait(p, ctx)
					if ctx.Err() != nil {
						return errors.New("the close ended the context of its caller")
					}
					return err
				})
				<-p.Terminated()
				assert.Zero(t, time.Since(start))
				assert.Equal(t, future.ErrSelfWait, pooltest.Outcome(t, f))
			})
		})
	}
}

func TestASeriesThatClosesItsPoolEndsWithThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, func(context.Context) error {
			if err := p.Close(); !errors.Is(err, future.ErrSelfWait) {
				return err
			}
			return nil
		})
		<-p.Terminated()
		pooltest.CancelledByShutdown(t, f.Future)
		assert.EqualValues(t, 1, f.Runs())
		assert.NoError(t, p.Close())
	})
}

func TestATaskThatClosesItsPoolDropsWhatIsNotDueAndIsReportedAsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		g := pooltest.NewGate(t)
		var report executor.Report
		pooltest.Submit(t, p, func(ctx context.Context) error {
			_ = g.Hold(ctx)
			report, _ = p.CloseContext(ctx)
			return nil
		}, executor.Name("self"))
		pooltest.Submit(t, p, tr.Task("due"))
		late := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("late"))
		g.Open()
		<-p.Terminated()
		assert.Equal(t, []string{"late"}, pooltest.Names(report.Dropped))
		require.Len(t, report.Running, 1)
		assert.Equal(t, "self", report.Running[0].Name)
		assert.Equal(t, []string{"due 0s"}, tr.Seen())
		pooltest.CancelledByShutdown(t, late.Future)
	})
}

func TestTheHooksOfARunMayCloseThePoolAsItsTaskMay(t *testing.T) {
	for _, hook := range []string{"before", "after", "handler"} {
		t.Run(hook, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p *executor.ScheduledPool
				errs := map[string]error{} // one worker only
				closeIn := func(name string) {
					if name == hook {
						errs[name] = p.Close()
					}
				}
				p = pooltest.NewScheduledPool(t, 1,
					executor.BeforeRun(func(context.Context, executor.Run) { closeIn("before") }),
					executor.AfterRun(func(context.Context, executor.Run, error) { closeIn("after") }),
					executor.ErrorHandler(func(context.Context, executor.Run, error) { closeIn("handler") }))
				require.NoError(t, p.Execute(pooltest.Fail))
				<-p.Terminated()
				assert.Equal(t, map[string]error{hook: future.ErrSelfWait}, errs)
			})
		})
	}
}

// As for a task: the pool's end waits for the hook.
func TestTheTerminatedHookThatClosesItsPoolIsToldThatItWouldWaitForItself(t *testing.T) {
	ends := map[string]func(p *executor.ScheduledPool){
		"by the last worker": func(p *executor.ScheduledPool) { _, _ = p.Submit(pooltest.Nothing); p.Shutdown() },
		"by the caller":      func(p *executor.ScheduledPool) { p.Shutdown() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p *executor.ScheduledPool
				var err error
				p = pooltest.NewScheduledPool(t, 1, executor.OnTerminated(func() {
					ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
					defer cancel()
					_, err = p.CloseContext(ctx)
				}))
				start := time.Now()
				go end(p)
				<-p.Terminated()
				assert.Equal(t, future.ErrSelfWait, err)
				assert.Zero(t, time.Since(start))
			})
		})
	}
}

func TestATaskMayCloseAnotherPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, other := pooltest.NewScheduledPool(t, 1), pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		pooltest.Submit(t, other, pooltest.Sleep(time.Hour))
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			_, err := other.CloseContext(ctx)
			return err
		})
		<-f.Done()
		assert.NoError(t, pooltest.Outcome(t, f))
		assert.Equal(t, time.Hour, time.Since(start))
		assert.True(t, pooltest.IsClosed(other.Terminated()))
	})
}

func TestAFinishedRunIsNotTakenForTheCallerOfClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		var kept context.Context
		pooltest.Submit(t, p, func(ctx context.Context) error {
			kept = ctx
			return nil
		})
		pooltest.Elapse(time.Minute)
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		synctest.Wait()
		_, err := p.CloseContext(kept)
		assert.Equal(t, context.Canceled, err, "the context of a run ends with it")
		require.NoError(t, p.Close())
		assert.Equal(t, time.Hour+time.Minute, time.Since(start))
	})
}

// AwaitTermination.

func TestAwaitTerminationDoesNotShutThePoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		assert.Equal(t, context.DeadlineExceeded, p.AwaitTermination(ctx))
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Equal(t, "running", p.Stats().State)
		_, err := p.Submit(pooltest.Nothing)
		assert.NoError(t, err)
	})
}

func TestAwaitTerminationReturnsAtTheEndOfTheLastTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		pooltest.Schedule(t, p, time.Hour, pooltest.Sleep(time.Minute))
		p.Shutdown()
		assert.NoError(t, p.AwaitTermination(t.Context()))
		assert.Equal(t, time.Hour+time.Minute, time.Since(start))
	})
}

func TestATaskThatAwaitsTheEndOfItsPoolIsToldThatItWouldWaitForItself(t *testing.T) {
	type key struct{}
	contexts := map[string]func(ctx context.Context) context.Context{
		"own context":     func(ctx context.Context) context.Context { return ctx },
		"derived context": func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, "value") },
		"other context":   func(context.Context) context.Context { return context.Background() },
		"no context":      func(context.Context) context.Context { return nil },
	}
	for name, choose := range contexts {
		for _, shut := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, shut down %v", name, shut), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := pooltest.NewScheduledPool(t, 2)
					f := pooltest.Submit(t, p, func(ctx context.Context) error {
						if shut {
							p.Shutdown()
						}
						return p.AwaitTermination(choose(ctx))
					})
					synctest.Wait()
					assert.Equal(t, future.ErrSelfWait, pooltest.Outcome(t, f))
					assert.Equal(t, shut, pooltest.IsClosed(p.Terminated()))
				})
			})
		}
	}
}

func TestATaskThatGoexitHasGivenANewGoroutineIsStillToldThatItWouldWaitForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Goexit)
		f := pooltest.Submit(t, p, func(context.Context) error { return p.Close() })
		<-p.Terminated()
		assert.Equal(t, future.ErrSelfWait, pooltest.Outcome(t, f))
	})
}

// Shutdown and ShutdownNow from a task.

func TestATaskMayShutItsPoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			p.Shutdown()
			return ctx.Err()
		})
		<-p.Terminated()
		assert.NoError(t, pooltest.Outcome(t, f))
	})
}

func TestATaskMayStopItsPoolAndSeesItsOwnContextEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		var dropped []executor.Pending
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			_ = g.Hold(ctx)
			dropped = p.ShutdownNow()
			return context.Cause(ctx)
		}, executor.Name("self"))
		pooltest.Submit(t, p, pooltest.Nothing, executor.Name("other"))
		g.Open()
		<-p.Terminated()
		assert.Equal(t, executor.ErrShutdown, pooltest.Outcome(t, f))
		assert.Equal(t, future.StateFailed, f.State())
		assert.Equal(t, []string{"other"}, pooltest.Names(dropped))
	})
}

func TestASeriesMayStopItsPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{periodic: true}.pool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Second, func(context.Context) error {
			p.ShutdownNow()
			return nil
		})
		<-p.Terminated()
		pooltest.CancelledByShutdown(t, f.Future)
		assert.EqualValues(t, 1, f.Runs())
	})
}

// The terminated hook.

// withEnds are the ways a pool comes to its end, by whose goroutine takes the last step. Each
// prepares a pool and returns what starts its end.
var withEnds = map[string]func(t *testing.T, p *executor.ScheduledPool) (start func()){
	"worker": func(t *testing.T, p *executor.ScheduledPool) func() {
		pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		synctest.Wait()
		return p.Shutdown
	},
	"idle worker": func(t *testing.T, p *executor.ScheduledPool) func() {
		pooltest.Submit(t, p, pooltest.Nothing)
		synctest.Wait()
		return p.Shutdown
	},
	"worker after Goexit": func(t *testing.T, p *executor.ScheduledPool) func() {
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, func(ctx context.Context) error {
			_ = g.Hold(ctx)
			return pooltest.Goexit(ctx)
		})
		p.Shutdown()
		return g.Open
	},
	"caller of Shutdown": func(_ *testing.T, p *executor.ScheduledPool) func() { return p.Shutdown },
	"caller of ShutdownNow": func(_ *testing.T, p *executor.ScheduledPool) func() {
		return func() { p.ShutdownNow() }
	},
	"caller of Close": func(_ *testing.T, p *executor.ScheduledPool) func() {
		return func() { _ = p.Close() }
	},
	"worker, last task cancelled": func(t *testing.T, p *executor.ScheduledPool) func() {
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		synctest.Wait()
		p.Shutdown()
		return func() { f.Cancel() }
	},
}

func TestTheTerminatedHookIsCalledOnceWhateverItDoes(t *testing.T) {
	for name, end := range withEnds {
		for _, fault := range pooltest.Faults {
			t.Run(name+", "+fault.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told pooltest.Errors
					var hooks atomic.Int32
					p := pooltest.NewScheduledPool(t, 2, executor.ErrorHandler(told.Handle), executor.OnTerminated(func() {
						hooks.Add(1)
						fault.Do()
					}))
					go end(t, p)()
					<-p.Terminated()
					p.Shutdown()
					p.ShutdownNow()
					assert.NoError(t, p.Close())
					synctest.Wait()
					assert.EqualValues(t, 1, hooks.Load())
					assert.Equal(t, "terminated", p.Stats().State)
					assert.Empty(t, pooltest.Workers(t))
					if fault.Name == "panic" {
						errs := slices.DeleteFunc(told.Told(), func(err error) bool { return err == future.ErrGoexit }) // of a task
						require.Len(t, errs, 1)
						assert.ErrorIs(t, errs[0], pooltest.ErrTask)
					}
				})
			})
		}
	}
}

// A caller has a goroutine of its own, which a hook of the pool has no business to end.
func TestATerminatedHookThatCallsGoexitDoesNotEndTheGoroutineOfACaller(t *testing.T) {
	for name, end := range withEnds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 2, executor.OnTerminated(runtime.Goexit))
				start := end(t, p)
				var returned atomic.Bool
				go func() {
					start()
					returned.Store(true)
				}()
				<-p.Terminated()
				synctest.Wait()
				assert.True(t, returned.Load())
			})
		})
	}
}

func TestTheTerminatedHookIsCalledBeforeTerminatedCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.OnTerminated(func() { time.Sleep(time.Hour) }))
		start := time.Now()
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		require.NoError(t, p.Close())
		assert.Equal(t, time.Hour+time.Minute, time.Since(start))
	})
}

// Accounting.

// withAction is one step of a random history of a pool. Times are in nanoseconds. All that happens
// does so at an even time, but that time-outs are over: so it is clear which of two came first.
type withAction struct {
	Kind                           string
	Delay, Length, Timeout, Number int
	End                            int // how the body ends: an index into withFaults, or an error
	Goes                           bool
}

var withKinds = []string{
	"schedule", "schedule", "schedule", "rate", "rate", "delay", "delay", "execute", "execute",
	"cancel", "cancel", "stop", "core", "keep", "policy", "wait", "wait", "shutdown", "now", "close",
}

func withDrawAction(rt *rapid.T) withAction {
	return withAction{
		Kind:    rapid.SampledFrom(withKinds).Draw(rt, "kind"),
		Delay:   2 * rapid.IntRange(-5, 30).Draw(rt, "delay"),
		Length:  rapid.SampledFrom([]int{0, 0, 0, 10, 30, 200}).Draw(rt, "length"),
		Timeout: rapid.SampledFrom([]int{0, 0, 5, 25}).Draw(rt, "timeout"),
		Number:  rapid.IntRange(0, 100).Draw(rt, "number"),
		End:     rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3, 4}).Draw(rt, "end"),
		Goes:    rapid.Bool().Draw(rt, "goes"),
	}
}

// withAccount keeps books beside a pool.
type withAccount struct {
	p       *executor.ScheduledPool
	futures []*future.Future[struct{}]

	accepted, rejected, cancelled, executed uint64
	executions, ended, failed               atomic.Uint64
	running                                 sync.Map // of *withRun
	cancellations                           sync.Map // of futures, by time
	fault                                   string

	handedBack map[*future.Future[struct{}]]bool // series, perhaps in a run
}

// withRun is a run in progress.
type withRun struct {
	*withAccount
	ctx   context.Context
	began time.Time
	of    withAction
	self  *atomic.Pointer[future.Future[struct{}]]
}

// late reports whether the run has outlived its time-out, and had not been cancelled by then.
func (r withRun) late() bool {
	if !errors.Is(context.Cause(r.ctx), future.ErrTimeout) {
		return false
	}
	at, cancelled := r.cancellations.Load(r.self.Load())
	return !cancelled || at.(time.Time).After(r.began.Add(time.Duration(r.of.Timeout)))
}

// body returns a task that counts its runs, and the failures among them. A run that was cancelled
// does not fail, as its outcome is dropped; self tells the future, once it is known.
func (a *withAccount) body(s withAction, self *atomic.Pointer[future.Future[struct{}]]) executor.Task {
	return func(ctx context.Context) (err error) {
		fine := false
		run := &withRun{a, ctx, time.Now(), s, self}
		a.running.Store(run, nil)
		defer func() {
			a.running.Delete(run)
			a.ended.Add(1)
			f := self.Load()
			if run.late() || !fine && (f == nil || f.State() != future.Cancelled) {
				a.failed.Add(1)
			}
		}()
		time.Sleep(time.Duration(s.Length))
		if s.End == len(pooltest.Faults) {
			return pooltest.ErrTask
		}
		pooltest.Faults[s.End].Do()
		fine = true
		return nil
	}
}

func (s withAction) options() (opts []executor.TaskOption) {
	if s.Timeout > 0 {
		opts = append(opts, executor.Timeout(time.Duration(s.Timeout)))
	}
	if s.Goes {
		opts = append(opts, executor.OnError(executor.ErrorPolicy(1+s.Number%2)), executor.CatchUp(executor.Skip))
	}
	if s.Number%3 == 0 {
		opts = append(opts, executor.MaxRuns(1+s.Number%7))
	}
	return opts
}

func (a *withAccount) schedule(s withAction) {
	var self atomic.Pointer[future.Future[struct{}]]
	var f *executor.ScheduledFuture[struct{}]
	var err error
	body, delay, period := a.body(s, &self), time.Duration(s.Delay), time.Duration(2+2*s.Number)
	named := append(s.options(), executor.Name(fmt.Sprint(len(a.futures))))
	switch s.Kind {
	case "rate":
		f, err = a.p.AtFixedRate(delay, period, body, named...)
	case "delay":
		f, err = a.p.WithFixedDelay(delay, period, body, named...)
	default:
		f, err = a.p.Schedule(delay, body, s.options()...)
	}
	if err != nil {
		a.rejected++
		return
	}
	self.Store(f.Future)
	a.accepted++
	a.futures = append(a.futures, f.Future)
}

func (a *withAccount) execute(s withAction) {
	body := a.body(s, new(atomic.Pointer[future.Future[struct{}]]))
	err := a.p.Execute(func(ctx context.Context) error {
		a.executions.Add(1)
		return body(ctx)
	})
	if err != nil {
		a.rejected++
		return
	}
	a.accepted++
	a.executed++
}

func (a *withAccount) cancel(s withAction, how func(f *future.Future[struct{}]) bool) {
	n := len(a.futures)
	if n == 0 {
		return
	}
	f := a.futures[s.Number%n]
	if !how(f) {
		return
	}
	a.cancellations.Store(f, time.Now())
	if !a.handedBack[f] {
		a.cancelled++
	}
}

// takeBack notes which series are handed back. That is all that is counted of their ends.
func (a *withAccount) takeBack(tasks []executor.Pending) {
	for _, task := range tasks {
		if task.Periodic {
			i, _ := strconv.Atoi(task.Name)
			if a.handedBack[a.futures[i]] {
				a.fault = "handed back twice: " + task.String()
			}
			a.handedBack[a.futures[i]] = true
		}
	}
}

func (a *withAccount) do(s withAction) {
	p := a.p
	switch s.Kind {
	case "schedule", "rate", "delay":
		a.schedule(s)
	case "execute":
		a.execute(s)
	case "cancel":
		a.cancel(s, (*future.Future[struct{}]).Cancel)
	case "stop":
		a.cancel(s, (*future.Future[struct{}]).Stop)
	case "core":
		_ = p.SetCoreSize(s.Number % 5)
	case "keep":
		_ = p.SetKeepAlive(time.Duration(1 + s.Number))
		_ = p.SetCoreTimeout(s.Goes)
	case "policy":
		p.SetExecuteDelayedAfterShutdown(s.Goes)
		p.SetContinuePeriodicAfterShutdown(s.Number%2 == 0)
	case "wait":
		time.Sleep(time.Duration(max(s.Delay, 0)))
	default:
		a.end(s)
	}
}

// end shuts the pool down, but not in every history at the first chance.
func (a *withAccount) end(s withAction) {
	if s.Number > 25 {
		return
	}
	switch s.Kind {
	case "shutdown":
		a.p.Shutdown()
	case "now":
		a.takeBack(a.p.ShutdownNow())
	case "close":
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(2*s.Number))
		defer cancel()
		report, _ := a.p.CloseContext(ctx)
		a.takeBack(report.Dropped)
	}
}

// check compares the books at rest.
func (a *withAccount) check() {
	synctest.Wait()
	s := a.p.Stats()
	lingering := uint64(0) // settled or handed back, but with a body that still runs
	for _, f := range a.futures {
		if (f.State().Settled() || a.handedBack[f]) && !pooltest.IsClosed(f.Stopped()) {
			lingering++
		}
	}
	failed := a.failed.Load()
	a.running.Range(func(run, _ any) bool {
		if run.(*withRun).late() {
			failed++
		}
		return true
	})
	sum := s.Completed + s.Cancelled + s.Returned + uint64(s.Queued) + uint64(s.Busy)
	switch {
	case a.fault != "":
	case s.Accepted != a.accepted, s.Rejected != a.rejected, s.Cancelled != a.cancelled:
		a.fault = fmt.Sprintf("want %d accepted, %d rejected, %d cancelled", a.accepted, a.rejected, a.cancelled)
	case s.Accepted+lingering != sum:
		a.fault = fmt.Sprintf("parts add up to %d, %d lingering", sum, lingering)
	case s.Runs != a.ended.Load(), s.Failures != failed:
		a.fault = fmt.Sprintf("want %d runs, %d failures", a.ended.Load(), failed)
	case s.Queued != len(a.p.Queued()), s.Busy != len(a.p.Running()), s.Busy > s.Workers, s.Workers > s.Largest:
		a.fault = fmt.Sprintf("%d listed as queued, %d as running", len(a.p.Queued()), len(a.p.Running()))
	default:
		return
	}
	a.fault += fmt.Sprintf(": %+v", s)
}

// settle brings the pool to its end and compares the books with the futures.
func (a *withAccount) settle() {
	a.takeBack(a.p.ShutdownNow())
	<-a.p.Terminated()
	a.check()
	s, dropped := a.p.Stats(), a.executed-a.executions.Load()
	for _, f := range a.futures {
		r, ok := f.Poll()
		if !ok || !pooltest.IsClosed(f.Stopped()) {
			a.fault = fmt.Sprintf("%v after termination", f)
		}
		if errors.Is(r.Err, executor.ErrShutdown) || a.handedBack[f] {
			dropped++
		}
	}
	if a.fault == "" && (s.Queued != 0 || s.Busy != 0 || s.Workers != 0 || s.Returned != dropped) {
		a.fault = fmt.Sprintf("want %d returned: %+v", dropped, s)
	}
}

func TestTheBooksBalanceWhateverHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		core := rapid.IntRange(0, 4).Draw(rt, "core")
		limit := rapid.IntRange(1, 20).Draw(rt, "limit")
		actions := rapid.SliceOfN(rapid.Custom(withDrawAction), 1, 60).Draw(rt, "actions")
		var fault string
		synctest.Test(t, func(t *testing.T) {
			a := withAccount{p: pooltest.NewScheduledPool(t, core, executor.PendingLimit(limit))}
			a.handedBack = map[*future.Future[struct{}]]bool{}
			for _, s := range actions {
				a.do(s)
				a.check()
			}
			a.settle()
			fault = a.fault
		})
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}
