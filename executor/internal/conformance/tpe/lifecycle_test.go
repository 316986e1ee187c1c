package tpe_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// lifeStops are the ways to end a pool.
var lifeStops = map[string]func(p *executor.Pool){
	"Shutdown":    (*executor.Pool).Shutdown,
	"ShutdownNow": func(p *executor.Pool) { p.ShutdownNow() },
	"Close":       func(p *executor.Pool) { _ = p.Close() },
}

func TestTPE050_TheStateOnlyMovesForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var states []string
		var p *executor.Pool
		note := func() { states = append(states, p.Stats().State) }
		p = pooltest.NewPool(t, 1, executor.AfterTermination(func() { note() }))
		gate := pooltest.NewGate(t)
		require.NoError(t, p.Execute(gate.Hold))
		synctest.Wait()
		note()
		p.Shutdown()
		note()
		p.ShutdownNow()
		note()
		p.Shutdown() // too late to let anything run
		note()
		gate.Open()
		<-p.Terminated()
		note()
		p.ShutdownNow()
		note()
		assert.Equal(t, []string{"running", "shutting down", "stopping", "stopping", "tidying", "terminated", "terminated"}, states)
	})
}

func TestTPE051_ShutdownWaitsForNothingAndLetsWhatIsQueuedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		tr := pooltest.NewTrace()
		var interrupted error
		require.NoError(t, p.Execute(func(ctx context.Context) error {
			time.Sleep(time.Hour)
			interrupted = ctx.Err()
			return nil
		}))
		for _, name := range []string{"a", "b"} {
			require.NoError(t, p.Execute(tr.Task(name)))
		}
		synctest.Wait()
		for range 3 {
			p.Shutdown()
		}
		assert.Zero(t, time.Since(tr.Start))
		assert.Equal(t, executor.ErrShutdown, p.Execute(pooltest.Nothing))
		assert.Equal(t, 2, p.Stats().Queued)
		<-p.Terminated()
		assert.Equal(t, []string{"a 1h0m0s", "b 1h0m0s"}, tr.Seen())
		assert.NoError(t, interrupted)
		assert.EqualValues(t, 3, p.Stats().Completed)
	})
}

func TestTPE052_ShutdownNowInterruptsWhatRunsAndHandsBackWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		var causes [2]error
		var mine []*future.Future[struct{}]
		for i := range causes {
			f, err := p.Submit(func(ctx context.Context) error {
				<-ctx.Done()
				causes[i] = context.Cause(ctx)
				return pooltest.ErrTask
			})
			require.NoError(t, err)
			mine = append(mine, f)
		}
		synctest.Wait()
		tr := pooltest.NewTrace()
		bare := tr.Task("executed")
		require.NoError(t, p.Execute(bare))
		var waiting []*future.Future[struct{}]
		for _, name := range []string{"a", "b"} {
			f, err := p.Submit(tr.Task(name), executor.Name(name))
			require.NoError(t, err)
			waiting = append(waiting, f)
		}
		dropped := p.ShutdownNow()
		assert.Equal(t, []string{"", "a", "b"}, pooltest.Names(dropped))
		assert.Zero(t, p.Stats().Queued)
		for _, f := range waiting {
			pooltest.CancelledByShutdown(t, f)
		}
		assert.Empty(t, p.ShutdownNow())
		<-p.Terminated()
		assert.Equal(t, [2]error{executor.ErrShutdown, executor.ErrShutdown}, causes)
		for _, f := range mine {
			assert.Equal(t, pooltest.ErrTask, pooltest.Outcome(t, f))
		}
		assert.Empty(t, tr.Seen())
		for _, d := range dropped {
			require.NoError(t, d.Task(t.Context()))
		}
		assert.Len(t, tr.Seen(), 3, "what is handed back can be run by hand")
		s := p.Stats()
		assert.Equal(t, []uint64{5, 2, 3}, []uint64{s.Accepted, s.Completed, s.Returned})
	})
}

func TestTPE053_APoolIsTerminatedWhenItsLastTaskHasEndedAndNotBefore(t *testing.T) {
	for name, stop := range lifeStops {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 2)
				require.NoError(t, p.Execute(pooltest.Sleep(time.Hour)))
				require.NoError(t, p.Execute(pooltest.Sleep(time.Minute)))
				synctest.Wait()
				assert.False(t, probe.IsClosed(p.Terminated()))
				go stop(p)
				probe.Elapse(time.Hour - 1)
				assert.False(t, probe.IsClosed(p.Terminated()))
				assert.NotEqual(t, "terminated", p.Stats().State)
				probe.Elapse(1)
				assert.True(t, probe.IsClosed(p.Terminated()))
				assert.Equal(t, "terminated", p.Stats().State)
			})
		})
	}
}

