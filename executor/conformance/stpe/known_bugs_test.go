package stpe_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
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
		pooltest.Elapse(time.Minute)
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
				pooltest.Elapse(time.Minute) // surplus workers leave
				before, goroutines := p.Stats(), pooltest.Workers(t)
				assert.Equal(t, c.workers, before.Workers)
				pooltest.Elapse(24 * time.Hour)
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
		pooltest.Elapse(time.Minute)
		start = withDispatches()
		pooltest.Elapse(24 * time.Hour)
		assert.Less(t, withDispatches()-start, uint64(keepAlives/16))
	})
}

func TestK02_CoreSizeZeroRunsItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 0)
		tr := pooltest.NewTrace()
		withEveryEntry(t, p, time.Second, tr.Task("ran"))
		pooltest.Elapse(time.Minute)
		assert.Len(t, tr.Seen(), withEntryRuns)
	})
}

func TestK03_B46_B47_AStallOfTenHoursIsFollowedByAsManyRunsAsThePolicySays(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy executor.CatchUpPolicy
		late   int // runs at the end of the stall
	}{
		{"burst", executor.Burst, 600}, {"coalesce", executor.Coalesce, 1}, {"skip", executor.Skip, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				start := time.Now()
				var starts []time.Duration
				f := pooltest.AtFixedRate(t, p, 0, time.Minute, func(context.Context) error {
					starts = append(starts, time.Since(start))
					if len(starts) == 1 {
						time.Sleep(10*time.Hour + time.Second)
					}
					return nil
				}, executor.CatchUp(c.policy))
				pooltest.Elapse(10*time.Hour + 2*time.Minute)
				f.Stop()
				want := []time.Duration{0}
				for range c.late {
					want = append(want, 10*time.Hour+time.Second)
				}
				want = append(want, 10*time.Hour+time.Minute, 10*time.Hour+2*time.Minute)
				assert.Equal(t, want, starts)
			})
		})
	}
}

const withSeriesEnded = "executor: periodic task ended by a failure"

func TestK04_B50_ASeriesThatFailsTellsFutureHandlerAndLogOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		var log pooltest.Log
		p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(told.Handle), executor.Logger(slog.New(&log)))
		f := pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Fail, executor.Name("series"), executor.OnError(executor.StopSeries))
		pooltest.Elapse(time.Minute)
		assert.Equal(t, pooltest.ErrTask, pooltest.Outcome(t, f.Future))
		assert.Equal(t, []error{pooltest.ErrTask}, told.Told())
		assert.Equal(t, "series", told.Runs[0].Name)
		assert.Equal(t, []string{withSeriesEnded}, log.All())
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestK04_TheEndOfASeriesIsLoggedWhateverTheHandlerDoes(t *testing.T) {
	for _, fault := range pooltest.Faults {
		t.Run(fault.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log pooltest.Log
				p := pooltest.NewScheduledPool(t, 1, executor.Logger(slog.New(&log)),
					executor.ErrorHandler(func(context.Context, executor.Run, error) { fault.Do() }))
				pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Panic)
				pooltest.Elapse(time.Minute)
				assert.Contains(t, log.All(), withSeriesEnded)
			})
		})
	}
}

func TestK04_ASeriesMayGoOnAfterFailures(t *testing.T) {
	for name, body := range map[string]executor.Task{"error": pooltest.Fail, "panic": pooltest.Panic, "goexit": pooltest.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told pooltest.Errors
				p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(told.Handle))
				f := pooltest.WithFixedDelay(t, p, 0, time.Second, body, executor.OnError(executor.Continue))
				pooltest.Elapse(9 * time.Second)
				assert.False(t, f.State().Settled())
				assert.EqualValues(t, 10, f.Runs())
				assert.Len(t, told.Told(), 10)
				assert.EqualValues(t, 10, p.Stats().Failures)
			})
		})
	}
}

