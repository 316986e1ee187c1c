package stpe_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
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

// withEveryEntry submits the task in each way there is, with the given delay where there is one.
// The series have two runs.
func withEveryEntry(t *testing.T, p *executor.ScheduledPool, delay time.Duration, task executor.Task) {
	t.Helper()
	typed := func(ctx context.Context) (int, error) { return 1, task(ctx) }
	require.NoError(t, p.Execute(task))
	pooltest.Submit(t, p, task)
	_, err := executor.Submit(&p.Pool, typed)
	require.NoError(t, err)
	pooltest.Schedule(t, p, delay, task)
	_, err = executor.Schedule(p, delay, typed)
	require.NoError(t, err)
	_, err = p.ScheduleAt(time.Now().Add(delay), task)
	require.NoError(t, err)
	pooltest.AtFixedRate(t, p, delay, time.Second, task, executor.MaxRuns(2))
	pooltest.WithFixedDelay(t, p, delay, time.Second, task, executor.MaxRuns(2))
}

const withEntries, withEntryRuns = 8, 10

func TestSTPE130_TheDefaultDecorationIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(nil))
		ran := false
		pooltest.Submit(t, p, func(context.Context) error {
			ran = true
			return nil
		})
		synctest.Wait()
		assert.True(t, ran)
	})
}

func TestSTPE130_STPE132_TheDecoratorIsCalledOncePerSubmissionAndNotPerRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d pooltest.Decorator
		p := pooltest.NewScheduledPool(t, 2, executor.Decorate(d.Decorate))
		withEveryEntry(t, p, time.Minute, pooltest.Nothing)
		assert.EqualValues(t, withEntries, d.Calls.Load())
		probe.Elapse(time.Hour)
		assert.EqualValues(t, withEntries, d.Calls.Load())
		assert.EqualValues(t, withEntryRuns, d.Runs.Load())
	})
}

func TestSTPE130_TheDecoratorIsCalledByTheSubmitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0 // would be a data race on any other goroutine
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			calls++
			return task
		}))
		pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Nothing)
		assert.Equal(t, 1, calls)
		probe.Elapse(10 * time.Second)
		assert.Equal(t, 1, calls)
	})
}

func TestSTPE130_ADecoratorThatReturnsNilRefusesTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(func(executor.Task) executor.Task { return nil }))
		assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrNilTask)
		_, err := p.Schedule(time.Hour, pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		s := p.Stats()
		assert.Equal(t, []uint64{0, 0}, []uint64{s.Accepted, s.Rejected})
		assert.Zero(t, s.Queued)
	})
}

// Hooks are told of the run here, not of the decorated object.
func TestSTPE131_TheDecoratedTaskIsWhatIsHandedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d pooltest.Decorator
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(d.Decorate))
		pooltest.Schedule(t, p, time.Hour, pooltest.Fail)
		require.Len(t, p.Queued(), 1)
		require.Nil(t, p.Queued()[0].Task, "a task that waits is the pool's to run")
		dropped := p.ShutdownNow()
		require.Len(t, dropped, 1)
		assert.Equal(t, pooltest.ErrTask, dropped[0].Task(context.Background()))
		assert.EqualValues(t, 1, d.Runs.Load())
	})
}

func TestSTPE131_ATypedResultPassesThroughADecorator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d pooltest.Decorator
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(d.Decorate))
		f, err := executor.Schedule(p, time.Hour, func(context.Context) (string, error) { return "value", nil })
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "value", v)
	})
}

func TestSTPE131_WhatADecoratorReturnsIsTheOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			return func(ctx context.Context) error { return errors.Join(pooltest.ErrTask, task(ctx)) }
		}))
		f := pooltest.Submit(t, p, pooltest.Nothing)
		synctest.Wait()
		assert.ErrorIs(t, pooltest.Outcome(t, f), pooltest.ErrTask)
	})
}

