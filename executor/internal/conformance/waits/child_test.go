package waits_test

import (
	"context"
	"errors"
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

func TestC4_GetTimeoutEndsAtItsTimeAndTheChildGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		tr := pooltest.NewTrace()
		var child *future.Future[struct{}]
		parent := pooltest.Wait(t, p, func(context.Context) (struct{}, error) {
			child, _ = p.Submit(func(context.Context) error {
				tr.Mark("begun")
				defer tr.Mark("ended")
				time.Sleep(10 * time.Second)
				return nil
			})
			return child.GetTimeout(3 * time.Second)
		})
		probe.Elapse(3 * time.Second)
		w := pooltest.Took(t, parent)
		assert.Equal(t, 3*time.Second, w.Took)
		assert.ErrorIs(t, w.Err, future.ErrTimeout)
		assert.Equal(t, future.Running, child.State())
		probe.Elapse(time.Hour)
		assert.NoError(t, pooltest.Outcome(t, child))
		assert.Equal(t, []string{"begun 0s", "ended 10s"}, tr.Seen())
	})
}

func TestC4_AWaitEndsWithItsContextAndTheChildGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var child *future.Future[struct{}]
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ = p.Submit(pooltest.Sleep(time.Hour))
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			return child.Get(ctx)
		})
		probe.Elapse(time.Hour - 1)
		assert.Equal(t, pooltest.Waited{Took: time.Minute, Err: context.DeadlineExceeded}, pooltest.Took(t, parent))
		assert.Equal(t, future.Running, child.State())
		probe.Elapse(1)
		assert.NoError(t, pooltest.Outcome(t, child))
	})
}

func TestC4_WhatIsWaitedForRunsAheadOfItsTurnAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		tr := pooltest.NewTrace()
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			for _, name := range []string{"a", "b"} {
				assert.NoError(t, p.Execute(tr.Task(name)))
			}
			child, _ := p.Submit(func(context.Context) error {
				time.Sleep(time.Second)
				tr.Mark("child")
				return nil
			})
			defer tr.Mark("parent")
			return child.Get(ctx)
		})
		probe.Elapse(time.Hour)
		assert.NoError(t, pooltest.Took(t, parent).Err)
		assert.Equal(t, []string{"child 1s", "parent 1s", "a 1s", "b 1s"}, tr.Seen())
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
				p := pooltest.NewScheduledPool(t, 1)
				tr := pooltest.NewTrace()
				parent := pooltest.Wait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
					child, _ := p.Schedule(time.Hour, tr.Task("child"))
					return child.Get(with(ctx))
				})
				probe.Elapse(time.Hour - 1)
				assert.Empty(t, tr.Seen())
				probe.Elapse(1)
				assert.Equal(t, []string{"child 1h0m0s"}, tr.Seen())
				assert.Equal(t, pooltest.Waited{Took: time.Hour}, pooltest.Took(t, parent))
			})
		})
	}
}

func TestC4_OfSeveralScheduledChildrenTheFirstToBeDueIsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		parent := pooltest.Wait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
			late, _ := p.Schedule(2*time.Hour, tr.Task("late"))
			soon, _ := p.Schedule(time.Hour, tr.Task("soon"))
			_, err := future.All(ctx, late.Future, soon.Future)
			return struct{}{}, err
		})
		probe.Elapse(3 * time.Hour)
		assert.Equal(t, pooltest.Waited{Took: 2 * time.Hour}, pooltest.Took(t, parent))
		assert.Equal(t, []string{"soon 1h0m0s", "late 2h0m0s"}, tr.Seen())
	})
}

func TestC4_AChildIsNotRunInPlaceOfAWaitThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		parent := pooltest.Wait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Schedule(time.Hour, tr.Task("child"))
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			v, err := child.Get(ctx)
			time.Sleep(2 * time.Hour)
			return v, err
		})
		probe.Elapse(10 * time.Hour)
		assert.ErrorIs(t, pooltest.Took(t, parent).Err, context.DeadlineExceeded)
		assert.Equal(t, []string{"child 2h1m0s"}, tr.Seen())
	})
}

func TestC4_ACancelledChildEndsTheWaitAndNeverRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		var child *executor.ScheduledFuture[struct{}]
		parent := pooltest.Wait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
			child, _ = p.Schedule(time.Hour, tr.Task("child"))
			return child.Get(ctx)
		})
		probe.Elapse(time.Minute)
		require.True(t, child.Cancel())
		probe.Elapse(10 * time.Hour)
		assert.Equal(t, pooltest.Waited{Took: time.Minute, Err: future.ErrCancelled}, pooltest.Took(t, parent))
		assert.Empty(t, tr.Seen())
		pooltest.Balanced(t, &p.Pool)
	})
}

