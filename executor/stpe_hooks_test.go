package executor_test

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
	"github.com/punctual-go/punctual/future"
)

// withEveryEntry submits the task in each way there is, with the given delay where there is one.
// The series have two runs.
func withEveryEntry(t *testing.T, p *executor.ScheduledPool, delay time.Duration, task executor.Task) {
	t.Helper()
	typed := func(ctx context.Context) (int, error) { return 1, task(ctx) }
	require.NoError(t, p.Execute(task))
	withSubmit(t, p, task)
	_, err := executor.Submit(&p.Pool, typed)
	require.NoError(t, err)
	withSchedule(t, p, delay, task)
	_, err = executor.Schedule(p, delay, typed)
	require.NoError(t, err)
	_, err = p.ScheduleAt(time.Now().Add(delay), task)
	require.NoError(t, err)
	withRate(t, p, delay, time.Second, task, executor.MaxRuns(2))
	withDelay(t, p, delay, time.Second, task, executor.MaxRuns(2))
}

const withEntries, withEntryRuns = 8, 10

// withCounting is a decorator that counts its calls and the runs of what it has made.
type withCounting struct{ calls, runs atomic.Int32 }

func (d *withCounting) decorate(task executor.Task) executor.Task {
	d.calls.Add(1)
	return func(ctx context.Context) error {
		d.runs.Add(1)
		return task(ctx)
	}
}

func TestSTPE130_TheDefaultDecorationIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1, executor.Decorate(nil))
		ran := false
		withSubmit(t, p, func(context.Context) error {
			ran = true
			return nil
		})
		synctest.Wait()
		assert.True(t, ran)
	})
}

func TestSTPE130_STPE132_TheDecoratorIsCalledOncePerSubmissionAndNotPerRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d withCounting
		p := withPool(t, 2, executor.Decorate(d.decorate))
		withEveryEntry(t, p, time.Minute, withNothing)
		assert.EqualValues(t, withEntries, d.calls.Load())
		withPassed(time.Hour)
		assert.EqualValues(t, withEntries, d.calls.Load())
		assert.EqualValues(t, withEntryRuns, d.runs.Load())
	})
}

func TestSTPE130_TheDecoratorIsCalledByTheSubmitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0 // would be a data race on any other goroutine
		p := withPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			calls++
			return task
		}))
		withRate(t, p, 0, time.Second, withNothing)
		assert.Equal(t, 1, calls)
		withPassed(10 * time.Second)
		assert.Equal(t, 1, calls)
	})
}

func TestSTPE130_ADecoratorThatReturnsNilRefusesTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1, executor.Decorate(func(executor.Task) executor.Task { return nil }))
		assert.ErrorIs(t, p.Execute(withNothing), executor.ErrNilTask)
		_, err := p.Schedule(time.Hour, withNothing)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		s := p.Stats()
		assert.Equal(t, []uint64{0, 0}, []uint64{s.Accepted, s.Rejected})
		assert.Zero(t, s.Queued)
	})
}

// Hooks are told of the run here, not of the decorated object.
func TestSTPE131_TheDecoratedTaskIsWhatIsHandedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d withCounting
		p := withPool(t, 1, executor.Decorate(d.decorate))
		withSchedule(t, p, time.Hour, withFailure)
		require.Len(t, p.Queued(), 1)
		require.Nil(t, p.Queued()[0].Task, "a task that waits is the pool's to run")
		dropped := p.ShutdownNow()
		require.Len(t, dropped, 1)
		assert.Equal(t, errWith, dropped[0].Task(context.Background()))
		assert.EqualValues(t, 1, d.runs.Load())
	})
}

func TestSTPE131_ATypedResultPassesThroughADecorator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d withCounting
		p := withPool(t, 1, executor.Decorate(d.decorate))
		f, err := executor.Schedule(p, time.Hour, func(context.Context) (string, error) { return "value", nil })
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "value", v)
	})
}

