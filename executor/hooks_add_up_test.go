package executor_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/future"
)

// addedHooks notes which of several hooks are called; one of them may misbehave.
type addedHooks struct {
	calls []string
	bad   func() // what the hooks named "bad" do
}

func (a *addedHooks) call(name string) {
	a.calls = append(a.calls, name)
	if name == "bad" {
		a.bad()
	}
}

func (a *addedHooks) before(name string) executor.Option {
	return executor.BeforeRun(func(context.Context, executor.Run) { a.call(name) })
}

func (a *addedHooks) after(name string) executor.Option {
	return executor.AfterRun(func(context.Context, executor.Run, error) { a.call(name) })
}

func (a *addedHooks) end(name string) executor.Option {
	return executor.AfterTermination(func() { a.call(name) })
}

func (a *addedHooks) handler(name string) executor.CommonOption {
	return executor.ErrorHandler(func(context.Context, executor.Run, error) { a.call(name) })
}

var errAdded = errors.New("wanted")

// waysToFail are how one of several hooks may misbehave.
var waysToFail = map[string]func(){
	"panic":  func() { panic("bad") },
	"Goexit": runtime.Goexit,
}

// run runs one task on a pool with the options, to the end of the pool.
func (a *addedHooks) run(t *testing.T, task executor.Task, opts ...executor.Option) {
	t.Helper()
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	p := executor.NewPool(1, append(opts, quiet)...)
	require.NoError(t, p.Execute(task))
	synctest.Wait()
	require.NoError(t, p.Close())
}

func TestHooksAddUpAndNestAroundTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(addedHooks)
		a.run(t, func(context.Context) error { a.call("body"); return nil },
			a.before("1"), a.after("/1"), executor.BeforeRun(nil), executor.AfterRun(nil),
			a.before("2"), a.after("/2"), a.end("end 1"), executor.AfterTermination(nil), a.end("end 2"))
		assert.Equal(t, []string{"1", "2", "body", "/2", "/1", "end 1", "end 2"}, a.calls)
	})
}

func TestABadHookKeepsNoOtherFromBeingCalled(t *testing.T) {
	for name, way := range waysToFail {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &addedHooks{bad: way}
				a.run(t, func(context.Context) error { return nil }, a.before("1"), a.before("bad"), a.before("3"))
				assert.Equal(t, []string{"1", "bad", "3"}, a.calls, "before")

				a = &addedHooks{bad: way}
				a.run(t, func(context.Context) error { return nil }, a.after("1"), a.after("bad"), a.after("3"))
				assert.Equal(t, []string{"3", "bad", "1"}, a.calls, "after")

				a = &addedHooks{bad: way}
				a.run(t, func(context.Context) error { return nil }, a.end("1"), a.end("bad"), a.end("3"))
				assert.Equal(t, []string{"1", "bad", "3"}, a.calls, "end")

				a = &addedHooks{bad: way}
				a.run(t, func(context.Context) error { return errAdded }, a.handler("1"), a.handler("bad"), a.handler("3"))
				assert.Equal(t, []string{"1", "bad", "3"}, a.calls, "handlers")
			})
		})
	}
}

func TestAllBadHooksAreToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		p := executor.NewPool(1,
			executor.BeforeRun(func(context.Context, executor.Run) { panic("one") }),
			executor.BeforeRun(func(context.Context, executor.Run) { panic("two") }),
			executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
				told = append(told, err.Error())
			}))
		ran := false
		f, err := p.Submit(func(context.Context) error { ran = true; return nil })
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.Close())
		assert.True(t, ran)
		assert.Equal(t, []string{
			"executor: before-run hook: future: panic: one",
			"executor: before-run hook: future: panic: two",
		}, told)
	})
}