func TestC4_AChildCancelledWhileItRunsEndsTheWaitAtOnceAndItsBodyLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var child *future.Future[struct{}]
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ = p.Submit(pooltest.Sleep(time.Hour))
			return child.Get(ctx)
		})
		probe.Elapse(time.Minute)
		require.True(t, child.Cancel())
		synctest.Wait()
		assert.Equal(t, pooltest.Waited{Took: time.Minute, Err: future.ErrCancelled}, pooltest.Took(t, parent))
		assert.False(t, probe.IsClosed(child.Stopped()))
		probe.Elapse(59*time.Minute - 1)
		assert.False(t, probe.IsClosed(child.Stopped()))
		probe.Elapse(1)
		assert.True(t, probe.IsClosed(child.Stopped()))
		pooltest.Balanced(t, p)
	})
}

func TestC4_AChildWithATimeoutEndsTheWaitAtThatTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Submit(pooltest.Sleep(time.Hour), executor.Timeout(time.Minute))
			return child.Get(ctx)
		})
		probe.Elapse(10 * time.Hour)
		w := pooltest.Took(t, parent)
		assert.Equal(t, time.Minute, w.Took)
		assert.EqualError(t, w.Err, "executor: timed out after 1m0s")
		pooltest.Balanced(t, p)
	})
}

// A Goexit would end the parent as well, if it ran the child on its own goroutine.
func TestC4_AFailureOfAChildTouchesItsFutureOnly(t *testing.T) {
	bodies := map[string]struct {
		body    executor.Task
		outcome func(t *testing.T, err error)
	}{
		"error":  {pooltest.Fail, func(t *testing.T, err error) { assert.Equal(t, pooltest.ErrTask, err) }},
		"Goexit": {pooltest.Goexit, func(t *testing.T, err error) { assert.Equal(t, future.ErrGoexit, err) }},
		"panic": {pooltest.Panic, func(t *testing.T, err error) {
			ok := errors.As(err, new(*future.PanicError))
			assert.True(t, ok, "%v", err)
		}},
	}
	for name, c := range bodies {
		t.Run(name, func(t *testing.T) {
			for kind, newPool := range map[string]pooltest.Maker{"plain": pooltest.NewPool, "scheduled": pooltest.Scheduled} {
				t.Run(kind, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						p := newPool(t, 1)
						parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
							child, _ := p.Submit(c.body)
							return child.Get(ctx)
						})
						after := pooltest.SubmitFunc(t, p, pooltest.Seven)
						synctest.Wait()
						c.outcome(t, pooltest.Took(t, parent).Err)
						v, err := pooltest.Settled(t, after)
						assert.NoError(t, err)
						assert.Equal(t, 7, v)
						assert.Equal(t, 1, pooltest.Goroutines(), "one worker")
						pooltest.Balanced(t, p)
					})
				})
			}
		})
	}
}

func TestC4_AWaitForAPeriodicTaskIsNoHelpButEndsWithItsCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		series := pooltest.AtFixedRate(t, p, time.Second, time.Second, tr.Task("run"))
		parent := pooltest.Wait(t, &p.Pool, series.Get)
		probe.Elapse(time.Minute)
		assert.Empty(t, tr.Seen())
		require.True(t, series.Cancel())
		synctest.Wait()
		assert.Equal(t, pooltest.Waited{Took: time.Minute, Err: future.ErrCancelled}, pooltest.Took(t, parent))
		pooltest.Balanced(t, &p.Pool)
	})
}

func TestC4_ATaskThatWaitsForAChildOfAnotherPoolIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine, other := pooltest.NewPool(t, 1), pooltest.NewPool(t, 1)
		require.NoError(t, other.Execute(pooltest.Sleep(time.Hour)))
		synctest.Wait()
		parent := pooltest.Wait(t, mine, pooltest.SubmitFunc(t, other, pooltest.Seven).Get)
		next := pooltest.SubmitFunc(t, mine, pooltest.Seven)
		probe.Elapse(time.Hour - 1)
		assert.Equal(t, 1, other.Stats().Queued)
		assert.Equal(t, []int{1, 1}, []int{mine.Stats().Busy, mine.Stats().Queued})
		probe.Elapse(1)
		assert.Equal(t, pooltest.Waited{Took: time.Hour}, pooltest.Took(t, parent))
		_, err := pooltest.Settled(t, next)
		assert.NoError(t, err)
	})
}

func TestC4_AnOutsiderThatWaitsOvertakesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		require.NoError(t, p.Execute(pooltest.Sleep(time.Hour)))
		synctest.Wait()
		start := time.Now()
		_, err := pooltest.SubmitFunc(t, p, pooltest.Seven).Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}