func TestK04_AFailureOfAnExecutedTaskIsTold(t *testing.T) {
	for name, body := range map[string]executor.Task{"error": pooltest.Fail, "panic": pooltest.Panic, "goexit": pooltest.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log pooltest.Log
				p := pooltest.NewScheduledPool(t, 1, executor.Logger(slog.New(&log)))
				require.NoError(t, p.Execute(body))
				synctest.Wait()
				assert.Equal(t, []string{"executor: task failed"}, log.All())
			})
		})
	}
}

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
				assert.False(t, pooltest.IsClosed(f.Stopped()))
				g.Open()
				synctest.Wait()
				assert.Zero(t, p.Stats().Queued)
				assert.True(t, pooltest.IsClosed(f.Stopped()))
				pooltest.Elapse(3 * time.Hour)
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
			case !won || f.State() != future.Cancelled || !pooltest.IsClosed(f.Stopped()):
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

func TestK09_AGiganticPeriodDoesNotHoldUpAnOverdueTask(t *testing.T) {
	for _, gigantic := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64/2 + 1} {
		t.Run(gigantic.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				tr := pooltest.NewTrace()
				pooltest.AtFixedRate(t, p, 0, gigantic, func(context.Context) error {
					tr.Mark("giant")
					time.Sleep(3 * time.Millisecond)
					return nil
				})
				f := pooltest.AtFixedRate(t, p, 0, time.Millisecond, tr.Task("small"))
				pooltest.Elapse(5 * time.Millisecond)
				want := []string{"giant 0s", "small 3ms", "small 3ms", "small 3ms", "small 3ms", "small 4ms", "small 5ms"}
				assert.Equal(t, want, tr.Seen())
				pooltest.Elapse(time.Second)
				assert.EqualValues(t, 1006, f.Runs())
			})
		})
	}
}

func TestK10_CloseIsNotHeldUpByATaskOfNextYear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, 8760*time.Hour, pooltest.Nothing)
		pooltest.Elapse(time.Minute)
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

func TestK14_ASlowTaskDelaysNobodyWhileAnotherWorkerIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, time.Second, pooltest.Sleep(time.Hour))
		pooltest.AtFixedRate(t, p, 0, time.Second, tr.Task("heartbeat"))
		pooltest.Elapse(3 * time.Second)
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
		pooltest.Elapse(48 * time.Hour)
		at := day.Sub(tr.Start).String()
		assert.Equal(t, []string{"next day " + at, "next day elsewhere " + at}, tr.Seen())
	})
}

func TestK16_TheAfterHookIsGivenTheErrorOfASubmittedTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h withHooks
		p := pooltest.NewScheduledPool(t, 1, h.options()...)
		pooltest.Submit(t, p, pooltest.Fail)
		pooltest.Schedule(t, p, time.Second, pooltest.Fail)
		pooltest.Elapse(time.Minute)
		assert.Equal(t, []error{pooltest.ErrTask, pooltest.ErrTask}, h.errs.Told())
	})
}

func TestK17_AnAfterHookThatPanicsIsCalledOnce(t *testing.T) {
	for _, fault := range pooltest.Faults {
		t.Run(fault.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told pooltest.Errors
				calls := 0
				p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(told.Handle),
					executor.AfterRun(func(context.Context, executor.Run, error) {
						calls++
						fault.Do()
					}))
				f := pooltest.Submit(t, p, pooltest.Nothing)
				synctest.Wait()
				assert.NoError(t, pooltest.Outcome(t, f))
				pooltest.Submit(t, p, pooltest.Nothing)
				synctest.Wait()
				assert.Equal(t, 2, calls)
				if fault.Name == "panic" {
					require.Len(t, told.Told(), 2)
					assert.ErrorIs(t, told.Told()[0], pooltest.ErrTask)
				}
			})
		})
	}
}