func TestSTPE131_WhatADecoratorReturnsIsTheOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			return func(ctx context.Context) error { return errors.Join(errWith, task(ctx)) }
		}))
		f := withSubmit(t, p, withNothing)
		synctest.Wait()
		assert.ErrorIs(t, withOutcome(t, f), errWith)
	})
}

// In Java the decorator takes over order, delay and cancellation.
func TestSTPE133_ADecoratorHasNoSayInTimeOrderAndCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d withCounting
		p := withPool(t, 1, executor.Decorate(d.decorate))
		tr := withNewTrace()
		withSchedule(t, p, 2*time.Second, tr.task("b"))
		withSchedule(t, p, time.Second, tr.task("a"))
		withSchedule(t, p, 2*time.Second, tr.task("c"))
		gone := withSchedule(t, p, 3*time.Second, tr.task("gone"))
		assert.True(t, gone.Cancel())
		assert.Equal(t, 3, p.Stats().Queued)
		withPassed(time.Minute)
		assert.Equal(t, []string{"a 1s", "b 2s", "c 2s"}, tr.seen())
	})
}

// Java leaves them neither done nor cancelled.
func TestSTPE134_ADrainedDecoratedTaskNeverRanAndIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d withCounting
		p := withPool(t, 1, executor.Decorate(d.decorate))
		once := withSchedule(t, p, time.Hour, withNothing)
		series := withRate(t, p, time.Hour, time.Hour, withNothing)
		assert.Len(t, p.ShutdownNow(), 2)
		withPassed(2 * time.Hour)
		assert.Zero(t, d.runs.Load())
		withShutDown(t, once.Future)
		withShutDown(t, series.Future)
	})
}

// withHooks notes the calls of both hooks.
type withHooks struct {
	trace  *withTrace
	errs   withErrors
	before []executor.Run
}

func (h *withHooks) options() []executor.Option {
	h.trace = withNewTrace()
	return []executor.Option{
		executor.BeforeRun(func(_ context.Context, run executor.Run) {
			h.trace.mark("before")
			h.before = append(h.before, run) // one worker only
		}),
		executor.AfterRun(func(ctx context.Context, run executor.Run, err error) {
			h.trace.mark("after")
			h.errs.handle(ctx, run, err)
		}),
	}
}

func TestSTPE135_TheHooksEncloseEachRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h withHooks
		p := withPool(t, 1, h.options()...)
		withRate(t, p, time.Second, time.Second, h.trace.task("run"), executor.MaxRuns(2), executor.Name("series"))
		withPassed(time.Minute)
		want := []string{"before 1s", "run 1s", "after 1s", "before 2s", "run 2s", "after 2s"}
		assert.Equal(t, want, h.trace.seen())
		require.Len(t, h.before, 2)
		assert.Equal(t, h.before, h.errs.runs)
		for i, run := range h.before {
			assert.Equal(t, "series", run.Name)
			assert.EqualValues(t, i+1, run.Number)
			assert.Equal(t, time.Duration(i+1)*time.Second, run.Scheduled.Sub(h.trace.start))
			assert.Equal(t, run.Scheduled, run.Started)
		}
	})
}

func TestSTPE135_TheHooksAreCalledForEveryWayToSubmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h withHooks
		p := withPool(t, 1, h.options()...)
		withEveryEntry(t, p, time.Minute, withNothing)
		withPassed(time.Hour)
		assert.Len(t, h.before, withEntryRuns)
		assert.Len(t, h.errs.told(), withEntryRuns)
	})
}

