package executor_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

var (
	_ executor.Submitter = (*executor.Pool)(nil)
	_ executor.Submitter = (*serial.Serial)(nil)

	_ executor.ScheduledSubmitter = (*executor.ScheduledPool)(nil)
	_ executor.ScheduledSubmitter = (*eventloop.Loop)(nil)
	_ executor.ScheduledSubmitter = eventloop.Turn{}
)

// inlineFake runs tasks at once.
type inlineFake struct{}

func (inlineFake) Execute(task executor.Task, _ ...executor.TaskOption) error {
	return task(context.Background())
}
func (inlineFake) Submit(task executor.Task, _ ...executor.TaskOption) (*future.Future[struct{}], error) {
	return future.Of(struct{}{}), task(context.Background())
}

// laterFake keeps tasks, to be run by the test.
type laterFake struct{ tasks []*future.Task[struct{}] }

func (l *laterFake) Execute(task executor.Task, _ ...executor.TaskOption) error {
	_, err := l.Submit(task)
	return err
}

func (l *laterFake) Submit(task executor.Task, _ ...executor.TaskOption) (*future.Future[struct{}], error) {
	t := future.NewTask(func(ctx context.Context) (none struct{}, err error) { return none, task(ctx) })
	l.tasks = append(l.tasks, t)
	return t.Future(), nil
}

func subLoop(t *testing.T, opts ...eventloop.Option) *eventloop.Loop {
	l := eventloop.New(opts...)
	t.Cleanup(func() { l.ShutdownNow(); <-l.Terminated() })
	return l
}

// subForeign are Submitters that are not of package executor.
var subForeign = map[string]func(t *testing.T) executor.Submitter{
	"inline": func(*testing.T) executor.Submitter { return inlineFake{} },
	"loop":   func(t *testing.T) executor.Submitter { return subLoop(t) },
	"embedding": func(t *testing.T) executor.Submitter {
		p := executor.NewPool(2)
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		return struct{ *executor.Pool }{p}
	},
}

func eachForeign(t *testing.T, test func(t *testing.T, s executor.Submitter)) {
	for name, make := range subForeign {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, make(t)) })
		})
	}
}

var errSub = errors.New("wanted")

func subNothing(context.Context) error { return nil }

func subValue(v int) future.Func[int] {
	return func(context.Context) (int, error) { return v, nil }
}

func TestAnySubmitterTakesTasksWithAValue(t *testing.T) {
	eachForeign(t, func(t *testing.T, s executor.Submitter) {
		f, err := executor.Submit(s, subValue(7))
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 7, v)
		_, err = executor.Submit[int](s, nil)
		assert.Equal(t, executor.ErrNilTask, err)
	})
}

func TestAnySubmitterServesBulkCalls(t *testing.T) {
	eachForeign(t, func(t *testing.T, s executor.Submitter) {
		fs, err := executor.InvokeAll(t.Context(), s, subValue(1), subValue(2), subValue(3))
		require.NoError(t, err)
		got, err := future.All(t.Context(), fs...)
		require.NoError(t, err)
		assert.Equal(t, []int{1, 2, 3}, got)
		v, err := executor.InvokeAny(t.Context(), s, subValue(4))
		require.NoError(t, err)
		assert.Equal(t, 4, v)
	})
}

func TestAnySubmitterServesACompletionService(t *testing.T) {
	eachForeign(t, func(t *testing.T, s executor.Submitter) {
		c := bulk.NewCompletionService[int](s)
		for i := range 3 {
			_, err := c.Submit(subValue(i))
			require.NoError(t, err)
		}
		sum := 0
		for f := range c.All(t.Context()) {
			v, err := f.Get(t.Context())
			require.NoError(t, err)
			sum += v
		}
		assert.Equal(t, 3, sum)
		_, err := c.Take(t.Context())
		assert.Equal(t, bulk.ErrNoneLeft, err)
	})
}

func TestAnySubmitterServesAGroup(t *testing.T) {
	for _, name := range []string{"loop", "embedding"} {
		synctest.Test(t, func(t *testing.T) {
			g := bulk.NewGroup(t.Context(), subForeign[name](t))
			ran := 0
			require.NoError(t, g.Go(func(context.Context) error { ran++; return errSub }))
			assert.Equal(t, errSub, g.Wait())
			err := g.Go(subNothing)
			assert.ErrorIs(t, err, errSub)
			assert.ErrorIs(t, err, future.ErrCancelled)
			assert.Equal(t, 1, ran)
		})
	}
}

func TestAFailureInAGroupCancelsWhatWaitsElsewhere(t *testing.T) {
	s := new(laterFake)
	g := bulk.NewGroup(nil, s)
	for range 3 {
		require.NoError(t, g.Go(func(context.Context) error { return errSub }))
	}
	s.tasks[1].Run(t.Context())
	assert.Equal(t, errSub, g.Wait())
	for _, i := range []int{0, 2} {
		assert.Equal(t, future.Cancelled, s.tasks[i].Future().State())
	}
}

func TestAGroupOnAFakeThatExitsHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(nil, inlineFake{})
		go func() {
			_ = g.Go(func(context.Context) error { runtime.Goexit(); return nil })
		}()
		synctest.Wait()
		assert.Equal(t, future.ErrGoexit, g.Wait())
	})
}

func TestCancellingTheFutureCancelsTheTaskBehind(t *testing.T) {
	s := new(laterFake)
	f, err := executor.Submit(s, func(context.Context) (int, error) { panic("must not run") })
	require.NoError(t, err)
	assert.True(t, f.CancelCause(errSub))
	assert.Equal(t, future.Cancelled, s.tasks[0].Future().State())
	s.tasks[0].Run(t.Context())
	_, err = f.Get(t.Context())
	assert.ErrorIs(t, err, errSub)
}

func TestCancellingTheTaskBehindCancelsTheFuture(t *testing.T) {
	s := new(laterFake)
	f, err := executor.Submit(s, subValue(7))
	require.NoError(t, err)
	behind := s.tasks[0].Future()
	assert.True(t, behind.CancelCause(errSub))
	assert.Equal(t, future.Cancelled, f.State())
	_, want := behind.Get(t.Context())
	_, err = f.Get(t.Context())
	assert.Equal(t, want, err, "the same, not wrapped again")
}

func TestCancelReachesABodyElsewhereAndStopDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := subLoop(t)
		for _, cancels := range []bool{true, false} {
			var end error
			f, err := executor.Submit(l, func(ctx context.Context) (int, error) {
				select {
				case <-ctx.Done():
				case <-time.After(time.Minute):
				}
				end = ctx.Err()
				return 7, nil
			})
			require.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, future.Running, f.State())
			if cancels {
				assert.True(t, f.Cancel())
			} else {
				assert.True(t, f.Stop())
			}
			<-f.Stopped()
			assert.Equal(t, cancels, end != nil)
			assert.Equal(t, future.Cancelled, f.State())
		}
	})
}

func TestWhatALoopDropsAtItsEndSettlesTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := subLoop(t, executor.Name("mail"))
		require.NoError(t, l.Execute(func(ctx context.Context) error { <-ctx.Done(); return nil }))
		f, err := executor.Submit(l, subValue(7), executor.Name("send"))
		require.NoError(t, err)
		synctest.Wait()
		assert.Len(t, l.ShutdownNow(), 1)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrCancelled)
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.Equal(t, future.Cancelled, f.State())
		assert.EqualError(t, err, `future: cancelled: eventloop: task "send" of loop "mail": loop is shut down`)

		_, err = executor.Submit(l, subValue(7))
		assert.ErrorIs(t, err, executor.ErrShutdown)
		_, want := l.Submit(subNothing)
		assert.EqualError(t, err, want.Error())
	})
}

func TestATimeOutElsewhereSettlesTheFutureInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := subLoop(t)
		start := time.Now()
		f, err := executor.Submit(l, func(context.Context) (int, error) {
			time.Sleep(time.Hour)
			return 7, nil
		}, executor.Timeout(time.Second))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, time.Second, time.Since(start))
		assert.Equal(t, future.StateFailed, f.State())
	})
}

func TestAPanicElsewhereIsToldWithItsStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		l := subLoop(t, executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
			told = append(told, err)
		}))
		f, err := executor.Submit(l, func(context.Context) (int, error) { return subPanics() })
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		synctest.Wait()
		var p *future.PanicError
		ok := errors.As(err, &p)
		require.True(t, ok)
		assert.Equal(t, "out of paper", p.Value)
		require.Len(t, told, 1)
		assert.Same(t, err, told[0])
		assert.Contains(t, string(p.Stack), "subPanics")
	})
}

func subPanics() (int, error) { panic("out of paper") }

func TestGoexitElsewhereSettlesTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := subLoop(t, executor.Logger(slog.New(slog.DiscardHandler)))
		f, err := executor.Submit(l, func(context.Context) (int, error) { runtime.Goexit(); return 7, nil })
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.Equal(t, future.ErrGoexit, err)
	})
}

func TestATaskOfALoopThatWaitsForTheLoopIsToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := subLoop(t)
		ways := map[string]func(ctx context.Context) error{
			"InvokeAll": func(ctx context.Context) error {
				_, err := executor.InvokeAll(ctx, l, subValue(7))
				return err
			},
			"InvokeAny": func(ctx context.Context) error {
				_, err := executor.InvokeAny(ctx, l, subValue(7))
				return err
			},
			"Take": func(ctx context.Context) error {
				s := bulk.NewCompletionService[int](l)
				_, err := s.Submit(subValue(7))
				require.NoError(t, err)
				_, err = s.Take(ctx)
				return err
			},
			"Wait": func(ctx context.Context) error {
				g := bulk.NewGroup(ctx, l)
				require.NoError(t, g.Go(subNothing))
				return g.Wait()
			},
		}
		for name, wait := range ways {
			f, err := l.Submit(wait)
			require.NoError(t, err)
			_, err = f.GetTimeout(time.Hour)
			assert.Equal(t, future.ErrSelfWait, err, name)
		}
	})
}