func TestABadErrorHandlerIsLoggedAndTheOthersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var told []error
		p := executor.NewPool(1, executor.Logger(slog.New(slog.NewTextHandler(&log, nil))),
			executor.ErrorHandler(func(context.Context, executor.Run, error) { panic("deaf") }),
			executor.ErrorHandler(func(_ context.Context, r executor.Run, err error) {
				told = append(told, err)
			}),
			executor.ErrorHandler(func(context.Context, executor.Run, error) { panic("dumb") }))
		require.NoError(t, p.Execute(func(context.Context) error { return errAdded }))
		synctest.Wait()
		require.NoError(t, p.Close())
		assert.Equal(t, []error{errAdded}, told)
		assert.Contains(t, log.String(), "deaf")
		assert.Contains(t, log.String(), "dumb")
	})
}

func TestARunGoesOnIfOneOfSeveralHooksBeforeItExits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &addedHooks{bad: runtime.Goexit}
		p := executor.NewPool(1, a.before("bad"), a.before("2"), executor.Logger(slog.New(slog.DiscardHandler)))
		f, err := p.Submit(func(context.Context) error { a.call("body"); return nil })
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
		require.NoError(t, p.Close())
		assert.Equal(t, []string{"bad", "2", "body"}, a.calls)
	})
}

func TestATaskCancelledByOneHookIsNotRunThoughAllAreCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(addedHooks)
		var f *future.Future[struct{}]
		hold := make(chan struct{})
		p := executor.NewPool(1,
			executor.BeforeRun(func(context.Context, executor.Run) { <-hold; f.Cancel() }), a.before("2"))
		f, err := p.Submit(func(context.Context) error { a.call("body"); return nil })
		require.NoError(t, err)
		close(hold)
		synctest.Wait()
		require.NoError(t, p.Close())
		assert.Equal(t, []string{"2"}, a.calls)
		assert.Equal(t, future.Cancelled, f.State())
	})
}

func TestDecoratorsAddUpTheLastOutermost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(addedHooks)
		wrap := func(name string) executor.Option {
			return executor.Decorate(func(task executor.Task) executor.Task {
				a.call("wrap " + name)
				return func(ctx context.Context) error {
					a.call(name)
					return task(ctx)
				}
			})
		}
		a.run(t, func(context.Context) error { a.call("body"); return nil },
			wrap("1"), executor.Decorate(nil), wrap("2"))
		assert.Equal(t, []string{"wrap 1", "wrap 2", "2", "1", "body"}, a.calls)

		asked := false
		p := executor.NewPool(1,
			executor.Decorate(func(executor.Task) executor.Task { return nil }),
			executor.Decorate(func(task executor.Task) executor.Task { asked = true; return task }))
		assert.Equal(t, executor.ErrNilTask, p.Execute(func(context.Context) error { return nil }))
		assert.False(t, asked, "there is nothing to decorate")
		require.NoError(t, p.Close())
	})
}

func TestErrorHandlersOfALoopAddUp(t *testing.T) {
	for name, way := range waysToFail {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &addedHooks{bad: way}
				l := eventloop.New(executor.Logger(slog.New(slog.DiscardHandler)),
					a.handler("1"), a.handler("bad"), executor.ErrorHandler(nil), a.handler("3"))
				require.NoError(t, l.Execute(func(context.Context) error { return errAdded }))
				synctest.Wait()
				require.NoError(t, l.Close())
				assert.Equal(t, []string{"1", "bad", "3"}, a.calls)
			})
		})
	}
}

// With hooks that are not set a run costs what it costs without, and one hook costs no allocation.
func TestHooksAllocateNothing(t *testing.T) {
	count := func(opts ...executor.Option) float64 {
		p := executor.NewPool(1, opts...)
		defer p.Close()
		ran := make(chan struct{})
		task := func(context.Context) error { ran <- struct{}{}; return nil }
		return testing.AllocsPerRun(1_000, func() {
			_, _ = p.Submit(task)
			<-ran
		})
	}
	none := count(executor.BeforeRun(nil), executor.AfterRun(nil), executor.Decorate(nil))
	assert.LessOrEqual(t, none, count())
	one := executor.BeforeRun(func(context.Context, executor.Run) {})
	assert.LessOrEqual(t, count(one), none)
	assert.LessOrEqual(t, count(one, one), none)
}
