package executor_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// lendWait has a task on p wait for child, and returns the future of how long that took and with what
// outcome.
func lendWait[V any](t *testing.T, p *executor.Pool, wait func(ctx context.Context) (V, error)) *future.Future[lendWaited] {
	t.Helper()
	return lendSubmit(t, p, func(ctx context.Context) (lendWaited, error) {
		start := time.Now()
		_, err := wait(ctx)
		return lendWaited{time.Since(start), err}, nil
	}, executor.Name("parent"))
}

type lendWaited struct {
	took time.Duration
	err  error
}

// lendTook returns how a wait has ended, which it must have.
func lendTook(t *testing.T, f *future.Future[lendWaited]) lendWaited {
	t.Helper()
	w, err := lendSettled(t, f)
	require.NoError(t, err)
	return w
}

func TestC4_GetTimeoutEndsAtItsTimeAndTheChildGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		tr := withNewTrace()
		var child *future.Future[struct{}]
		parent := lendWait(t, p, func(context.Context) (struct{}, error) {
			child, _ = p.Submit(func(context.Context) error {
				tr.mark("begun")
				defer tr.mark("ended")
				time.Sleep(10 * time.Second)
				return nil
			})
			return child.GetTimeout(3 * time.Second)
		})
		withPassed(3 * time.Second)
		w := lendTook(t, parent)
		assert.Equal(t, 3*time.Second, w.took)
		assert.ErrorIs(t, w.err, future.ErrTimeout)
		assert.Equal(t, future.Running, child.State())
		withPassed(time.Hour)
		assert.NoError(t, withOutcome(t, child))
		assert.Equal(t, []string{"begun 0s", "ended 10s"}, tr.seen())
	})
}

func TestC4_AWaitEndsWithItsContextAndTheChildGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		var child *future.Future[struct{}]
		parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ = p.Submit(withSleep(time.Hour))
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			return child.Get(ctx)
		})
		withPassed(time.Hour - 1)
		assert.Equal(t, lendWaited{time.Minute, context.DeadlineExceeded}, lendTook(t, parent))
		assert.Equal(t, future.Running, child.State())
		withPassed(1)
		assert.NoError(t, withOutcome(t, child))
	})
}

func TestC4_WhatIsWaitedForRunsAheadOfItsTurnAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		tr := withNewTrace()
		parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			for _, name := range []string{"a", "b"} {
				assert.NoError(t, p.Execute(tr.task(name)))
			}
			child, _ := p.Submit(func(context.Context) error {
				time.Sleep(time.Second)
				tr.mark("child")
				return nil
			})
			defer tr.mark("parent")
			return child.Get(ctx)
		})
		withPassed(time.Hour)
		assert.NoError(t, lendTook(t, parent).err)
		assert.Equal(t, []string{"child 1s", "parent 1s", "a 1s", "b 1s"}, tr.seen())
	})
}

func TestC4_AChildScheduledForLaterRunsExactlyAtItsTime(t *testing.T) {
	contexts := map[string]func(context.Context) context.Context{
		"own context": func(ctx context.Context) context.Context { return ctx },
		"background":  func(context.Context) context.Context { return context.Background() },
	}
	for name, with := range contexts {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := withPool(t, 1)
				tr := withNewTrace()
				parent := lendWait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
					child, _ := p.Schedule(time.Hour, tr.task("child"))
					return child.Get(with(ctx))
				})
				withPassed(time.Hour - 1)
				assert.Empty(t, tr.seen())
				withPassed(1)
				assert.Equal(t, []string{"child 1h0m0s"}, tr.seen())
				assert.Equal(t, lendWaited{took: time.Hour}, lendTook(t, parent))
			})
		})
	}
}

func TestC4_OfSeveralScheduledChildrenTheFirstToBeDueIsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		tr := withNewTrace()
		parent := lendWait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
			late, _ := p.Schedule(2*time.Hour, tr.task("late"))
			soon, _ := p.Schedule(time.Hour, tr.task("soon"))
			_, err := future.All(ctx, late.Future, soon.Future)
			return struct{}{}, err
		})
		withPassed(3 * time.Hour)
		assert.Equal(t, lendWaited{took: 2 * time.Hour}, lendTook(t, parent))
		assert.Equal(t, []string{"soon 1h0m0s", "late 2h0m0s"}, tr.seen())
	})
}

func TestC4_AChildIsNotRunInPlaceOfAWaitThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		tr := withNewTrace()
		parent := lendWait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Schedule(time.Hour, tr.task("child"))
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			v, err := child.Get(ctx)
			time.Sleep(2 * time.Hour)
			return v, err
		})
		withPassed(10 * time.Hour)
		assert.ErrorIs(t, lendTook(t, parent).err, context.DeadlineExceeded)
		assert.Equal(t, []string{"child 2h1m0s"}, tr.seen())
	})
}

