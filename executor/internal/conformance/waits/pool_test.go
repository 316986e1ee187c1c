package waits_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// lendHelped has a pool of one run a parent that waits for a child, which heeds its context and
// otherwise takes an hour.
func lendHelped(t *testing.T, p *executor.Pool) (parent *future.Future[pooltest.Waited], child *future.Future[struct{}]) {
	t.Helper()
	parent = pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
		child, _ = p.Submit(func(ctx context.Context) error {
			select {
			case <-time.After(time.Hour):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}, executor.Name("child"))
		return child.Get(ctx)
	})
	synctest.Wait()
	require.Equal(t, future.Running, child.State())
	return parent, child
}

func TestC4_ShutdownLetsParentAndChildEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		parent, child := lendHelped(t, p)
		next := pooltest.SubmitFunc(t, p, pooltest.Seven)
		p.Shutdown()
		start := time.Now()
		<-p.Terminated()
		assert.Equal(t, time.Hour, time.Since(start))
		assert.NoError(t, pooltest.Outcome(t, child))
		assert.Equal(t, pooltest.Waited{Took: time.Hour}, pooltest.Took(t, parent))
		_, err := pooltest.Settled(t, next)
		assert.NoError(t, err)
		pooltest.Balanced(t, p)
	})
}

func TestC4_CloseWaitsForAHelperAsForAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Submit(pooltest.Sleep(time.Hour))
			return child.GetTimeout(time.Second)
		})
		probe.Elapse(time.Minute)
		require.ErrorIs(t, pooltest.Took(t, parent).Err, future.ErrTimeout)
		start := time.Now()
		require.NoError(t, p.Close())
		assert.Equal(t, 59*time.Minute, time.Since(start))
	})
}

func TestC4_AfterShutdownAChildIsStillRunAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		parent := pooltest.Wait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Schedule(time.Hour, pooltest.Nothing)
			return child.Get(ctx)
		})
		probe.Elapse(time.Minute)
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, pooltest.Waited{Took: time.Hour}, pooltest.Took(t, parent))
		pooltest.Balanced(t, &p.Pool)
	})
}

func TestC4_ShutdownNowEndsTheContextsOfParentAndChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		parent, child := lendHelped(t, p)
		assert.Empty(t, p.ShutdownNow())
		<-p.Terminated()
		assert.Equal(t, executor.ErrShutdown, pooltest.Outcome(t, child))
		w := pooltest.Took(t, parent)
		assert.Zero(t, w.Took)
		assert.ErrorIs(t, w.Err, executor.ErrShutdown)
		pooltest.Balanced(t, p)
	})
}

func TestC4_ShutdownNowReturnsAChildThatIsNotDueAndEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		var child *executor.ScheduledFuture[struct{}]
		parent := pooltest.Wait(t, &p.Pool, func(context.Context) (struct{}, error) {
			child, _ = p.Schedule(time.Hour, tr.Task("child"), executor.Name("child"))
			return child.Get(context.Background())
		})
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"child"}, pooltest.Names(p.ShutdownNow()))
		<-p.Terminated()
		pooltest.CancelledByShutdown(t, child.Future)
		w := pooltest.Took(t, parent)
		assert.Equal(t, time.Minute, w.Took)
		assert.ErrorIs(t, w.Err, executor.ErrShutdown)
		probe.Elapse(time.Hour)
		assert.Empty(t, tr.Seen())
	})
}

func TestC4_TheStatisticsTellOfParentAndChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		lendHelped(t, p)
		_, err := p.Submit(pooltest.Nothing, executor.Name("next"))
		require.NoError(t, err)
		s := p.Stats()
		assert.Equal(t, []int{2, 1, 1, 1}, []int{s.Busy, s.Workers, s.Largest, s.Queued})
		var running []string
		for _, r := range p.Running() {
			running = append(running, r.Name)
		}
		slices.Sort(running)
		assert.Equal(t, []string{"child", "parent"}, running)
		assert.Equal(t, []string{"next"}, pooltest.Names(p.Queued()))
		probe.Elapse(time.Hour)
		s = p.Stats()
		assert.Equal(t, []int{0, 1, 1, 0}, []int{s.Busy, s.Workers, s.Largest, s.Queued})
		assert.Equal(t, []uint64{3, 3, 3}, []uint64{s.Accepted, s.Completed, s.Runs})
	})
}

