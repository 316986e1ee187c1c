package es_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// executeFunc has a task run without a future.
type executeFunc = func(executor.Task, ...executor.TaskOption) error

// eachExecute runs a test for each way to have a task run without a future: now, or after a delay
// of a second.
func eachExecute(
	t *testing.T,
	test func(t *testing.T, errs *pooltest.Errors, execute executeFunc),
) {
	type way func(t *testing.T, handler executor.CommonOption) executeFunc
	pool := func(t *testing.T, handler executor.CommonOption) *executor.ScheduledPool {
		return pooltest.NewScheduledPool(t, 1, executor.Name("jobs"), handler)
	}
	loop := func(t *testing.T, handler executor.CommonOption) *eventloop.Loop {
		l := eventloop.New(executor.Name("jobs"), handler)
		t.Cleanup(func() { l.ShutdownNow(); <-l.Terminated() })
		return l
	}
	for name, make := range map[string]way{
		"pool": func(t *testing.T, h executor.CommonOption) executeFunc {
			return pool(t, h).Execute
		},
		"pool, later": func(t *testing.T, h executor.CommonOption) executeFunc {
			p := pool(t, h)
			return func(task executor.Task, opts ...executor.TaskOption) error {
				return p.ExecuteAfter(time.Second, task, opts...)
			}
		},
		"serial": func(t *testing.T, h executor.CommonOption) executeFunc {
			return serial.New(pool(t, h)).Execute
		},
		"keyed": func(t *testing.T, h executor.CommonOption) executeFunc {
			return serial.NewKeyed[int](pool(t, h)).For(1).Execute
		},
		"loop": func(t *testing.T, h executor.CommonOption) executeFunc {
			return loop(t, h).Execute
		},
		"loop, later": func(t *testing.T, h executor.CommonOption) executeFunc {
			l := loop(t, h)
			return func(task executor.Task, opts ...executor.TaskOption) error {
				return l.ExecuteAfter(time.Second, task, opts...)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				errs := new(pooltest.Errors)
				test(t, errs, make(t, executor.ErrorHandler(errs.Handle)))
			})
		})
	}
}

func TestExecuteWithANameRunsUnderIt(t *testing.T) {
	eachExecute(t, func(t *testing.T, _ *pooltest.Errors, execute executeFunc) {
		var run executor.Run
		require.NoError(t, execute(func(ctx context.Context) error {
			run, _ = executor.RunFrom(ctx)
			return nil
		}, executor.Name("poll")))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, "poll", run.Name)
	})
}

func TestExecuteTellsTheHandlerOfAFailureWithOptionsAndWithout(t *testing.T) {
	eachExecute(t, func(t *testing.T, errs *pooltest.Errors, execute executeFunc) {
		require.NoError(t, execute(pooltest.Fail))
		require.NoError(t, execute(pooltest.Fail, executor.Name("poll")))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []error{pooltest.ErrTask, pooltest.ErrTask}, errs.Told())
		assert.Equal(t, "poll", errs.Runs[1].Name)
	})
}

func TestExecuteTellsOfAnOverrunOnceAndAtThatMoment(t *testing.T) {
	eachExecute(t, func(t *testing.T, errs *pooltest.Errors, execute executeFunc) {
		require.NoError(t, execute(func(context.Context) error {
			time.Sleep(time.Hour)
			return pooltest.ErrTask
		}, executor.Name("poll"), executor.Timeout(time.Minute)))
		time.Sleep(time.Minute + 2*time.Second)
		told := errs.Told()
		require.Len(t, told, 1)
		assert.ErrorIs(t, told[0], future.ErrTimeout)
		assert.ErrorContains(t, told[0], `task "poll" of`)
		time.Sleep(2 * time.Hour)
		assert.Len(t, errs.Told(), 1)
	})
}

func TestExecuteTellsOfAPanicAfterAnOverrunToo(t *testing.T) {
	eachExecute(t, func(t *testing.T, errs *pooltest.Errors, execute executeFunc) {
		require.NoError(t, execute(func(context.Context) error {
			time.Sleep(time.Hour)
			panic("late")
		}, executor.Timeout(time.Minute)))
		time.Sleep(2 * time.Hour)
		told := errs.Told()
		require.Len(t, told, 2)
		panicked := new(future.PanicError)
		assert.False(t, errors.As(told[0], &panicked))
		assert.ErrorAs(t, told[1], &panicked)
	})
}

func TestExecuteRefusesABadOptionAndANilTask(t *testing.T) {
	eachExecute(t, func(t *testing.T, _ *pooltest.Errors, execute executeFunc) {
		assert.ErrorIs(t, execute(pooltest.Nothing, executor.Timeout(-1)), executor.ErrInvalid)
		assert.ErrorIs(t, execute(pooltest.Nothing, nil), executor.ErrInvalid)
		assert.ErrorIs(t, execute(nil, executor.Name("poll")), executor.ErrNilTask)
		assert.ErrorIs(t, execute(nil), executor.ErrNilTask)
	})
}

func TestExecuteAfterRunsExactlyAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, trace := pooltest.NewScheduledPool(t, 1), pooltest.NewTrace()
		require.NoError(t, p.ExecuteAfter(3*time.Second, trace.Task("c"), executor.Name("c")))
		require.NoError(t, p.ExecuteAfter(time.Second, trace.Task("b")))
		require.NoError(t, p.ExecuteAfter(-time.Second, trace.Task("a")))
		time.Sleep(time.Hour)
		assert.Equal(t, []string{"a 0s", "b 1s", "c 3s"}, trace.Seen())
	})
}

func TestExecuteAfterIsDroppedAndHandedBackByAShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Name("jobs"))
		require.NoError(t, p.ExecuteAfter(time.Hour, pooltest.Nothing, executor.Name("later")))
		assert.Equal(t, []string{"later"}, pooltest.Names(p.ShutdownNow()))
		err := p.ExecuteAfter(time.Hour, pooltest.Nothing, executor.Name("poll"))
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.EqualError(t, err, `executor: task "poll" of pool "jobs": pool is shut down`)
	})
}

func TestExecuteInATurnTakesOptionsAndADelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, trace := eventloop.New(), pooltest.NewTrace()
		defer l.Close()
		note := func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			trace.Mark(run.Name)
			return nil
		}
		require.NoError(t, l.Execute(func(ctx context.Context) error {
			turn, _ := l.Turn(ctx)
			assert.NoError(t, turn.ExecuteAfter(time.Second, note, executor.Name("b")))
			return turn.Execute(note, executor.Name("a"))
		}))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"a 0s", "b 1s"}, trace.Seen())
	})
}

func TestExecuteAmongASerialKeepsItsTurnWithOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, trace := pooltest.NewPool(t, 4), pooltest.NewTrace()
		s := serial.New(p)
		require.NoError(t, s.Execute(trace.Lasting("a", time.Second), executor.Name("a")))
		require.NoError(t, s.Execute(trace.Lasting("b", time.Second), executor.Name("b")))
		require.NoError(t, s.Execute(trace.Lasting("c", time.Second)))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"a 1s", "b 2s", "c 3s"}, trace.Seen())
	})
}
