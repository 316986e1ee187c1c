package future_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// guarded is a context that counts what is asked of it. It hides the context under it, so that
// package context has to register with AfterFunc.
type guarded struct {
	under      context.Context
	asked      atomic.Int64 // calls of Done and Err
	registered atomic.Int64 // of AfterFunc, less those taken back
}

func (g *guarded) Deadline() (time.Time, bool) { return g.under.Deadline() }
func (g *guarded) Value(any) any               { return nil }

func (g *guarded) Done() <-chan struct{} {
	g.asked.Add(1)
	return g.under.Done()
}

func (g *guarded) Err() error {
	g.asked.Add(1)
	return g.under.Err()
}

func (g *guarded) AfterFunc(f func()) func() bool {
	g.registered.Add(1)
	stop := context.AfterFunc(g.under, f)
	return func() bool {
		g.registered.Add(-1)
		return stop()
	}
}

// newGuarded returns a guarded context that can end.
func newGuarded(t *testing.T) *guarded {
	under, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return &guarded{under: under}
}

// signals are the ways to ask a context whether it has ended.
var signals = map[string]func(context.Context){
	"Err":        func(ctx context.Context) { _ = ctx.Err() },
	"Done":       func(ctx context.Context) { _ = ctx.Done() },
	"WithCancel": func(ctx context.Context) { _, cancel := context.WithCancel(ctx); cancel() },
}

// parents are contexts of a run that take different roads inside.
func parents(t *testing.T) map[string]context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return map[string]context.Context{
		"background":  context.Background(),
		"cancellable": ctx,
		"valued":      context.WithValue(context.Background(), key{}, 1),
		"foreign":     newGuarded(t),
	}
}

type key struct{}

func TestRunThatIgnoresItsContextLeavesTheParentAlone(t *testing.T) {
	parent := newGuarded(t)
	task := future.NewTask(seven)
	require.True(t, task.RunAndReset(parent))
	task.Run(parent)
	assert.Zero(t, parent.asked.Load())
	assert.Zero(t, parent.registered.Load())
}

func TestRunThatAsksForDoneIsRegisteredOnceAndOnlyWhileItRuns(t *testing.T) {
	parent := newGuarded(t)
	var during int64
	task := future.NewTask(func(ctx context.Context) (int, error) {
		_, cancel := context.WithCancel(ctx)
		defer cancel()
		_ = ctx.Done()
		during = parent.registered.Load()
		return 7, nil
	})
	for range 3 {
		require.True(t, task.RunAndReset(parent))
		assert.EqualValues(t, 1, during)
		assert.Zero(t, parent.registered.Load(), "a pending task is registered in a parent")
	}
	task.Run(parent)
	assert.Zero(t, parent.registered.Load(), "a settled task is registered in a parent")
}

func TestDerivedContextsCostNoGoroutine(t *testing.T) {
	derive := map[string]func(context.Context) context.CancelFunc{
		"WithCancel": func(ctx context.Context) context.CancelFunc {
			_, cancel := context.WithCancel(ctx)
			return cancel
		},
		"WithTimeout": func(ctx context.Context) context.CancelFunc {
			_, cancel := context.WithTimeout(ctx, time.Hour)
			return cancel
		},
		"WithValue": func(ctx context.Context) context.CancelFunc {
			_, cancel := context.WithCancel(context.WithValue(ctx, key{}, 2))
			return cancel
		},
		"AfterFunc": func(ctx context.Context) context.CancelFunc {
			stop := context.AfterFunc(ctx, func() {})
			return func() { stop() }
		},
	}
	for from, parent := range parents(t) {
		for name, with := range derive {
			t.Run(from+"/"+name, func(t *testing.T) {
				assert.LessOrEqual(t, goroutinesFor(parent, with), 0)
			})
		}
	}
}