func TestC4_WaitsThatTimeOutDoNotStartEverMoreChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var begun atomic.Int32
		parent := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			for range 100 {
				child, _ := p.Submit(func(context.Context) error {
					begun.Add(1)
					time.Sleep(time.Hour)
					return nil
				})
				_, err := child.GetTimeout(time.Second)
				assert.ErrorIs(t, err, future.ErrTimeout)
			}
			return 0, nil
		})
		probe.Elapse(100*time.Second - 1)
		assert.Equal(t, []int{3, 98}, []int{p.Stats().Busy, p.Stats().Queued})
		assert.EqualValues(t, 2, begun.Load(), "the pool is overdrawn by its size")
		probe.Elapse(1)
		_, err := pooltest.Settled(t, parent)
		require.NoError(t, err)
		probe.Elapse(100 * time.Hour)
		assert.EqualValues(t, 100, begun.Load())
		pooltest.Balanced(t, p)
	})
}

func TestC4_AfterAWaitThatHasTimedOutTheNextChildIsHelpedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		tr := pooltest.NewTrace()
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			pooltest.Overdraw(t, ctx, p, 1)
			short, _ := p.Submit(tr.Task("short"))
			return short.Get(ctx)
		})
		probe.Elapse(2 * time.Hour)
		assert.Equal(t, pooltest.Waited{Took: time.Second}, pooltest.Took(t, parent))
		assert.Equal(t, []string{"short 1s"}, tr.Seen())
	})
}

func TestC4_APoolOverdrawnByItsSizeHelpsAgainWhenABodyTooManyHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		tr := pooltest.NewTrace()
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			pooltest.Overdraw(t, ctx, p, 2)
			short, _ := p.Submit(tr.Task("short"))
			return short.Get(ctx)
		})
		probe.Elapse(2 * time.Hour)
		assert.Equal(t, pooltest.Waited{Took: time.Hour}, pooltest.Took(t, parent))
		assert.Equal(t, []string{"short 1h0m0s"}, tr.Seen())
	})
}

func TestC4_AnOverdrawnPoolTakesNothingNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		tr := pooltest.NewTrace()
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			pooltest.Overdraw(t, ctx, p, 1)
			return struct{}{}, nil
		})
		synctest.Wait()
		require.NoError(t, p.Execute(tr.Task("next")))
		probe.Elapse(2 * time.Hour)
		assert.Equal(t, pooltest.Waited{Took: time.Second}, pooltest.Took(t, parent))
		assert.Equal(t, []string{"next 1h0m0s"}, tr.Seen())
	})
}

func TestC4_AnOverdrawnPoolStillHelpsAChildThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var child *future.Future[struct{}]
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ = p.Submit(func(ctx context.Context) error {
				grandchild, _ := p.Submit(pooltest.Sleep(time.Hour))
				_, err := grandchild.Get(ctx)
				return err
			})
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return child.Get(ctx)
		})
		probe.Elapse(time.Hour)
		assert.ErrorIs(t, pooltest.Took(t, parent).Err, context.DeadlineExceeded)
		assert.NoError(t, pooltest.Outcome(t, child))
		pooltest.Balanced(t, p)
	})
}

func TestC4_AChildThatIsHelpedMakesRoomInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)))
		pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Submit(pooltest.Sleep(time.Hour))
			time.Sleep(time.Minute)
			return child.Get(ctx)
		})
		synctest.Wait()
		start := time.Now()
		_, err := p.SubmitContext(t.Context(), pooltest.Nothing)
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

func TestC4_HooksAndDecorationAreThoseOfEveryTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := pooltest.NewTrace()
		var decorated pooltest.Decorator
		p := pooltest.NewPool(t, 1, executor.Decorate(decorated.Decorate),
			executor.BeforeRun(func(_ context.Context, run executor.Run) { tr.Mark("before " + run.Name) }),
			executor.AfterRun(func(_ context.Context, run executor.Run, err error) { tr.Mark("after " + run.Name) }))
		// The order of what follows the child is not told: its future is settled before its hook.
		lendHelped(t, p)
		assert.Equal(t, []string{"before parent 0s", "before child 0s"}, tr.Seen())
		probe.Elapse(time.Hour)
		assert.ElementsMatch(t, []string{"after child 1h0m0s", "after parent 1h0m0s"}, tr.Seen()[2:])
		assert.EqualValues(t, 2, decorated.Runs.Load())
	})
}

func TestC4_AChildThatTwoWaitForRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		tr := pooltest.NewTrace()
		child := pooltest.Schedule(t, p, time.Second, tr.Task("child"))
		a, b := pooltest.Wait(t, &p.Pool, child.Get), pooltest.Wait(t, &p.Pool, child.Get)
		probe.Elapse(time.Hour)
		assert.Equal(t, pooltest.Waited{Took: time.Second}, pooltest.Took(t, a))
		assert.Equal(t, pooltest.Waited{Took: time.Second}, pooltest.Took(t, b))
		assert.Equal(t, []string{"child 1s"}, tr.Seen())
		pooltest.Balanced(t, &p.Pool)
	})
}