func TestC4_ACancelledChildEndsTheWaitAndNeverRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		tr := withNewTrace()
		var child *executor.ScheduledFuture[struct{}]
		parent := lendWait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
			child, _ = p.Schedule(time.Hour, tr.task("child"))
			return child.Get(ctx)
		})
		withPassed(time.Minute)
		require.True(t, child.Cancel())
		withPassed(10 * time.Hour)
		assert.Equal(t, lendWaited{time.Minute, future.ErrCancelled}, lendTook(t, parent))
		assert.Empty(t, tr.seen())
		lendAccounted(t, &p.Pool)
	})
}

func TestC4_AChildCancelledWhileItRunsEndsTheWaitAtOnceAndItsBodyLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		var child *future.Future[struct{}]
		parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ = p.Submit(withSleep(time.Hour))
			return child.Get(ctx)
		})
		withPassed(time.Minute)
		require.True(t, child.Cancel())
		synctest.Wait()
		assert.Equal(t, lendWaited{time.Minute, future.ErrCancelled}, lendTook(t, parent))
		assert.False(t, withClosed(child.Stopped()))
		withPassed(59*time.Minute - 1)
		assert.False(t, withClosed(child.Stopped()))
		withPassed(1)
		assert.True(t, withClosed(child.Stopped()))
		lendAccounted(t, p)
	})
}

func TestC4_AChildWithATimeoutEndsTheWaitAtThatTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Submit(withSleep(time.Hour), executor.Timeout(time.Minute))
			return child.Get(ctx)
		})
		withPassed(10 * time.Hour)
		w := lendTook(t, parent)
		assert.Equal(t, time.Minute, w.took)
		assert.EqualError(t, w.err, "executor: timed out after 1m0s")
		lendAccounted(t, p)
	})
}

// A Goexit would end the parent as well, if it ran the child on its own goroutine.
func TestC4_AFailureOfAChildTouchesItsFutureOnly(t *testing.T) {
	bodies := map[string]struct {
		body    executor.Task
		outcome func(t *testing.T, err error)
	}{
		"error":  {withFailure, func(t *testing.T, err error) { assert.Equal(t, errWith, err) }},
		"Goexit": {withGoexit, func(t *testing.T, err error) { assert.Equal(t, future.ErrGoexit, err) }},
		"panic": {withPanic, func(t *testing.T, err error) {
			_, ok := errors.AsType[*future.PanicError](err)
			assert.True(t, ok, "%v", err)
		}},
	}
	for name, c := range bodies {
		t.Run(name, func(t *testing.T) {
			for kind, newPool := range map[string]lendMake{"plain": lendPlain, "scheduled": lendScheduled} {
				t.Run(kind, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						p := newPool(t, 1)
						parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
							child, _ := p.Submit(c.body)
							return child.Get(ctx)
						})
						after := lendSubmit(t, p, lendSeven)
						synctest.Wait()
						c.outcome(t, lendTook(t, parent).err)
						v, err := lendSettled(t, after)
						assert.NoError(t, err)
						assert.Equal(t, 7, v)
						assert.Equal(t, 1, poolGoroutines(), "one worker")
						lendAccounted(t, p)
					})
				})
			}
		})
	}
}

func TestC4_AWaitForAPeriodicTaskIsNoHelpButEndsWithItsCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		tr := withNewTrace()
		series := withRate(t, p, time.Second, time.Second, tr.task("run"))
		parent := lendWait(t, &p.Pool, series.Get)
		withPassed(time.Minute)
		assert.Empty(t, tr.seen())
		require.True(t, series.Cancel())
		synctest.Wait()
		assert.Equal(t, lendWaited{time.Minute, future.ErrCancelled}, lendTook(t, parent))
		lendAccounted(t, &p.Pool)
	})
}

func TestC4_ATaskThatWaitsForAChildOfAnotherPoolIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine, other := lendPlain(t, 1), lendPlain(t, 1)
		require.NoError(t, other.Execute(withSleep(time.Hour)))
		synctest.Wait()
		parent := lendWait(t, mine, lendSubmit(t, other, lendSeven).Get)
		next := lendSubmit(t, mine, lendSeven)
		withPassed(time.Hour - 1)
		assert.Equal(t, 1, other.Stats().Queued)
		assert.Equal(t, []int{1, 1}, []int{mine.Stats().Busy, mine.Stats().Queued})
		withPassed(1)
		assert.Equal(t, lendWaited{took: time.Hour}, lendTook(t, parent))
		_, err := lendSettled(t, next)
		assert.NoError(t, err)
	})
}

func TestC4_AnOutsiderThatWaitsOvertakesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		require.NoError(t, p.Execute(withSleep(time.Hour)))
		synctest.Wait()
		start := time.Now()
		_, err := lendSubmit(t, p, lendSeven).Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}
