package contexts_test

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
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

func TestTheEndOfItsContextCancelsATaskThatWaits(t *testing.T) {
	ways := union(byOption, byItself)
	delete(ways, "Turn.Submit")
	each(t, ways, func(t *testing.T, by way, s *submission) {
		gate := pooltest.NewGate(t)
		for range 2 {
			require.NoError(t, s.pool.Execute(gate.Hold))
		}
		require.NoError(t, s.loop.Execute(gate.Hold))
		ctx, cancel := context.WithCancelCause(t.Context())
		s.opts = []executor.TaskOption{executor.WithContext(ctx)}
		s.task = func(context.Context) error { t.Error("it has run"); return nil }
		require.NoError(t, by(s))
		synctest.Wait()
		cancel(errLeft)
		synctest.Wait()
		assert.Zero(t, s.pool.Stats().Queued+s.loop.Stats().Queued)
		assert.EqualValues(t, 1, s.pool.Stats().Cancelled+s.loop.Stats().Cancelled)
		gate.Open()
		pass(time.Minute)
		balanced(t, s)
	})
}

func TestTheFutureTellsWhyTheContextHasEnded(t *testing.T) {
	for name, row := range map[string]struct {
		end  func(context.Context) (context.Context, context.CancelFunc)
		errs []error
	}{
		"a cause": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(errLeft) }
		}, []error{errLeft}},
		"no cause": {context.WithCancel, []error{context.Canceled}},
		"a deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			return ctx, func() { time.Sleep(time.Second); synctest.Wait(); cancel() }
		}, []error{context.DeadlineExceeded}},
		"a type of its own": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			own := &ownContext{Context: ctx, done: make(chan struct{})}
			return own, func() { close(own.done) }
		}, []error{context.Canceled}},
		"a type of its own with an error": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				own := &ownContext{Context: ctx, done: make(chan struct{}), err: errLeft}
				return own, func() { close(own.done) }
			}, []error{errLeft},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1)
				ctx, end := row.end(t.Context())
				var cause error
				running := pooltest.Submit(t, p, func(ctx context.Context) error {
					<-ctx.Done()
					cause = context.Cause(ctx)
					return nil
				}, executor.WithContext(ctx))
				waiting := pooltest.Submit(t, p, pooltest.Nothing, executor.WithContext(ctx))
				synctest.Wait()
				end()
				synctest.Wait()
				for _, want := range append(row.errs, future.ErrCancelled) {
					assert.ErrorIs(t, pooltest.Outcome(t, running), want)
					assert.ErrorIs(t, pooltest.Outcome(t, waiting), want)
				}
				assert.ErrorIs(t, cause, row.errs[0])
			})
		})
	}
}

// ownContext is a context of a type of its own, in which package context finds one of its own that
// goes on. Without an error it breaks the contract of contexts: it is done, and its Err is still
// nil.
type ownContext struct {
	context.Context
	done chan struct{}
	err  error
}

func (c *ownContext) Done() <-chan struct{} { return c.done }

func (c *ownContext) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

func TestASubmissionWithinAContextThatHasEndedIsRefused(t *testing.T) {
	each(t, union(byOption, byItself), func(t *testing.T, by way, s *submission) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errLeft)
		s.opts = []executor.TaskOption{executor.WithContext(ctx), executor.Name("late")}
		s.task = func(context.Context) error { t.Error("it has run"); return nil }
		err := by(s)
		if t.Name() == "TestASubmissionWithinAContextThatHasEndedIsRefused/Turn.Submit" {
			synctest.Wait() // the submission is itself a task, which got the error
			assert.EqualValues(t, 1, s.loop.Stats().Failures)
		} else {
			assert.ErrorIs(t, err, executor.ErrRejected)
			assert.ErrorIs(t, err, context.Canceled)
			assert.ErrorIs(t, err, errLeft)
			assert.ErrorContains(t, err, `task "late": task rejected: context canceled`)
		}
		assert.EqualValues(t, 1, s.pool.Stats().Rejected+s.loop.Stats().Rejected)
		assert.Zero(t, s.pool.Stats().Accepted)
		balanced(t, s)
	})
}

func TestABadOptionIsToldBeforeAContextThatHasEnded(t *testing.T) {
	each(t, byOption, func(t *testing.T, by way, s *submission) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.opts = []executor.TaskOption{executor.WithContext(ctx), executor.Jitter(-1)}
		s.task = pooltest.Nothing
		if err := by(s); t.Name() != "TestABadOptionIsToldBeforeAContextThatHasEnded/Turn.Submit" {
			assert.ErrorIs(t, err, executor.ErrInvalid)
		}
		assert.Zero(t, s.pool.Stats().Rejected+s.loop.Stats().Rejected)
	})
}

func TestANilContextNeverEnds(t *testing.T) {
	each(t, byOption, func(t *testing.T, by way, s *submission) {
		s.opts = []executor.TaskOption{executor.WithContext(nil)}
		assert.NotContains(t, tracesSeen(t, by, s), "a")
	})
}

func TestOfTwoOptionsTheLastHasTheValuesAndWithContextTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		ctx, cancel := context.WithCancel(traced(t, "a"))
		var seen any
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			seen = traceOf(ctx)
			<-ctx.Done()
			return nil
		}, executor.WithContext(ctx), executor.WithValues(traced(t, "b")))
		synctest.Wait()
		assert.Equal(t, "b", seen)
		cancel()
		synctest.Wait()
		assert.ErrorIs(t, pooltest.Outcome(t, f), context.Canceled)
	})
}