// In Java the decorator takes over order, delay and cancellation.
func TestSTPE133_ADecoratorHasNoSayInTimeOrderAndCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d pooltest.Decorator
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(d.Decorate))
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, 2*time.Second, tr.Task("b"))
		pooltest.Schedule(t, p, time.Second, tr.Task("a"))
		pooltest.Schedule(t, p, 2*time.Second, tr.Task("c"))
		gone := pooltest.Schedule(t, p, 3*time.Second, tr.Task("gone"))
		assert.True(t, gone.Cancel())
		assert.Equal(t, 3, p.Stats().Queued)
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"a 1s", "b 2s", "c 2s"}, tr.Seen())
	})
}

// Java leaves them neither done nor cancelled.
func TestSTPE134_ADrainedDecoratedTaskNeverRanAndIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d pooltest.Decorator
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(d.Decorate))
		once := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		series := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, pooltest.Nothing)
		assert.Len(t, p.ShutdownNow(), 2)
		probe.Elapse(2 * time.Hour)
		assert.Zero(t, d.Runs.Load())
		pooltest.CancelledByShutdown(t, once.Future)
		pooltest.CancelledByShutdown(t, series.Future)
	})
}

// withHooks notes the calls of both hooks.
type withHooks struct {
	trace  *pooltest.Trace
	errs   pooltest.Errors
	before []executor.Run
}

func (h *withHooks) options() []executor.Option {
	h.trace = pooltest.NewTrace()
	return []executor.Option{
		executor.BeforeRun(func(_ context.Context, run executor.Run) {
			h.trace.Mark("before")
			h.before = append(h.before, run) // one worker only
		}),
		executor.AfterRun(func(ctx context.Context, run executor.Run, err error) {
			h.trace.Mark("after")
			h.errs.Handle(ctx, run, err)
		}),
	}
}

func TestSTPE135_TheHooksEncloseEachRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h withHooks
		p := pooltest.NewScheduledPool(t, 1, h.options()...)
		pooltest.AtFixedRate(t, p, time.Second, time.Second, h.trace.Task("run"), executor.MaxRuns(2), executor.Name("series"))
		probe.Elapse(time.Minute)
		want := []string{"before 1s", "run 1s", "after 1s", "before 2s", "run 2s", "after 2s"}
		assert.Equal(t, want, h.trace.Seen())
		require.Len(t, h.before, 2)
		assert.Equal(t, h.before, h.errs.Runs)
		for i, run := range h.before {
			assert.Equal(t, "series", run.Name)
			assert.EqualValues(t, i+1, run.Number)
			assert.Equal(t, time.Duration(i+1)*time.Second, run.Scheduled.Sub(h.trace.Start))
			assert.Equal(t, run.Scheduled, run.Started)
		}
	})
}

func TestSTPE135_TheHooksAreCalledForEveryWayToSubmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h withHooks
		p := pooltest.NewScheduledPool(t, 1, h.options()...)
		withEveryEntry(t, p, time.Minute, pooltest.Nothing)
		probe.Elapse(time.Hour)
		assert.Len(t, h.before, withEntryRuns)
		assert.Len(t, h.errs.Told(), withEntryRuns)
	})
}

// Java passes nothing, as the failure lies in the future.
func TestSTPE135_TheAfterHookIsToldHowTheRunEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h withHooks
		p := pooltest.NewScheduledPool(t, 1, h.options()...)
		for _, body := range []executor.Task{pooltest.Nothing, pooltest.Fail, pooltest.Panic, pooltest.Goexit} {
			pooltest.Submit(t, p, body)
		}
		synctest.Wait()
		errs := h.errs.Told()
		require.Len(t, errs, 4)
		assert.NoError(t, errs[0])
		assert.Equal(t, pooltest.ErrTask, errs[1])
		var panicked *future.PanicError
		require.ErrorAs(t, errs[2], &panicked)
		assert.Equal(t, "panic in a task", panicked.Value)
		assert.Equal(t, future.ErrGoexit, errs[3])
	})
}

func TestSTPE135_TheAfterHookSeesTheFutureSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *future.Future[struct{}]
		var state future.State
		p := pooltest.NewScheduledPool(t, 1, executor.AfterRun(func(context.Context, executor.Run, error) { state = f.State() }))
		g := pooltest.NewGate(t)
		f = pooltest.Submit(t, p, g.Hold)
		g.Open()
		synctest.Wait()
		assert.Equal(t, future.Succeeded, state)
	})
}