// goroutinesFor counts those that 100 contexts derived with the given function cost: in the second
// run of a task, which takes another road inside than the first, while its body waits.
func goroutinesFor(parent context.Context, with func(context.Context) context.CancelFunc) int {
	derived, measured := make(chan struct{}), make(chan struct{})
	before := make(chan int, 2)
	task := future.NewTask(func(ctx context.Context) (int, error) {
		before <- runtime.NumGoroutine()
		for range 100 {
			defer with(ctx)()
		}
		derived <- struct{}{}
		<-measured
		return 7, nil
	})
	most := 0
	go func() {
		task.RunAndReset(parent)
		task.Run(parent)
	}()
	for range 2 {
		<-derived
		most = max(most, runtime.NumGoroutine()-<-before)
		measured <- struct{}{}
	}
	<-task.Future().Done()
	return most
}

func TestContextEndsWithTheRun(t *testing.T) {
	for from, parent := range parents(t) {
		for name, ask := range signals {
			t.Run(from+"/"+name, func(t *testing.T) {
				var ctx context.Context
				var during error
				task := future.NewTask(func(c context.Context) (int, error) {
					ctx = c
					ask(ctx)
					during = ctx.Err()
					return 7, nil
				})
				task.Run(parent)
				assert.NoError(t, during)
				assert.Equal(t, context.Canceled, ctx.Err())
				assert.True(t, probe.IsClosed(ctx.Done()))
				assert.Equal(t, context.Canceled, context.Cause(ctx))
			})
		}
	}
}

func TestContextEndsWithTheRunAlsoWhenFirstAskedAfterIt(t *testing.T) {
	for from, parent := range parents(t) {
		t.Run(from, func(t *testing.T) {
			var ctx context.Context
			task := future.NewTask(func(c context.Context) (int, error) { ctx = c; return 7, nil })
			task.Run(parent)
			assert.Equal(t, context.Canceled, ctx.Err())
			assert.True(t, probe.IsClosed(ctx.Done()))
		})
	}
}

func TestContextEndsWithTheRunHoweverItEnds(t *testing.T) {
	for name, how := range map[string]func() (int, error){"error": failure, "panic": crash, "goexit": exit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHeld()
				h.start(t.Context())
				derived, cancel := context.WithCancel(h.ctx)
				defer cancel()
				h.finish(how)
				assert.Equal(t, context.Canceled, derived.Err())
			})
		})
	}
}

// runsOf calls RunAndReset with a body that keeps the contexts it gets, after asking them, and
// calls during with all of them.
func runsOf(t *testing.T, parent context.Context, ask func(context.Context), n int, during func([]context.Context)) []context.Context {
	t.Helper()
	var ctxs []context.Context
	task := future.NewTask(func(ctx context.Context) (int, error) {
		ctxs = append(ctxs, ctx)
		ask(ctx)
		during(ctxs)
		return 7, nil
	})
	for range n {
		require.True(t, task.RunAndReset(parent))
	}
	return ctxs
}

func TestContextOfARunIsNotRevivedByTheNext(t *testing.T) {
	for from, parent := range parents(t) {
		for name, ask := range signals {
			t.Run(from+"/"+name, func(t *testing.T) {
				var current, earlier []error
				ctxs := runsOf(t, parent, ask, 4, func(ctxs []context.Context) {
					last := len(ctxs) - 1
					current = append(current, ctxs[last].Err())
					for _, ctx := range ctxs[:last] {
						earlier = append(earlier, ctx.Err())
					}
				})
				for _, err := range current {
					assert.NoError(t, err, "the run in progress")
				}
				for _, err := range earlier {
					assert.Equal(t, context.Canceled, err, "a run that is over, during the next")
				}
				for _, ctx := range ctxs {
					assert.Equal(t, context.Canceled, ctx.Err(), "a run that is over")
					assert.True(t, probe.IsClosed(ctx.Done()))
				}
			})
		}
	}
}

func TestContextOfAnEarlierRunIsNotEndedByALaterCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		reset := h.startAgain(context.Background())
		first := h.ctx
		require.NoError(t, first.Err())
		h.finish(value)
		require.True(t, <-reset)

		h.startAgain(context.Background())
		h.Future().CancelCause(errBoom)
		assert.Equal(t, errBoom, context.Cause(h.ctx))
		assert.Equal(t, context.Canceled, context.Cause(first))
		h.finish(value)
	})
}