func TestTheEndOfItsContextEndsASeriesBetweenTwoRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		ctx, cancel := context.WithCancelCause(t.Context())
		runs := 0
		f := pooltest.AtFixedRate(t, p, 0, time.Second, func(ctx context.Context) error {
			runs++
			return ctx.Err()
		}, executor.WithContext(ctx))
		pass(2500 * time.Millisecond)
		cancel(errLeft)
		pass(time.Minute)
		assert.Equal(t, 3, runs)
		_, err := pooltest.Settled(t, f.Future)
		assert.ErrorIs(t, err, errLeft)
		pooltest.Balanced(t, &p.Pool)
	})
}

func TestASubmitterThatWaitsForRoomGivesUpWhenTheContextOfItsTaskEnds(t *testing.T) {
	for name, submit := range map[string]func(*executor.Pool, ...executor.TaskOption) error{
		"SubmitContext": func(p *executor.Pool, opts ...executor.TaskOption) error {
			return errorOf(p.SubmitContext(nil, pooltest.Nothing, opts...))
		},
		"Block": func(p *executor.Pool, opts ...executor.TaskOption) error {
			return errorOf(p.Submit(pooltest.Nothing, opts...))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
				gate := pooltest.NewGate(t)
				pooltest.Submit(t, p, gate.Hold)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(errLeft) })
				start := time.Now()
				err := submit(p, executor.WithContext(ctx))
				assert.Equal(t, time.Second, time.Since(start))
				assert.ErrorIs(t, err, executor.ErrSaturated)
				assert.ErrorIs(t, err, errLeft)
				assert.EqualValues(t, 1, p.Stats().Rejected)
				pooltest.Balanced(t, p)
			})
		})
	}
}

func TestTheEndOfItsContextEndsATaskThatItsSubmitterRuns(t *testing.T) {
	for name, submit := range map[string]func(*executor.Pool, executor.Task, ...executor.TaskOption) error{
		"CallerRuns": func(p *executor.Pool, task executor.Task, opts ...executor.TaskOption) error {
			return errorOf(p.Submit(task, opts...))
		},
		"from a task that finds no room": func(p *executor.Pool, task executor.Task, opts ...executor.TaskOption) error {
			return p.Execute(func(ctx context.Context) error { // the submitter runs this one
				return errorOf(p.SubmitContext(ctx, task, opts...))
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewDirectPool(t)
				ctx, cancel := context.WithCancelCause(traced(t, "a"))
				time.AfterFunc(time.Second, func() { cancel(errLeft) })
				var cause, trace any
				require.NoError(t, submit(p, func(ctx context.Context) error {
					trace = traceOf(ctx)
					<-ctx.Done()
					cause = context.Cause(ctx)
					return nil
				}, executor.WithContext(ctx)))
				assert.Equal(t, "a", trace)
				assert.Equal(t, errLeft, cause)
				synctest.Wait() // until the pool has heard of it
				assert.EqualValues(t, 1, p.Stats().Cancelled)
				pooltest.Balanced(t, p)
			})
		})
	}
}

func TestAStoppedTaskIsLeftToFinishWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		ctx, cancel := context.WithCancel(t.Context())
		var ended error
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			time.Sleep(time.Minute)
			ended = ctx.Err()
			return nil
		}, executor.WithContext(ctx))
		synctest.Wait()
		f.Stop()
		cancel()
		<-f.Stopped()
		assert.NoError(t, ended)
	})
}

// The context lives on; the tasks, with all that they had, do not.
func TestAContextThatLivesOnKeepsNoTaskThatHasEnded(t *testing.T) {
	for name, end := range map[string]func(p *executor.ScheduledPool, f *future.Future[*[64]byte]){
		"by its run":     func(_ *executor.ScheduledPool, f *future.Future[*[64]byte]) { _, _ = f.Get(nil) },
		"by cancelling":  func(_ *executor.ScheduledPool, f *future.Future[*[64]byte]) { f.Cancel() },
		"by a shutdown":  func(p *executor.ScheduledPool, _ *future.Future[*[64]byte]) { p.ShutdownNow() },
		"by its timeout": func(_ *executor.ScheduledPool, f *future.Future[*[64]byte]) { <-f.Stopped() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := pooltest.NewScheduledPool(t, 2)
			var tasks []weak.Pointer[[64]byte]
			for range 100 {
				load := new([64]byte)
				tasks = append(tasks, weak.Make(load))
				delay, limit := time.Duration(0), time.Minute
				switch name {
				case "by cancelling", "by a shutdown":
					delay = time.Hour
				case "by its timeout":
					limit = time.Nanosecond
				}
				f, err := executor.Schedule(p, delay, func(ctx context.Context) (*[64]byte, error) {
					if limit < time.Second {
						<-ctx.Done()
					}
					return load, nil
				}, executor.WithContext(ctx), executor.Timeout(limit))
				if name == "by a shutdown" && err != nil {
					break // the first has shut it down
				}
				require.NoError(t, err)
				end(p, f.Future)
			}
			require.NoError(t, p.Close())
			for i, task := range tasks {
				for n := 0; task.Value() != nil && n < 200; n++ { // a goroutine may be at its end still
					runtime.GC()
					time.Sleep(time.Millisecond)
				}
				assert.Nil(t, task.Value(), "task %d", i)
			}
			runtime.KeepAlive(ctx)
		})
	}
}

// Each costs a goroutine as long as it is not settled, and not longer.
func TestAForeignContextKeepsNoGoroutineForATaskThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		ctx := &ownContext{Context: t.Context(), done: make(chan struct{})}
		pooltest.Submit(t, p, pooltest.Nothing)
		synctest.Wait()
		before := pooltest.Goroutines()
		for range 50 {
			pooltest.Submit(t, p, pooltest.Nothing, executor.WithContext(ctx))
		}
		synctest.Wait()
		assert.Equal(t, before, pooltest.Goroutines())
		close(ctx.done)
	})
}