func TestSTPE135_TheHooksGetTheContextOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var before, during, after context.Context
		var inBefore executor.Run
		var beforeLive, afterLive bool
		p := pooltest.NewScheduledPool(t, 1,
			executor.BaseContext(context.WithValue(context.Background(), key{}, "base")),
			executor.BeforeRun(func(ctx context.Context, _ executor.Run) {
				before = ctx
				inBefore, beforeLive = executor.RunFrom(ctx)
			}),
			executor.AfterRun(func(ctx context.Context, _ executor.Run, _ error) {
				after = ctx
				_, afterLive = executor.RunFrom(ctx)
			}))
		pooltest.Submit(t, p, func(ctx context.Context) error {
			during = ctx
			return nil
		}, executor.Name("task"))
		synctest.Wait()
		assert.True(t, before == during && during == after)
		assert.Equal(t, "base", after.Value(key{}))
		assert.True(t, beforeLive)
		assert.Equal(t, "task", inBefore.Name)
		assert.False(t, afterLive, "the run is over")
		assert.Equal(t, context.Canceled, after.Err())
	})
}

func TestSTPE135_ACancelledTaskInTheQueueFiresNoHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h withHooks
		p := pooltest.NewScheduledPool(t, 1, h.options()...)
		pooltest.Schedule(t, p, time.Second, pooltest.Nothing).Cancel()
		probe.Elapse(time.Minute)
		assert.Empty(t, h.trace.Seen())
		assert.Zero(t, p.Stats().Runs)
	})
}

func TestSTPE135_C12_TheHooksMayAskAndUseThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *executor.ScheduledPool
		var submitted, seen int
		ask := func() {
			seen += p.Stats().Busy + len(p.Running()) + len(p.Queued())
			_ = p.String()
			if submitted++; submitted < 4 {
				_, _ = p.Submit(pooltest.Nothing)
			}
		}
		p = pooltest.NewScheduledPool(t, 1,
			executor.BeforeRun(func(context.Context, executor.Run) { ask() }),
			executor.AfterRun(func(context.Context, executor.Run, error) { ask() }),
			executor.AfterTermination(func() { seen += len(p.Queued()) }))
		pooltest.Submit(t, p, pooltest.Nothing)
		synctest.Wait()
		assert.EqualValues(t, 4, p.Stats().Completed)
		assert.Positive(t, seen)
		assert.NoError(t, p.Close())
	})
}

// Java skips the body, never completes the future and loses a series.
func TestSTPE136_APanickingBeforeHookIsToldAndTheRunGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(told.Handle),
			executor.BeforeRun(func(context.Context, executor.Run) { panic(pooltest.ErrTask) }))
		tr := pooltest.NewTrace()
		once := pooltest.Submit(t, p, tr.Task("once"))
		series := pooltest.AtFixedRate(t, p, 0, time.Second, tr.Task("series"), executor.MaxRuns(2))
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"once 0s", "series 0s", "series 1s"}, tr.Seen())
		assert.NoError(t, pooltest.Outcome(t, once))
		assert.NoError(t, pooltest.Outcome(t, series.Future))
		errs := told.Told()
		require.Len(t, errs, 3)
		for _, err := range errs {
			assert.ErrorIs(t, err, pooltest.ErrTask)
		}
		s := p.Stats()
		assert.Equal(t, []uint64{2, 3, 0}, []uint64{s.Completed, s.Runs, s.Failures})
	})
}

func TestSTPE136_ABeforeHookThatEndsItsGoroutineHarmsNoRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.BeforeRun(func(_ context.Context, run executor.Run) {
			if run.Name == "victim" {
				runtime.Goexit()
			}
		}))
		tr := pooltest.NewTrace()
		once := pooltest.Submit(t, p, tr.Task("victim"), executor.Name("victim"))
		series := pooltest.AtFixedRate(t, p, 0, time.Second, tr.Task("victim"), executor.Name("victim"))
		other := pooltest.Submit(t, p, tr.Task("other"))
		probe.Elapse(time.Minute)
		assert.NoError(t, pooltest.Outcome(t, once))
		assert.NoError(t, pooltest.Outcome(t, other))
		assert.EqualValues(t, 61, series.Runs())
		assert.Equal(t, []string{"victim 0s", "victim 0s", "other 0s", "victim 1s"}, tr.Seen()[:4])
		assert.Equal(t, 1, withWorkers(p))
	})
}