func TestEachRunHasTheParentItIsGiven(t *testing.T) {
	var got []any
	task := future.NewTask(func(ctx context.Context) (int, error) {
		_ = ctx.Done()
		got = append(got, ctx.Value(key{}))
		return 7, nil
	})
	for n := range 4 {
		require.True(t, task.RunAndReset(context.WithValue(context.Background(), key{}, n)))
	}
	require.True(t, task.RunAndReset(context.Background()))
	assert.Equal(t, []any{0, 1, 2, 3, nil}, got)
}

func TestValuesAndDeadlineOfTheParentAreVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := time.Now().Add(time.Hour)
		parent, cancel := context.WithDeadline(context.WithValue(t.Context(), key{}, "v"), want)
		defer cancel()
		for name, ask := range signals {
			var before, after any
			var deadline time.Time
			var has bool
			task := future.NewTask(func(ctx context.Context) (int, error) {
				before = ctx.Value(key{})
				ask(ctx)
				after = ctx.Value(key{})
				deadline, has = ctx.Deadline()
				return 7, nil
			})
			task.Run(parent)
			assert.Equal(t, "v", before, name)
			assert.Equal(t, "v", after, name)
			assert.True(t, has, name)
			assert.Equal(t, want, deadline, name)
		}
	})
}

func TestDeadlineOfTheParentEndsTheContextExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		parent, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		task := future.NewTask(func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		task.Run(parent)
		assert.Equal(t, time.Hour, time.Since(start))
		requireOutcome(t, task.Future(), 0, context.DeadlineExceeded)
	})
}

// causeOf runs a body, does something to it, and returns how its context ended.
func causeOf(t *testing.T, asked bool, interrupt func(*future.Future[int], context.CancelCauseFunc)) (err, cause error) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		h := newHeld()
		h.start(parent)
		if asked {
			_ = h.ctx.Done()
		}
		interrupt(h.Future(), cancel)
		synctest.Wait()
		err, cause = h.ctx.Err(), context.Cause(h.ctx)
		h.finish(value)
	})
	return err, cause
}

func TestCauseTellsWhoEndedTheContext(t *testing.T) {
	type interrupt = func(*future.Future[int], context.CancelCauseFunc)
	cases := map[string]struct {
		by   interrupt
		want error
	}{
		"Cancel":      {func(f *future.Future[int], _ context.CancelCauseFunc) { f.Cancel() }, future.ErrCancelled},
		"CancelCause": {func(f *future.Future[int], _ context.CancelCauseFunc) { f.CancelCause(errBoom) }, errBoom},
		"nil cause":   {func(f *future.Future[int], _ context.CancelCauseFunc) { f.CancelCause(nil) }, future.ErrCancelled},
		"parent":      {func(_ *future.Future[int], p context.CancelCauseFunc) { p(errOther) }, errOther},
		"Stop, then CancelCause": {func(f *future.Future[int], _ context.CancelCauseFunc) {
			f.Stop()
			f.CancelCause(errBoom)
		}, errBoom},
		"Cancel, then CancelCause": {func(f *future.Future[int], _ context.CancelCauseFunc) {
			f.Cancel()
			f.CancelCause(errBoom)
		}, future.ErrCancelled},
		"parent, then CancelCause": {func(f *future.Future[int], p context.CancelCauseFunc) {
			p(errOther)
			f.CancelCause(errBoom)
		}, errOther},
		"CancelCause, then parent": {func(f *future.Future[int], p context.CancelCauseFunc) {
			f.CancelCause(errBoom)
			p(errOther)
		}, errBoom},
	}
	for name, c := range cases {
		for when, asked := range map[string]bool{"asked before": true, "asked after": false} {
			t.Run(name+"/"+when, func(t *testing.T) {
				err, cause := causeOf(t, asked, c.by)
				assert.Equal(t, context.Canceled, err)
				assert.Equal(t, c.want, cause)
			})
		}
	}
}

func TestCauseOfARunInProgressIsNil(t *testing.T) {
	for from, parent := range parents(t) {
		var before, after error
		task := future.NewTask(func(ctx context.Context) (int, error) {
			before = context.Cause(ctx)
			_ = ctx.Done()
			after = context.Cause(ctx)
			return 7, nil
		})
		task.Run(parent)
		assert.NoError(t, before, from)
		assert.NoError(t, after, from)
	}
}

func TestCancelCauseReachesDerivedContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		h.start(t.Context())
		derived, cancel := context.WithTimeout(context.WithValue(h.ctx, key{}, 1), time.Hour)
		defer cancel()
		called := false
		context.AfterFunc(derived, func() { called = true })
		h.Future().CancelCause(errBoom)
		synctest.Wait()
		assert.Equal(t, context.Canceled, derived.Err())
		assert.Equal(t, errBoom, context.Cause(derived))
		assert.True(t, called)
		h.finish(value)
	})
}

func TestBodyRunsWithAParentThatHasEndedAndSeesIt(t *testing.T) {
	for name, ask := range signals {
		t.Run(name, func(t *testing.T) {
			var err, cause error
			task := future.NewTask(func(ctx context.Context) (int, error) {
				ask(ctx)
				err, cause = ctx.Err(), context.Cause(ctx)
				return 7, nil
			})
			task.Run(ended(errOther))
			assert.Equal(t, context.Canceled, err)
			assert.Equal(t, errOther, cause)
			requireOutcome(t, task.Future(), 7, nil)
		})
	}
}

func TestContextHasAfterFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		h.start(t.Context())
		own, ok := h.ctx.(interface{ AfterFunc(func()) func() bool })
		require.True(t, ok)
		kept, stopped := 0, 0
		keep := own.AfterFunc(func() { kept++ })
		stop := own.AfterFunc(func() { stopped++ })
		synctest.Wait()
		assert.Zero(t, kept, "called before the end")
		assert.True(t, stop())
		assert.False(t, stop())
		h.Future().Cancel()
		synctest.Wait()
		assert.Equal(t, 1, kept)
		assert.Zero(t, stopped)
		assert.False(t, keep())
		h.finish(value)
	})
}

func TestAfterFuncIsCalledAtTheEndOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		h.start(t.Context())
		called := false
		context.AfterFunc(h.ctx, func() { called = true })
		synctest.Wait()
		assert.False(t, called)
		h.finish(value)
		assert.True(t, called)
	})
}

func TestGetOfTheOwnFutureWithTheContextOfTheRunIsRefused(t *testing.T) {
	none := func() {}
	derive := map[string]func(context.Context) (context.Context, context.CancelFunc){
		"own": func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, none },
		"without": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithoutCancel(ctx), none
		},
		"value": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithValue(ctx, key{}, 1), none
		},
		"cancel": context.WithCancel,
		"timeout": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Hour)
		},
	}
	for name, with := range derive {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var task *future.Task[int]
				errs := make([]error, 0, 3)
				task = future.NewTask(func(ctx context.Context) (int, error) {
					derived, cancel := with(ctx)
					defer cancel()
					_, err := task.Future().Get(derived)
					errs = append(errs, err)
					return 7, nil
				})
				task.RunAndReset(t.Context()) // each run takes another road inside
				task.RunAndReset(t.Context())
				task.Run(t.Context())
				assert.Equal(t, []error{future.ErrSelfWait, future.ErrSelfWait, future.ErrSelfWait}, errs)
				assert.Zero(t, time.Since(start))
				requireOutcome(t, task.Future(), 7, nil)
			})
		})
	}
}

// A body that runs another task by hand, in its own context, waits for that task: if the inner one
// waits for the outer one, neither ever ends. The timeout keeps the test from hanging.
func TestGetOfAnOuterRunsFutureFromATaskRunInsideItIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var outer *future.Task[int]
		var err error
		inner := future.NewTask(func(ctx context.Context) (int, error) {
			limited, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			_, err = outer.Future().Get(limited)
			return 7, nil
		})
		outer = future.NewTask(func(ctx context.Context) (int, error) {
			inner.Run(ctx)
			return 7, nil
		})
		outer.Run(t.Context())
		assert.Equal(t, future.ErrSelfWait, err)
		assert.Zero(t, time.Since(start))
	})
}