func TestK18_ABeforeHookThatPanicsLeavesNoFuturePending(t *testing.T) {
	for _, fault := range pooltest.Faults {
		t.Run(fault.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1, executor.BeforeRun(func(context.Context, executor.Run) { fault.Do() }))
				once := pooltest.Submit(t, p, pooltest.Nothing)
				series := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Nothing)
				pooltest.Elapse(3 * time.Hour)
				assert.True(t, once.State().Settled())
				if fault.Name == "goexit" {
					assert.Equal(t, future.ErrGoexit, pooltest.Outcome(t, series.Future))
				} else {
					assert.Equal(t, future.Pending, series.State())
					assert.EqualValues(t, 4, series.Runs())
				}
			})
		})
	}
}

// Starting a goroutine cannot fail as a thread factory can; the decorator is what may.
func TestK19_ADecoratorThatPanicsLeavesNothingHalfAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := true
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			if broken {
				panic(pooltest.ErrTask)
			}
			return task
		}))
		ran := 0
		task := func(context.Context) error {
			ran++
			return nil
		}
		assert.PanicsWithValue(t, pooltest.ErrTask, func() { _, _ = p.Schedule(time.Second, task) })
		assert.PanicsWithValue(t, pooltest.ErrTask, func() { _ = p.Execute(task) })
		s := p.Stats()
		assert.Equal(t, []uint64{0, 0}, []uint64{s.Accepted, s.Rejected})
		broken = false
		pooltest.Schedule(t, p, time.Second, task)
		pooltest.Elapse(time.Minute)
		assert.Equal(t, 1, ran)
	})
}

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
		pooltest.Elapse(time.Minute)
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
		assert.False(t, pooltest.IsClosed(heedless.Stopped()))
		g.Open()
		synctest.Wait()
		assert.True(t, pooltest.IsClosed(heedless.Stopped()))
		s := p.Stats()
		assert.Equal(t, []uint64{1, 1, 1}, []uint64{s.Completed, s.Runs, s.Failures})
	})
}

func TestK22_TheTimeoutCountsFromTheStartOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		f := pooltest.Submit(t, p, pooltest.Sleep(time.Second), executor.Timeout(2*time.Second))
		pooltest.Elapse(time.Hour + time.Second)
		assert.NoError(t, pooltest.Outcome(t, f))
	})
}

// The time-out and the end of the body race for the run: either may win, but not both.
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
				pooltest.Elapse(time.Minute)
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

func TestK24_StoppedTellsWhenTheBodyOfACancelledTaskHasReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		f := pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		pooltest.Elapse(time.Minute)
		f.Cancel()
		<-f.Done()
		assert.Equal(t, time.Minute, time.Since(start))
		assert.False(t, pooltest.IsClosed(f.Stopped()))
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
		pooltest.Elapse(2*time.Hour + time.Minute)
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
		assert.True(t, pooltest.IsClosed(queued.Stopped()))
		assert.True(t, pooltest.IsClosed(between.Stopped()))
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
		pooltest.Elapse(time.Minute)
		p.ShutdownNow()
		s := p.Stats()
		got := map[string]uint64{"accepted": s.Accepted, "rejected": s.Rejected, "completed": s.Completed,
			"cancelled": s.Cancelled, "returned": s.Returned, "runs": s.Runs, "failures": s.Failures}
		assert.Equal(t, map[string]uint64{"accepted": 8, "rejected": 1, "completed": 4,
			"cancelled": 2, "returned": 2, "runs": 6, "failures": 2}, got)
	})
}

func TestK26_AYearOfHourlyRunsIsExactAndTakesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		wrong, runs := 0, 0
		f := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, func(context.Context) error {
			runs++
			if time.Since(start) != time.Duration(runs)*time.Hour {
				wrong++
			}
			return nil
		}, executor.MaxRuns(365*24))
		_, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 365*24, runs)
		assert.Zero(t, wrong)
		assert.Equal(t, 365*24*time.Hour, time.Since(start))
	})
}