// Every combination of faults in the body, the hooks and the error handler touches one future.
func TestSTPE136_FaultsInBodyHooksAndHandlerHarmNoOtherTask(t *testing.T) {
	for _, body := range pooltest.Faults {
		for _, before := range pooltest.Faults {
			for _, after := range pooltest.Faults {
				for _, handler := range pooltest.Faults {
					name := fmt.Sprintf("body %s, before %s, after %s, handler %s", body.Name, before.Name, after.Name, handler.Name)
					t.Run(name, func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) { withFaultsIn(t, body, before, after, handler) })
					})
				}
			}
		}
	}
}

func withFaultsIn(t *testing.T, body, before, after, handler pooltest.Fault) {
	var terminations atomic.Int32
	var bodies, others atomic.Int32
	victim := func(run executor.Run, f pooltest.Fault) {
		if run.Name == "victim" {
			f.Do()
		}
	}
	p := pooltest.NewScheduledPool(t, 1,
		executor.BeforeRun(func(_ context.Context, run executor.Run) { victim(run, before) }),
		executor.AfterRun(func(_ context.Context, run executor.Run, _ error) { victim(run, after) }),
		executor.ErrorHandler(func(_ context.Context, run executor.Run, _ error) { victim(run, handler) }),
		executor.AfterTermination(func() { terminations.Add(1) }))
	task := func(context.Context) error {
		bodies.Add(1)
		body.Do()
		return nil
	}
	once := pooltest.Submit(t, p, task, executor.Name("victim"))
	series := pooltest.AtFixedRate(t, p, 0, time.Second, task, executor.Name("victim"), executor.MaxRuns(3))
	other := pooltest.AtFixedRate(t, p, 0, time.Second, func(context.Context) error {
		others.Add(1)
		return nil
	}, executor.MaxRuns(3))
	probe.Elapse(time.Minute)

	wantRuns, wantFailures, wantBodies := uint64(1+1+3), uint64(2), int32(2)
	if body.Name == "fine" {
		wantRuns, wantFailures, wantBodies = 1+3+3, 0, 4
	}
	assert.Equal(t, wantBodies, bodies.Load())
	assert.EqualValues(t, 3, others.Load())
	assert.NoError(t, pooltest.Outcome(t, other.Future))
	for _, f := range []*future.Future[struct{}]{once, series.Future} {
		assert.True(t, probe.IsClosed(f.Stopped()))
		assert.Equal(t, wantFailures == 0, pooltest.Outcome(t, f) == nil)
	}
	s := p.Stats()
	assert.Equal(t, []uint64{3, wantRuns, wantFailures}, []uint64{s.Completed, s.Runs, s.Failures})
	assert.Equal(t, 1, s.Workers)
	assert.Len(t, pooltest.Workers(t), 1)
	assert.NoError(t, p.Close())
	assert.EqualValues(t, 1, terminations.Load())
}

func TestAnAfterHookThatTakesLongHoldsUpNoOtherWorker(t *testing.T) {
	bodies := map[string]executor.Task{"returned": pooltest.Nothing, "panic": pooltest.Panic, "goexit": pooltest.Goexit}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 2, executor.AfterRun(func(_ context.Context, run executor.Run, _ error) {
					if run.Name == "slow" {
						time.Sleep(time.Hour)
					}
				}))
				pooltest.Submit(t, p, body, executor.Name("slow"))
				probe.Elapse(time.Minute)
				tr := pooltest.NewTrace()
				pooltest.Submit(t, p, tr.Task("new worker"))
				synctest.Wait()
				pooltest.Submit(t, p, tr.Task("idle worker"))
				pooltest.Schedule(t, p, time.Second, tr.Task("later"))
				probe.Elapse(time.Minute)
				assert.Equal(t, []string{"new worker 0s", "idle worker 0s", "later 1s"}, tr.Seen())
			})
		})
	}
}