// Java passes nothing, as the failure lies in the future.
func TestSTPE135_TheAfterHookIsToldHowTheRunEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h withHooks
		p := withPool(t, 1, h.options()...)
		for _, body := range []executor.Task{withNothing, withFailure, withPanic, withGoexit} {
			withSubmit(t, p, body)
		}
		synctest.Wait()
		errs := h.errs.told()
		require.Len(t, errs, 4)
		assert.NoError(t, errs[0])
		assert.Equal(t, errWith, errs[1])
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
		p := withPool(t, 1, executor.AfterRun(func(context.Context, executor.Run, error) { state = f.State() }))
		g := withNewGate(t)
		f = withSubmit(t, p, g.hold)
		g.open()
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
		p := withPool(t, 1,
			executor.BaseContext(context.WithValue(context.Background(), key{}, "base")),
			executor.BeforeRun(func(ctx context.Context, _ executor.Run) {
				before = ctx
				inBefore, beforeLive = executor.RunFrom(ctx)
			}),
			executor.AfterRun(func(ctx context.Context, _ executor.Run, _ error) {
				after = ctx
				_, afterLive = executor.RunFrom(ctx)
			}))
		withSubmit(t, p, func(ctx context.Context) error {
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
		p := withPool(t, 1, h.options()...)
		withSchedule(t, p, time.Second, withNothing).Cancel()
		withPassed(time.Minute)
		assert.Empty(t, h.trace.seen())
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
				_, _ = p.Submit(withNothing)
			}
		}
		p = withPool(t, 1,
			executor.BeforeRun(func(context.Context, executor.Run) { ask() }),
			executor.AfterRun(func(context.Context, executor.Run, error) { ask() }),
			executor.AfterTermination(func() { seen += len(p.Queued()) }))
		withSubmit(t, p, withNothing)
		synctest.Wait()
		assert.EqualValues(t, 4, p.Stats().Completed)
		assert.Positive(t, seen)
		assert.NoError(t, p.Close())
	})
}

func withPanic(context.Context) error { panic("panic in a task") }

func withGoexit(context.Context) error {
	runtime.Goexit()
	return nil
}

// Java skips the body, never completes the future and loses a series.
func TestSTPE136_APanickingBeforeHookIsToldAndTheRunGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told withErrors
		p := withPool(t, 1, executor.ErrorHandler(told.handle),
			executor.BeforeRun(func(context.Context, executor.Run) { panic(errWith) }))
		tr := withNewTrace()
		once := withSubmit(t, p, tr.task("once"))
		series := withRate(t, p, 0, time.Second, tr.task("series"), executor.MaxRuns(2))
		withPassed(time.Minute)
		assert.Equal(t, []string{"once 0s", "series 0s", "series 1s"}, tr.seen())
		assert.NoError(t, withOutcome(t, once))
		assert.NoError(t, withOutcome(t, series.Future))
		errs := told.told()
		require.Len(t, errs, 3)
		for _, err := range errs {
			assert.ErrorIs(t, err, errWith)
		}
		s := p.Stats()
		assert.Equal(t, []uint64{2, 3, 0}, []uint64{s.Completed, s.Runs, s.Failures})
	})
}

func TestSTPE136_ABeforeHookThatEndsItsGoroutineFailsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1, executor.BeforeRun(func(_ context.Context, run executor.Run) {
			if run.Name == "victim" {
				runtime.Goexit()
			}
		}))
		tr := withNewTrace()
		once := withSubmit(t, p, tr.task("victim"), executor.Name("victim"))
		series := withRate(t, p, 0, time.Second, tr.task("victim"), executor.Name("victim"))
		other := withSubmit(t, p, tr.task("other"))
		withPassed(time.Minute)
		assert.Equal(t, future.ErrGoexit, withOutcome(t, once))
		assert.Equal(t, future.ErrGoexit, withOutcome(t, series.Future))
		assert.NoError(t, withOutcome(t, other))
		assert.Equal(t, []string{"other 0s"}, tr.seen())
		assert.Equal(t, 1, withWorkers(p))
	})
}

// withFault is a way for user code to go wrong.
type withFault struct {
	name string
	do   func()
}

var withFaults = []withFault{
	{"fine", func() {}},
	{"panic", func() { panic(errWith) }},
	{"nil panic", func() { panic(nil) }},
	{"goexit", runtime.Goexit},
}

