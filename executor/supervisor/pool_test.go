package supervisor_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
)

// Pools of all kinds, bad ones included.

func TestEveryExecutorIsAPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain := newPool(t)
		scheduled := executor.NewScheduledPool(1)
		defer scheduled.Close()
		loop := eventloop.New()
		defer loop.Close()
		for _, pool := range []supervisor.Runner{plain, scheduled, serial.New(plain), loop} {
			s := supervise(t, pool, takes(time.Second), executor.Name("probe"), supervisor.Interval(10*time.Second))
			time.Sleep(12 * time.Second)
			assert.Equal(t, seconds(0, 11), s.begun())
			require.NoError(t, s.StopContext(nil))
		}
	})
}

func TestARunHasTheNameAndTheContextOfThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		pool := newPool(t, executor.BaseContext(context.WithValue(t.Context(), key{}, "value")))
		var name string
		var value any
		s := supervise(t, pool, func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			name, value = run.Name, ctx.Value(key{})
			return nil
		}, executor.Name("registry"))
		s.begun()
		assert.Equal(t, "registry", name)
		assert.Equal(t, "value", value)
	})
}

// Under Block, the submission itself may take too long.
func TestASubmissionThatBlocksTimesOutAndIsUnfinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
		require.NoError(t, pool.Execute(stubborn(40*time.Second)))
		s := supervise(t, pool, pooltest.Nothing, supervisor.Interval(10*time.Second), supervisor.Timeout(10*time.Second), supervisor.Bound(2))
		time.Sleep(31 * time.Second)
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut, supervisor.Capped}, s.kinds())
		assert.Equal(t, 1, s.Stats().Unfinished)
		assert.Equal(t, 1, goroutines(), "and no more of them pile up")
		time.Sleep(10 * time.Second)
		assert.Equal(t, 0, s.Stats().Unfinished)
		assert.Empty(t, s.begun(), "the late one does not begin")
		time.Sleep(10 * time.Second)
		assert.Equal(t, seconds(50), s.begun())
	})
}

func TestStopWhileTheSubmissionBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
		require.NoError(t, pool.Execute(stubborn(40*time.Second)))
		s := supervise(t, pool, pooltest.Nothing)
		time.Sleep(time.Second)
		s.Stop()
		assert.Equal(t, time.Second, time.Since(s.epoch))
		<-s.Done()
		assert.Equal(t, 40*time.Second, time.Since(s.epoch))
		time.Sleep(time.Hour)
		assert.Empty(t, s.begun())
	})
}

func callerRuns(t *testing.T) *executor.Pool {
	pool := fixed(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
	require.NoError(t, pool.Execute(stubborn(24*time.Hour)))
	return pool
}

func TestARunByTheCallerIsARunLikeOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, callerRuns(t), pooltest.InTurn(takes(2*time.Second), fail, hang,
			func(context.Context) error { panic(errBoom) },
			func(context.Context) error { runtime.Goexit(); return nil },
			stubborn(7*time.Second), hang), supervisor.Interval(10*time.Second), supervisor.Timeout(5*time.Second), supervisor.Factor(1))
		time.Sleep(77 * time.Second)
		assert.Equal(t, seconds(0, 12, 22, 37, 47, 57, 72), s.begun())
		want := []supervisor.Kind{supervisor.Succeeded, supervisor.Failed, supervisor.TimedOut, supervisor.Failed, supervisor.Failed, supervisor.TimedOut, supervisor.TimedOut}
		assert.Equal(t, want, s.kinds())
		assert.Equal(t, future.ErrGoexit, s.told()[4].Err)
		assert.Zero(t, s.Stats().Unfinished)
	})
}

func TestStopOfARunByTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		s := supervise(t, callerRuns(t), func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil
		})
		time.Sleep(time.Second)
		s.Stop()
		<-s.Done()
		assert.Equal(t, supervisor.ErrClosed, cause)
		assert.Equal(t, time.Second, time.Since(s.epoch))
	})
}

func TestADiscardedRunIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Discard))
		require.NoError(t, pool.Execute(stubborn(time.Hour)))
		s := supervise(t, pool, pooltest.Nothing)
		assert.Equal(t, []supervisor.Kind{supervisor.Rejected}, s.kinds())
		assert.ErrorIs(t, s.told()[0].Err, executor.ErrSaturated)
		assert.Equal(t, "waiting", s.state())
	})
}

func TestARunDroppedForAnotherIsRejectedAtThatMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1, executor.Queue(queue.Bounded(1)), executor.OnRejection(rejection.DiscardOldest))
		require.NoError(t, pool.Execute(stubborn(time.Hour)))
		s := supervise(t, pool, pooltest.Nothing)
		time.Sleep(3 * time.Second)
		require.NoError(t, pool.Execute(pooltest.Nothing))
		o := s.told()
		require.Len(t, o, 1)
		assert.Equal(t, supervisor.Rejected, o[0].Kind)
		assert.Equal(t, 3*time.Second, o[0].Took)
	})
}

func TestAPolicyThatPanicsHasRejectedTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policies := []rejection.Policy{
			func(*rejection.Task) error { panic(errBoom) },
			func(*rejection.Task) error { runtime.Goexit(); return nil },
			func(*rejection.Task) error { return errBoom },
		}
		for i, want := range []error{errBoom, future.ErrGoexit, errBoom} {
			pool := fixed(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(policies[i]))
			require.NoError(t, pool.Execute(stubborn(time.Hour)))
			s := supervise(t, pool, pooltest.Nothing)
			assert.Equal(t, []supervisor.Kind{supervisor.Rejected}, s.kinds())
			assert.ErrorIs(t, s.told()[0].Err, want)
			assert.Zero(t, s.Stats().Unfinished)
		}
	})
}

// poolFunc is a pool of somebody else.
type poolFunc func(task executor.Task) (*future.Future[struct{}], error)

func (f poolFunc) Submit(task executor.Task, _ ...executor.TaskOption) (*future.Future[struct{}], error) {
	return f(task)
}

func TestAPoolThatReturnsNothingHasRejectedTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late executor.Task
		s := supervise(t, poolFunc(func(task executor.Task) (*future.Future[struct{}], error) {
			late = task
			return nil, nil
		}), pooltest.Nothing)
		assert.Equal(t, []supervisor.Kind{supervisor.Rejected}, s.kinds())
		assert.Error(t, s.told()[0].Err)
		assert.ErrorIs(t, late(t.Context()), future.ErrCancelled, "and does not run it any more")
		assert.Empty(t, s.begun())
	})
}

func TestWhatIsAcceptedTooLateIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accepted := future.NewPromise[struct{}]().Future()
		s := supervise(t, poolFunc(func(executor.Task) (*future.Future[struct{}], error) {
			time.Sleep(20 * time.Second)
			return accepted, nil
		}), pooltest.Nothing, every10s...)
		_, err := accepted.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrCancelled)
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, 20*time.Second, time.Since(s.epoch))
	})
}

func TestAPoolOfPromisesWillDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, poolFunc(func(task executor.Task) (*future.Future[struct{}], error) {
			p := future.NewPromise[struct{}]()
			go func() {
				if err := task(context.Background()); err != nil {
					p.Fail(err)
					return
				}
				p.Complete(struct{}{})
			}()
			return p.Future(), nil
		}), pooltest.InTurn(takes(time.Second), fail, hang, stubborn(20*time.Second), hang), every10s...)
		time.Sleep(70 * time.Second)
		assert.Equal(t, []supervisor.Kind{supervisor.Succeeded, supervisor.Failed, supervisor.TimedOut, supervisor.TimedOut}, s.kinds())
		assert.Equal(t, seconds(0, 11, 21, 46), s.begun()[:4])
	})
}

// A decorator may call the task again, or not at all. The future says how that has ended.
func TestWhatADecoratorMakesOfTheTaskCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		retry := func(task executor.Task) executor.Task {
			return func(ctx context.Context) error {
				if task(ctx) == nil {
					return nil
				}
				time.Sleep(time.Second)
				return task(ctx)
			}
		}
		s := supervise(t, newPool(t, executor.Decorate(retry)), pooltest.InTurn(fail, takes(time.Second), fail, fail, fail, hang, hang), every10s...)
		time.Sleep(40 * time.Second)
		assert.Equal(t, seconds(0, 1, 12, 13, 23, 24), s.begun())
		assert.Equal(t, []supervisor.Kind{supervisor.Succeeded, supervisor.Failed, supervisor.TimedOut}, s.kinds())

		open := func(executor.Task) executor.Task { return fail }
		s = supervise(t, newPool(t, executor.Decorate(open)), pooltest.Nothing)
		assert.Equal(t, []supervisor.Kind{supervisor.Failed}, s.kinds())
		assert.Empty(t, s.begun())
	})
}

func TestAHookThatEndsItsGoroutineFailsNoRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, _ := newLog()
		pool := newPool(t, executor.Logger(log), executor.BeforeRun(func(context.Context, executor.Run) { runtime.Goexit() }))
		s := supervise(t, pool, pooltest.Nothing)
		assert.Equal(t, []supervisor.Kind{supervisor.Succeeded}, s.kinds())
		assert.Len(t, s.begun(), 1)
	})
}

// strictError is of a kind that happens: a method of a nil pointer to one panics.
type strictError struct{ text string }

func (e *strictError) Error() string     { return e.text }
func (e *strictError) Is(err error) bool { return e.text == err.Error() }

func TestTheErrorOfAPoolMayHaveMethodsThatPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failure error = (*strictError)(nil)
		answers := []func() (*future.Future[struct{}], error){
			func() (*future.Future[struct{}], error) { return nil, failure },
			func() (*future.Future[struct{}], error) {
				dropped := future.NewPromise[struct{}]().Future()
				time.AfterFunc(time.Second, func() { dropped.CancelCause(failure) })
				return dropped, nil
			},
		}
		for _, answer := range answers {
			pool := poolFunc(func(executor.Task) (*future.Future[struct{}], error) { return answer() })
			s := supervise(t, pool, pooltest.Nothing, every10s...)
			time.Sleep(2 * time.Second)
			assert.Equal(t, []supervisor.Kind{supervisor.Rejected}, s.kinds())
			assert.NotErrorAs(t, s.told()[0].Err, new(*future.PanicError))
			require.NoError(t, s.StopContext(nil))
		}
	})
}