func TestTPE053_APoolThatNeverRanATaskTerminatesAtOnce(t *testing.T) {
	for name, stop := range lifeStops {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 2)
				stop(p)
				assert.True(t, probe.IsClosed(p.Terminated()))
			})
		})
	}
}

func TestTPE054_E8_AwaitTerminationWaitsExactlyUntilItsContextEnds(t *testing.T) {
	for name, shut := range map[string]bool{"running": false, "shut down": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1)
				gate := pooltest.NewGate(t)
				require.NoError(t, p.Execute(gate.Hold))
				if shut {
					p.Shutdown()
				}
				for _, d := range []time.Duration{-time.Hour, 0, 1, time.Hour} {
					start := time.Now()
					ctx, cancel := context.WithTimeout(t.Context(), d)
					assert.Equal(t, context.DeadlineExceeded, p.AwaitTermination(ctx))
					assert.Equal(t, max(d, 0), time.Since(start))
					cancel()
				}
				assert.Equal(t, shut, p.Stats().State == "shutting down", "it shuts down nothing")
				gate.Open()
				p.Shutdown()
				start := time.Now()
				assert.NoError(t, p.AwaitTermination(nil))
				assert.Zero(t, time.Since(start))
			})
		})
	}
}

func TestTPE055_E8_AfterTheEndAwaitTerminationSucceedsWhateverItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		assert.Equal(t, context.Canceled, p.AwaitTermination(ended))
		require.NoError(t, p.Close())
		for range 100 { // not by the luck of a select
			require.NoError(t, p.AwaitTermination(ended))
		}
	})
}

func TestTPE056_TheTerminatedHookRunsOnceAfterTheLastWorkerAndBeforeTheEnd(t *testing.T) {
	for name, stop := range lifeStops {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				var p *executor.Pool
				p = pooltest.NewPool(t, 2, executor.AfterTermination(func() {
					calls++
					s := p.Stats()
					assert.Equal(t, "tidying", s.State)
					assert.Equal(t, []int{0, 0, 0}, []int{s.Workers, s.Busy, s.Queued})
					assert.False(t, probe.IsClosed(p.Terminated()))
					assert.Equal(t, executor.ErrShutdown, p.Execute(pooltest.Nothing))
					assert.Equal(t, future.ErrSelfWait, p.AwaitTermination(nil))
					assert.Equal(t, future.ErrSelfWait, p.Close())
					assert.Empty(t, p.ShutdownNow())
					time.Sleep(time.Hour)
					assert.False(t, probe.IsClosed(p.Terminated()))
				}))
				require.NoError(t, p.Execute(pooltest.Nothing))
				synctest.Wait()
				start := time.Now()
				go stop(p)
				<-p.Terminated()
				assert.Equal(t, time.Hour, time.Since(start))
				assert.Equal(t, 1, calls)
			})
		})
	}
}

// In Java its exception comes out of Shutdown, or of a worker.
func TestTPE057_B_14_ATerminatedHookThatFailsHoldsUpNobody(t *testing.T) {
	for _, fault := range pooltest.Faults {
		for name, stop := range lifeStops {
			t.Run(fault.Name+" at "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told pooltest.Errors
					p := pooltest.NewPool(t, 1, executor.AfterTermination(fault.Do), executor.ErrorHandler(told.Handle))
					waiter := make(chan error, 1)
					go func() { waiter <- p.AwaitTermination(t.Context()) }()
					synctest.Wait()
					stop(p)
					assert.NoError(t, <-waiter)
					assert.Equal(t, "terminated", p.Stats().State)
					if fault.Name != "fine" {
						require.Len(t, told.Told(), 1)
						assert.ErrorContains(t, told.Told()[0], "terminated hook")
					} else {
						assert.Empty(t, told.Told())
					}
				})
			})
		}
	}
}

func TestTPE058_B32_NothingChangesAPoolThatHasTerminated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminations := 0
		p := pooltest.NewPool(t, 2, executor.AfterTermination(func() { terminations++ }))
		for _, body := range []executor.Task{pooltest.Nothing, pooltest.Fail, pooltest.Goexit, pooltest.Sleep(time.Hour)} {
			_, err := p.Submit(body)
			require.NoError(t, err)
		}
		cancelled, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		cancelled.Cancel()
		require.NoError(t, p.Close())
		end := p.Stats()
		pooltest.NothingLost(t, end)
		assert.EqualValues(t, 5, end.Accepted)
		for _, stop := range lifeStops {
			stop(p)
		}
		assert.False(t, p.PrestartWorker())
		assert.NoError(t, p.SetCoreSize(5))
		assert.NoError(t, p.SetCoreSize(2))
		assert.NoError(t, p.AwaitTermination(t.Context()))
		assert.Empty(t, p.Running())
		assert.Empty(t, p.Queued())
		synctest.Wait()
		assert.Equal(t, end, p.Stats())
		assert.Equal(t, 1, terminations)
	})
}