// Every combination of faults in the body, the hooks and the error handler touches one future.
func TestSTPE136_FaultsInBodyHooksAndHandlerHarmNoOtherTask(t *testing.T) {
	for _, body := range withFaults {
		for _, before := range withFaults {
			for _, after := range withFaults {
				for _, handler := range withFaults {
					name := fmt.Sprintf("body %s, before %s, after %s, handler %s", body.name, before.name, after.name, handler.name)
					t.Run(name, func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) { withFaultsIn(t, body, before, after, handler) })
					})
				}
			}
		}
	}
}

func withFaultsIn(t *testing.T, body, before, after, handler withFault) {
	var terminations atomic.Int32
	var bodies, others atomic.Int32
	victim := func(run executor.Run, f withFault) {
		if run.Name == "victim" {
			f.do()
		}
	}
	p := withPool(t, 1,
		executor.BeforeRun(func(_ context.Context, run executor.Run) { victim(run, before) }),
		executor.AfterRun(func(_ context.Context, run executor.Run, _ error) { victim(run, after) }),
		executor.ErrorHandler(func(_ context.Context, run executor.Run, _ error) { victim(run, handler) }),
		executor.AfterTermination(func() { terminations.Add(1) }))
	task := func(context.Context) error {
		bodies.Add(1)
		body.do()
		return nil
	}
	once := withSubmit(t, p, task, executor.Name("victim"))
	series := withRate(t, p, 0, time.Second, task, executor.Name("victim"), executor.MaxRuns(3))
	other := withRate(t, p, 0, time.Second, func(context.Context) error {
		others.Add(1)
		return nil
	}, executor.MaxRuns(3))
	withPassed(time.Minute)

	// The goroutine ended before the body began: by the hook, or by the handler told of its panic.
	skipped := before.name == "goexit" || before.name != "fine" && handler.name == "goexit"
	wantRuns, wantFailures, wantBodies := uint64(1+1+3), uint64(2), int32(2)
	if body.name == "fine" && !skipped {
		wantRuns, wantFailures, wantBodies = 1+3+3, 0, 4
	}
	if skipped {
		wantBodies = 0
	}
	assert.Equal(t, wantBodies, bodies.Load())
	assert.EqualValues(t, 3, others.Load())
	assert.NoError(t, withOutcome(t, other.Future))
	for _, f := range []*future.Future[struct{}]{once, series.Future} {
		assert.True(t, withClosed(f.Stopped()))
		assert.Equal(t, wantFailures == 0, withOutcome(t, f) == nil)
	}
	s := p.Stats()
	assert.Equal(t, []uint64{3, wantRuns, wantFailures}, []uint64{s.Completed, s.Runs, s.Failures})
	assert.Equal(t, 1, s.Workers)
	assert.Len(t, withWorkerGoroutines(t), 1)
	assert.NoError(t, p.Close())
	assert.EqualValues(t, 1, terminations.Load())
}

func TestAnAfterHookThatTakesLongHoldsUpNoOtherWorker(t *testing.T) {
	bodies := map[string]executor.Task{"returned": withNothing, "panic": withPanic, "goexit": withGoexit}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := withPool(t, 2, executor.AfterRun(func(_ context.Context, run executor.Run, _ error) {
					if run.Name == "slow" {
						time.Sleep(time.Hour)
					}
				}))
				withSubmit(t, p, body, executor.Name("slow"))
				withPassed(time.Minute)
				tr := withNewTrace()
				withSubmit(t, p, tr.task("new worker"))
				synctest.Wait()
				withSubmit(t, p, tr.task("idle worker"))
				withSchedule(t, p, time.Second, tr.task("later"))
				withPassed(time.Minute)
				assert.Equal(t, []string{"new worker 0s", "idle worker 0s", "later 1s"}, tr.seen())
			})
		})
	}
}
