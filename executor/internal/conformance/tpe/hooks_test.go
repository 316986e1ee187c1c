package tpe_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// hookNotes is a pool with hooks that note what they are told, and on which goroutine.
type hookNotes struct {
	*executor.Pool
	trace      *pooltest.Trace
	after      pooltest.Errors // what the hook after each run was told
	handled    pooltest.Errors // what the error handler was told
	goroutines map[string]bool
}

func hookPool(t *testing.T, opts ...executor.Option) *hookNotes {
	t.Helper()
	h := &hookNotes{trace: pooltest.NewTrace(), goroutines: map[string]bool{}}
	h.Pool = pooltest.NewPool(t, 1, append([]executor.Option{
		executor.BeforeRun(func(context.Context, executor.Run) { h.mark("before") }),
		executor.AfterRun(func(ctx context.Context, run executor.Run, err error) {
			h.mark("after")
			h.after.Handle(ctx, run, err)
		}),
		executor.ErrorHandler(h.handled.Handle),
	}, opts...)...)
	return h
}

func (h *hookNotes) mark(name string) {
	h.trace.Mark(name)
	h.goroutines[probe.Goroutine()] = true // a data race if there are several at once
}

func (h *hookNotes) body(context.Context) error {
	h.mark("body")
	time.Sleep(time.Second)
	return nil
}

// hookBodies are ways for a task to end, with what is told of it.
var hookBodies = []hookBody{
	{"fine", pooltest.Nothing, func(err error) bool { return err == nil }},
	{"error", pooltest.Fail, func(err error) bool { return err == pooltest.ErrTask }},
	{"panic", pooltest.Panic, func(err error) bool {
		var p *future.PanicError
		ok := errors.As(err, &p)
		return ok && p.Value == "panic in a task" && len(p.Stack) > 0
	}},
	{"nil panic", func(context.Context) error { panic(nil) }, func(err error) bool {
		ok := errors.As(err, new(*runtime.PanicNilError))
		return ok
	}},
	{"goexit", pooltest.Goexit, func(err error) bool { return err == future.ErrGoexit }},
}

type hookBody struct {
	name  string
	body  executor.Task
	check func(err error) bool
}

// abrupt reports whether the body does not return.
func (b hookBody) abrupt() bool { return b.name != "fine" && b.name != "error" }

func TestTPE078_TheHooksEncloseTheBodyOnItsGoroutine(t *testing.T) {
	for name, submit := range map[string]func(h *hookNotes) error{
		"Execute":           func(h *hookNotes) error { return h.Execute(h.body) },
		"Submit":            func(h *hookNotes) error { _, err := h.Submit(h.body); return err },
		"a serial executor": func(h *hookNotes) error { return serial.New(h).Execute(h.body) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := hookPool(t)
				require.NoError(t, submit(h))
				probe.Elapse(time.Minute)
				assert.Equal(t, []string{"before 0s", "body 0s", "after 1s"}, h.trace.Seen())
				assert.Len(t, h.goroutines, 1)
				assert.NotContains(t, h.goroutines, probe.Goroutine())
			})
		})
	}
}

func TestTPE078_TheHooksOfATaskRunByItsCallerRunOnTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hookPool(t, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
		require.NoError(t, h.Execute(pooltest.Sleep(time.Hour)))
		synctest.Wait()
		clear(h.goroutines)
		require.NoError(t, h.Execute(h.body))
		assert.Equal(t, []string{"before 0s", "before 0s", "body 0s", "after 1s"}, h.trace.Seen())
		assert.Equal(t, map[string]bool{probe.Goroutine(): true}, h.goroutines)
	})
}

// In Java neither body nor second hook is called, and a submitted future never ends.
func TestTPE079_APanickingBeforeHookIsToldAndTheRunGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		afterCalls, bodies := 0, 0
		p := pooltest.NewPool(t, 1, executor.ErrorHandler(told.Handle),
			executor.BeforeRun(func(context.Context, executor.Run) { panic(pooltest.ErrTask) }),
			executor.AfterRun(func(_ context.Context, _ executor.Run, err error) {
				afterCalls++
				assert.NoError(t, err)
			}))
		task := func(context.Context) error { bodies++; return nil }
		require.NoError(t, p.Execute(task))
		f, err := p.Submit(task)
		require.NoError(t, err)
		synctest.Wait()
		assert.NoError(t, pooltest.Outcome(t, f))
		assert.Equal(t, []int{2, 2}, []int{bodies, afterCalls})
		require.Len(t, told.Told(), 2)
		for _, err := range told.Told() {
			assert.ErrorIs(t, err, pooltest.ErrTask)
			assert.ErrorContains(t, err, "before-run hook")
		}
		assert.Len(t, pooltest.Workers(t), 1)
	})
}

func TestTPE080_TheFailureOfAnExecutedTaskGoesToAfterHookAndHandlerAsItIs(t *testing.T) {
	for _, c := range hookBodies {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := hookPool(t)
				require.NoError(t, h.Execute(c.body))
				synctest.Wait()
				require.Len(t, h.after.Told(), 1)
				assert.True(t, c.check(h.after.Told()[0]), "%v", h.after.Told())
				if c.name == "fine" {
					assert.Empty(t, h.handled.Told())
					return
				}
				assert.Equal(t, h.after.Told(), h.handled.Told())
				assert.Equal(t, h.after.Runs, h.handled.Runs)
			})
		})
	}
}