func TestK27_APeriodThatMeansNeverAgainIsTakenAndRunsOnce(t *testing.T) {
	submits := map[string]func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}]{
		"rate": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.AtFixedRate(t, p, time.Hour, math.MaxInt64, pooltest.Nothing)
		},
		"rate, skip": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.AtFixedRate(t, p, time.Hour, math.MaxInt64, pooltest.Nothing, executor.CatchUp(executor.Skip))
		},
		"rate, coalesce": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.AtFixedRate(t, p, time.Hour, math.MaxInt64, pooltest.Nothing, executor.CatchUp(executor.Coalesce))
		},
		"delay": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.WithFixedDelay(t, p, time.Hour, math.MaxInt64, pooltest.Nothing)
		},
		"delay, body": func(t *testing.T, p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
			return pooltest.WithFixedDelay(t, p, time.Hour, math.MaxInt64, pooltest.Sleep(time.Hour), executor.Jitter(1))
		},
	}
	for name, submit := range submits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				f := submit(t, p)
				pooltest.Elapse(100 * 8760 * time.Hour)
				assert.EqualValues(t, 1, f.Runs())
				assert.False(t, f.State().Settled())
				assert.Greater(t, f.Delay(), 190*8760*time.Hour)
				next, ok := f.Next()
				assert.True(t, ok)
				assert.True(t, next.After(time.Now()))
				assert.Equal(t, 1, p.Stats().Queued)
			})
		})
	}
}

func TestK27_AHugeInitialDelayIsTakenAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Elapse(time.Hour)
		f := pooltest.AtFixedRate(t, p, math.MaxInt64, math.MaxInt64, pooltest.Nothing, executor.Jitter(math.MaxInt64))
		pooltest.Elapse(100 * 8760 * time.Hour)
		assert.Zero(t, f.Runs())
		assert.Positive(t, f.Delay())
	})
}

func TestK28_ASeriesCancelledInItsRunIsNotQueuedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		var self atomic.Pointer[executor.ScheduledFuture[struct{}]]
		self.Store(pooltest.AtFixedRate(t, p, time.Second, time.Second, func(context.Context) error {
			tr.Mark("run")
			if f := self.Load(); f.Runs() == 2 {
				f.Stop()
			}
			return nil
		}))
		pooltest.Elapse(time.Minute)
		assert.Equal(t, []string{"run 1s", "run 2s"}, tr.Seen())
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestK28_AFixedDelayIsNotAFixedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		delay, rate := pooltest.NewTrace(), pooltest.NewTrace()
		d := pooltest.WithFixedDelay(t, p, 0, 50, func(context.Context) error {
			delay.Mark("start")
			time.Sleep(30)
			return nil
		}, executor.MaxRuns(3))
		<-d.Done()
		rate.Start = time.Now()
		r := pooltest.AtFixedRate(t, p, 0, 50, func(context.Context) error {
			rate.Mark("start")
			time.Sleep(30)
			return nil
		}, executor.MaxRuns(3))
		<-r.Done()
		assert.Equal(t, []string{"start 0s", "start 80ns", "start 160ns"}, delay.Seen())
		assert.Equal(t, []string{"start 0s", "start 50ns", "start 100ns"}, rate.Seen())
	})
}

// withMix submits tasks of every kind and end until told to stop, and returns their futures.
func withMix(p *executor.ScheduledPool, seed int, stop <-chan struct{}) (futures []*future.Future[struct{}]) {
	bodies := []executor.Task{pooltest.Nothing, pooltest.Fail, pooltest.Panic, pooltest.Goexit, pooltest.Sleep(3), pooltest.Sleep(50)}
	for i := seed; !pooltest.IsClosed(stop); i++ {
		body := bodies[i%len(bodies)]
		d := time.Duration(i % 7)
		var f *executor.ScheduledFuture[struct{}]
		var err error
		switch i % 4 {
		case 0:
			f, err = p.AtFixedRate(d, 5, body)
		case 1:
			f, err = p.WithFixedDelay(d, 5, body, executor.OnError(executor.Continue))
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
					assert.True(t, pooltest.IsClosed(f.Stopped()), "%v", f)
				}
			})
		})
	}
}