// A context that is its own parent would end the process by a stack overflow, which nothing can
// recover, so this runs in a process of its own.
func TestTaskMayRunInTheContextsOfItsEarlierRuns(t *testing.T) {
	const inside = "PUNCTUAL_TEST_INSIDE"
	if os.Getenv(inside) != "" {
		debug.SetMaxStack(1 << 20)
		runInEarlierContexts(nil)
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=1m")
	command.Env = append(os.Environ(), inside+"=1")
	out, err := command.CombinedOutput()
	assert.NoError(t, err, "%.300s", out)
}

// inEarlier says how a run is made: in the context of which earlier one, -1 for none, and whether
// its body looks at its context.
type inEarlier struct {
	parent int
	looks  bool
}

// runInEarlierContexts plays all series of four runs that begin with the given ones.
func runInEarlierContexts(series []inEarlier) {
	if len(series) == 4 {
		playInEarlierContexts(series)
		return
	}
	for parent := -1; parent < len(series); parent++ {
		for _, looks := range []bool{false, true} {
			runInEarlierContexts(append(series[:len(series):len(series)], inEarlier{parent, looks}))
		}
	}
}

func playInEarlierContexts(series []inEarlier) {
	var ctxs []context.Context
	var task *future.Task[int]
	task = future.NewTask(func(ctx context.Context) (int, error) {
		run := series[len(ctxs)]
		ctxs = append(ctxs, ctx)
		if _, err := task.Future().Get(ctx); err != future.ErrSelfWait {
			panic(fmt.Sprintf("%v: own future: %v", series, err))
		}
		if run.looks && (ctx.Err() != nil) != (run.parent >= 0) { // all earlier contexts have ended
			panic(fmt.Sprintf("%v: run %d: %v", series, len(ctxs)-1, ctx.Err()))
		}
		return 7, nil
	})
	for n, run := range series {
		parent := context.Background()
		if run.parent >= 0 {
			parent = context.WithValue(ctxs[run.parent], key{}, n)
		}
		if !task.RunAndReset(parent) {
			panic(fmt.Sprintf("%v: run %d failed", series, n))
		}
	}
}

func TestGetOfAnotherFutureWithTheContextOfTheRunWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		time.AfterFunc(time.Minute, func() { p.Complete(7) })
		task := future.NewTask(func(ctx context.Context) (int, error) { return p.Future().Get(ctx) })
		task.Run(t.Context())
		requireOutcome(t, task.Future(), 7, nil)
	})
}

func TestGetOfTheOwnFutureIsAllowedOnceItIsSettled(t *testing.T) {
	var task *future.Task[int]
	var err error
	task = future.NewTask(func(ctx context.Context) (int, error) {
		task.Future().Stop()
		_, err = task.Future().Get(ctx)
		return 7, nil
	})
	task.Run(t.Context())
	assert.Equal(t, future.ErrCancelled, err)
}

func TestGetWithTheContextOfARunThatIsOverIsNoSelfWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		reset := h.startAgain(t.Context())
		first := h.ctx
		_ = first.Done()
		h.finish(value)
		require.True(t, <-reset)

		_, err := h.Future().Get(first)
		assert.Equal(t, context.Canceled, err, "between runs")

		h.startAgain(t.Context())
		_, err = h.Future().Get(first)
		assert.Equal(t, context.Canceled, err, "during the next run")
		h.finish(failure)

		_, err = h.Future().Get(first)
		assert.Equal(t, errBoom, err, "settled")
	})
}

func TestContextHidesItsFieldsFromPrinting(t *testing.T) {
	var text string
	task := future.NewTask(func(ctx context.Context) (int, error) {
		derived, cancel := context.WithCancel(ctx)
		defer cancel()
		text = derived.(interface{ String() string }).String()
		return 7, nil
	})
	task.Run(t.Context())
	assert.Equal(t, "punctual.run.WithCancel", text)
}

func TestErrorOfAWaitHoldsTheCauseOfItsContext(t *testing.T) {
	f := future.NewPromise[int]().Future()
	_, err := f.Get(ended(errBoom))
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, errBoom)
	assert.False(t, errors.Is(err, future.ErrCancelled), "the future is not cancelled")
}