// In Java the hook is told nothing, as the failure lies in the future.
func TestTPE081_TheFailureOfASubmittedTaskGoesToAfterHookAndFutureAndIfItIsAPanicToTheHandler(t *testing.T) {
	for _, c := range hookBodies {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := hookPool(t)
				f, err := h.Submit(c.body)
				require.NoError(t, err)
				synctest.Wait()
				assert.True(t, c.check(pooltest.Outcome(t, f)))
				assert.Equal(t, []error{pooltest.Outcome(t, f)}, h.after.Told())
				if c.abrupt() {
					assert.Equal(t, h.after.Told(), h.handled.Told())
				} else {
					assert.Empty(t, h.handled.Told())
				}
			})
		})
	}
}

func TestTPE080_TPE081_AFailureCostsNoWorkerAndOnlyGoexitItsGoroutine(t *testing.T) {
	for _, c := range hookBodies {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1)
				require.True(t, p.PrestartWorker())
				synctest.Wait()
				before := pooltest.Workers(t)
				for range 10 {
					require.NoError(t, p.Execute(c.body))
					_, err := p.Submit(c.body)
					require.NoError(t, err)
				}
				synctest.Wait()
				after := pooltest.Workers(t)
				assert.Len(t, after, 1)
				assert.Equal(t, c.name != "goexit", before[0] == after[0])
				s := p.Stats()
				assert.Equal(t, []int{1, 1}, []int{s.Workers, s.Largest})
				assert.EqualValues(t, 20, s.Completed)
			})
		})
	}
}

// Java calls it again with its own exception.
func TestTPE082_AnAfterHookThatPanicsIsCalledOnceForEachRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		var given []error
		p := pooltest.NewPool(t, 1, executor.ErrorHandler(told.Handle), executor.AfterRun(func(_ context.Context, _ executor.Run, err error) {
			given = append(given, err)
			panic(pooltest.ErrTask)
		}))
		require.NoError(t, p.Execute(pooltest.Nothing))
		f, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []error{nil, nil}, given)
		assert.NoError(t, pooltest.Outcome(t, f))
		require.Len(t, told.Told(), 2)
		assert.ErrorContains(t, told.Told()[0], "after-run hook")
		assert.Zero(t, p.Stats().Failures, "the run itself has succeeded")
	})
}

func TestTPE084_AFutureHasTheValueOfItsFunctionOrNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		typed, err := executor.Submit(p, func(context.Context) (string, error) { return "value", nil })
		require.NoError(t, err)
		plain, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		both, err := executor.SubmitContext(t.Context(), p, func(context.Context) (*int, error) { return nil, pooltest.ErrTask })
		require.NoError(t, err)
		v, err := typed.Get(t.Context())
		assert.Equal(t, "value", v)
		assert.NoError(t, err)
		none, err := plain.Get(t.Context())
		assert.Equal(t, struct{}{}, none)
		assert.NoError(t, err)
		pointer, err := both.Get(t.Context())
		assert.Nil(t, pointer)
		assert.Equal(t, pooltest.ErrTask, err)
	})
}

func TestTPE085_AWaitThatIsGivenUpDoesNotTouchTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		start := time.Now()
		var inRun error
		f, err := p.Submit(func(ctx context.Context) error {
			time.Sleep(time.Hour)
			inRun = ctx.Err()
			return nil
		})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, pooltest.ErrTask)
		defer cancel()
		_, err = f.Get(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorIs(t, err, pooltest.ErrTask)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Equal(t, future.Running, f.State())
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
		assert.NoError(t, inRun)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestTPE086_StopCancelsARunningAndAQueuedTaskAndInterruptsNeither(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var inRun error
		bodies := 0
		task := func(ctx context.Context) error {
			bodies++
			time.Sleep(time.Hour)
			inRun = ctx.Err()
			return nil
		}
		running, err := p.Submit(task)
		require.NoError(t, err)
		queued, err := p.Submit(task)
		require.NoError(t, err)
		synctest.Wait()
		for _, f := range []*future.Future[struct{}]{running, queued} {
			assert.True(t, f.Stop())
			assert.False(t, f.Stop())
			assert.Equal(t, future.Cancelled, f.State())
			_, err := f.Get(t.Context())
			assert.Equal(t, future.ErrCancelled, err)
			_, err = f.GetTimeout(time.Minute)
			assert.Equal(t, future.ErrCancelled, err)
		}
		assert.Equal(t, []bool{false, true}, []bool{probe.IsClosed(running.Stopped()), probe.IsClosed(queued.Stopped())})
		probe.Elapse(time.Hour)
		assert.True(t, probe.IsClosed(running.Stopped()))
		assert.NoError(t, inRun)
		assert.Equal(t, 1, bodies)
		s := p.Stats()
		assert.Equal(t, []uint64{2, 0, 1}, []uint64{s.Cancelled, s.Completed, s.Runs})
	})
}

func TestTPE087_TasksOfABulkOperationAreTasksOfThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hookPool(t)
		good := func(context.Context) (int, error) { return 1, nil }
		bad := func(context.Context) (int, error) { return 0, pooltest.ErrTask }
		fs, err := executor.InvokeAll(t.Context(), h, good, bad)
		require.NoError(t, err)
		require.Len(t, fs, 2)
		synctest.Wait() // the hook follows the future
		assert.Equal(t, []error{nil, pooltest.ErrTask}, h.after.Told())
		v, err := executor.InvokeAny(t.Context(), h, bad, good)
		require.NoError(t, err)
		assert.Equal(t, 1, v)
		synctest.Wait()
		assert.Empty(t, h.handled.Told(), "each has a future")
		s := h.Stats()
		assert.Equal(t, []uint64{4, 4, 2}, []uint64{s.Accepted, s.Completed, s.Failures})
	})
}