// subCounting has a Submit of its own.
type subCounting struct {
	*executor.Pool
	submitted int
}

func (c *subCounting) Submit(
	task executor.Task, opts ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	c.submitted++
	return c.Pool.Submit(task, opts...)
}

func TestASubmitThatHidesThatOfAPoolIsCalled(t *testing.T) {
	p := executor.NewPool(1)
	defer p.Close()
	c := &subCounting{Pool: p}
	f, err := executor.Submit(c, subValue(7))
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	require.NoError(t, err)
	_, err = executor.InvokeAll(t.Context(), c, subValue(7))
	require.NoError(t, err)
	g := bulk.NewGroup(t.Context(), c)
	require.NoError(t, g.Go(subNothing))
	require.NoError(t, g.Wait())
	assert.Equal(t, 3, c.submitted)
}

// subAnswers answers every Submit alike, and runs nothing.
type subAnswers struct {
	future *future.Future[struct{}]
	err    error
}

func (subAnswers) Execute(executor.Task, ...executor.TaskOption) error { return nil }
func (s subAnswers) Submit(executor.Task, ...executor.TaskOption) (*future.Future[struct{}], error) {
	return s.future, s.err
}

func TestASubmitterThatRunsNothingLeavesNoFutureBehind(t *testing.T) {
	f, err := executor.Submit(subAnswers{future: future.Of(struct{}{})}, subValue(7))
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	assert.ErrorIs(t, err, future.ErrCancelled)
	assert.EqualError(t, err, "future: cancelled: executor: the task was not run")

	f, err = executor.Submit(subAnswers{future: future.Failed[struct{}](errSub)}, subValue(7))
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	assert.Equal(t, errSub, err)

	_, err = executor.Submit(subAnswers{err: errSub}, subValue(7))
	assert.Equal(t, errSub, err)
	_, err = executor.Submit(subAnswers{}, subValue(7))
	assert.EqualError(t, err, "executor: Submit returned neither a future nor an error")
	g := bulk.NewGroup(nil, subAnswers{})
	assert.EqualError(t, g.Go(subNothing), "executor: Submit returned neither a future nor an error")
	assert.NoError(t, g.Wait(), "it was refused")
}

func TestSubmitContextElsewhere(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	f, err := executor.SubmitContext(ctx, inlineFake{}, subValue(7))
	require.NoError(t, err)
	assert.Equal(t, future.Succeeded, f.State())
	cancel(errSub)
	_, err = executor.SubmitContext(ctx, inlineFake{}, subValue(7))
	for _, want := range []error{executor.ErrRejected, context.Canceled, errSub} {
		assert.ErrorIs(t, err, want)
	}

	p := executor.NewPool(1)
	defer p.Close()
	_, err = executor.SubmitContext(ctx, &subCounting{Pool: p}, subValue(7))
	assert.ErrorIs(t, err, executor.ErrRejected, "by its own SubmitContext")
}

func TestAnOrderNeedsAPool(t *testing.T) {
	const text = "serial: not a pool of package executor"
	assert.PanicsWithValue(t, text, func() { serial.New(inlineFake{}) })
	assert.PanicsWithValue(t, text, func() { serial.NewKeyed[int](eventloop.New()) })

	p := executor.NewPool(2)
	defer p.Close()
	s := serial.New(struct{ *executor.Pool }{p})
	var got []int
	for i := range 10 {
		require.NoError(t, s.Execute(func(context.Context) error { got = append(got, i); return nil }))
	}
	f, err := s.Submit(subNothing)
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got)
}

func TestOneKeyIsASubmitter(t *testing.T) {
	p := executor.NewPool(2)
	defer p.Close()
	s := serial.NewKeyed[string](p).For("a")
	var got []string
	add := func(what string) executor.Task {
		return func(context.Context) error { got = append(got, what); return nil }
	}
	require.NoError(t, s.Execute(add("executed")))
	_, err := s.Submit(add("submitted"))
	require.NoError(t, err)
	f, err := executor.Submit(s, func(context.Context) (string, error) { return strconv.Itoa(len(got)), nil })
	require.NoError(t, err)
	n, err := f.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "2", n)
	assert.Equal(t, []string{"executed", "submitted"}, got)
}

func TestAScheduledFutureMadeByHandKnowsOfNoTimes(t *testing.T) {
	f := &executor.ScheduledFuture[int]{Future: future.Of(7)}
	v, err := f.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 7, v)
	assert.Zero(t, f.Delay())
	assert.Zero(t, f.Runs())
	assert.False(t, f.Periodic())
	_, planned := f.Next()
	assert.False(t, planned)
}