// lifeDropped makes a pool that has run a task, and keeps no reference to it.
//
//go:noinline
func lifeDropped(t *testing.T, opts ...executor.Option) weak.Pointer[executor.Pool] {
	p := executor.NewPool(1, opts...)
	require.NoError(t, p.Execute(pooltest.Nothing))
	synctest.Wait()
	return weak.Make(p)
}

func TestTPE059_APoolThatIsDroppedLivesOnWithItsWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lifeDropped(t)
		for range 5 {
			runtime.GC()
			probe.Elapse(time.Hour)
		}
		require.NotNil(t, p.Value())
		assert.Len(t, pooltest.Workers(t), 1)
		assert.Equal(t, "running", p.Value().Stats().State)
		require.NoError(t, p.Value().Close())
		synctest.Wait()
		assert.Empty(t, pooltest.Workers(t))
	})
}

func TestTPE059_APoolWithoutWorkersIsCollected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lifeDropped(t, executor.CoreTimeout())
		probe.Elapse(time.Hour)
		for range 100 {
			if runtime.GC(); p.Value() == nil {
				return
			}
		}
		t.Error("it has nothing that keeps it")
	})
}

func TestTPE060_ARunBeginsWithAContextThatNobodyHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ofHandler error
		p := pooltest.NewPool(t, 1, executor.ErrorHandler(func(ctx context.Context, _ executor.Run, _ error) { ofHandler = ctx.Err() }))
		fresh := 0
		for range 100 {
			f, err := p.Submit(func(ctx context.Context) error {
				if ctx.Err() == nil {
					fresh++
				}
				<-ctx.Done()
				return nil
			})
			require.NoError(t, err)
			synctest.Wait()
			assert.True(t, f.Cancel())
			require.NoError(t, p.Execute(func(ctx context.Context) error { return ctx.Err() }))
		}
		synctest.Wait()
		assert.Equal(t, 100, fresh)
		assert.Zero(t, p.Stats().Failures)
		require.NoError(t, p.Execute(pooltest.Fail))
		synctest.Wait()
		assert.NoError(t, ofHandler)
	})
}

func TestTPE061_ATaskThatControlsItsPoolInterruptsNobody(t *testing.T) {
	for name, control := range map[string]func(p *executor.Pool) error{
		"SetCoreSize up":     func(p *executor.Pool) error { return p.SetCoreSize(6) },
		"SetCoreSize down":   func(p *executor.Pool) error { return p.SetCoreSize(0) },
		"SetMaximumSize":     func(p *executor.Pool) error { return p.SetMaximumSize(8) },
		"SetKeepAlive":       func(p *executor.Pool) error { return p.SetKeepAlive(1) },
		"SetCoreTimeout":     func(p *executor.Pool) error { return p.SetCoreTimeout(true) },
		"SetRejectionPolicy": func(p *executor.Pool) error { return p.SetRejectionPolicy(rejection.CallerRuns) },
		"PrestartWorkers":    func(p *executor.Pool) error { p.PrestartWorkers(); return nil },
		"Shutdown":           func(p *executor.Pool) error { p.Shutdown(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 3, executor.MaximumSize(6))
				var refused, mine, other error
				require.NoError(t, p.Execute(func(ctx context.Context) error {
					time.Sleep(time.Hour)
					other = ctx.Err()
					return nil
				}))
				f, err := p.Submit(func(ctx context.Context) error {
					refused = control(p)
					time.Sleep(time.Minute)
					mine = ctx.Err()
					return nil
				})
				require.NoError(t, err)
				probe.Elapse(2 * time.Hour)
				assert.NoError(t, refused)
				assert.NoError(t, mine)
				assert.NoError(t, other)
				assert.NoError(t, pooltest.Outcome(t, f))
				assert.EqualValues(t, 2, p.Stats().Completed)
			})
		})
	}
}

func TestTPE061_ATaskThatStopsItsPoolIsInterruptedLikeTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		f, err := p.Submit(pooltest.NewGate(t).Heed)
		require.NoError(t, err)
		synctest.Wait()
		var cause error
		require.NoError(t, p.Execute(func(ctx context.Context) error {
			assert.Empty(t, p.ShutdownNow())
			cause = context.Cause(ctx)
			return nil
		}))
		<-p.Terminated()
		assert.Equal(t, executor.ErrShutdown, cause)
		assert.Equal(t, executor.ErrShutdown, pooltest.Outcome(t, f))
	})
}
