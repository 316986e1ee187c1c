package executor_test

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
	"github.com/punctual-go/punctual/future"
)

// lendHelped has a pool of one run a parent that waits for a child, which heeds its context and
// otherwise takes an hour.
func lendHelped(t *testing.T, p *executor.Pool) (parent *future.Future[lendWaited], child *future.Future[struct{}]) {
	t.Helper()
	parent = lendWait(t, p, func(ctx context.Context) (struct{}, error) {
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
		p := lendPlain(t, 1)
		parent, child := lendHelped(t, p)
		next := lendSubmit(t, p, lendSeven)
		p.Shutdown()
		start := time.Now()
		<-p.Terminated()
		assert.Equal(t, time.Hour, time.Since(start))
		assert.NoError(t, withOutcome(t, child))
		assert.Equal(t, lendWaited{took: time.Hour}, lendTook(t, parent))
		_, err := lendSettled(t, next)
		assert.NoError(t, err)
		lendAccounted(t, p)
	})
}

func TestC4_CloseWaitsForAHelperAsForAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Submit(withSleep(time.Hour))
			return child.GetTimeout(time.Second)
		})
		withPassed(time.Minute)
		require.ErrorIs(t, lendTook(t, parent).err, future.ErrTimeout)
		start := time.Now()
		require.NoError(t, p.Close())
		assert.Equal(t, 59*time.Minute, time.Since(start))
	})
}

func TestC4_AfterShutdownAChildIsStillRunAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		parent := lendWait(t, &p.Pool, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Schedule(time.Hour, withNothing)
			return child.Get(ctx)
		})
		withPassed(time.Minute)
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, lendWaited{took: time.Hour}, lendTook(t, parent))
		lendAccounted(t, &p.Pool)
	})
}

func TestC4_ShutdownNowEndsTheContextsOfParentAndChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		parent, child := lendHelped(t, p)
		assert.Empty(t, p.ShutdownNow())
		<-p.Terminated()
		assert.Equal(t, executor.ErrShutdown, withOutcome(t, child))
		w := lendTook(t, parent)
		assert.Zero(t, w.took)
		assert.ErrorIs(t, w.err, executor.ErrShutdown)
		lendAccounted(t, p)
	})
}

func TestC4_ShutdownNowReturnsAChildThatIsNotDueAndEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		tr := withNewTrace()
		var child *executor.ScheduledFuture[struct{}]
		parent := lendWait(t, &p.Pool, func(context.Context) (struct{}, error) {
			child, _ = p.Schedule(time.Hour, tr.task("child"), executor.Name("child"))
			return child.Get(context.Background())
		})
		withPassed(time.Minute)
		assert.Equal(t, []string{"child"}, withNames(p.ShutdownNow()))
		<-p.Terminated()
		withShutDown(t, child.Future)
		w := lendTook(t, parent)
		assert.Equal(t, time.Minute, w.took)
		assert.ErrorIs(t, w.err, executor.ErrShutdown)
		withPassed(time.Hour)
		assert.Empty(t, tr.seen())
	})
}

func TestC4_TheStatisticsTellOfParentAndChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		lendHelped(t, p)
		_, err := p.Submit(withNothing, executor.Name("next"))
		require.NoError(t, err)
		s := p.Stats()
		assert.Equal(t, []int{2, 1, 1, 1}, []int{s.Busy, s.Workers, s.Largest, s.Queued})
		var running []string
		for _, r := range p.Running() {
			running = append(running, r.Name)
		}
		slices.Sort(running)
		assert.Equal(t, []string{"child", "parent"}, running)
		assert.Equal(t, []string{"next"}, withNames(p.Queued()))
		withPassed(time.Hour)
		s = p.Stats()
		assert.Equal(t, []int{0, 1, 1, 0}, []int{s.Busy, s.Workers, s.Largest, s.Queued})
		assert.Equal(t, []uint64{3, 3, 3}, []uint64{s.Accepted, s.Completed, s.Runs})
	})
}

func TestC4_WaitsThatTimeOutDoNotStartEverMoreChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		var begun atomic.Int32
		parent := lendSubmit(t, p, func(ctx context.Context) (int, error) {
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
		withPassed(100*time.Second - 1)
		assert.Equal(t, []int{3, 98}, []int{p.Stats().Busy, p.Stats().Queued})
		assert.EqualValues(t, 2, begun.Load(), "the pool is overdrawn by its size")
		withPassed(1)
		_, err := lendSettled(t, parent)
		require.NoError(t, err)
		withPassed(100 * time.Hour)
		assert.EqualValues(t, 100, begun.Load())
		lendAccounted(t, p)
	})
}

// lendStuck has a run of p wait for a child that takes an hour, for a second only, n times.
func lendStuck(t *testing.T, ctx context.Context, p *executor.Pool, n int) {
	for range n {
		stuck, _ := p.Submit(withSleep(time.Hour))
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		_, err := stuck.Get(ctx)
		cancel()
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

func TestC4_AfterAWaitThatHasTimedOutTheNextChildIsHelpedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		tr := withNewTrace()
		parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			lendStuck(t, ctx, p, 1)
			short, _ := p.Submit(tr.task("short"))
			return short.Get(ctx)
		})
		withPassed(2 * time.Hour)
		assert.Equal(t, lendWaited{took: time.Second}, lendTook(t, parent))
		assert.Equal(t, []string{"short 1s"}, tr.seen())
	})
}

func TestC4_APoolOverdrawnByItsSizeHelpsAgainWhenABodyTooManyHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		tr := withNewTrace()
		parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			lendStuck(t, ctx, p, 2)
			short, _ := p.Submit(tr.task("short"))
			return short.Get(ctx)
		})
		withPassed(2 * time.Hour)
		assert.Equal(t, lendWaited{took: time.Hour}, lendTook(t, parent))
		assert.Equal(t, []string{"short 1h0m0s"}, tr.seen())
	})
}

func TestC4_AnOverdrawnPoolTakesNothingNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		tr := withNewTrace()
		parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			lendStuck(t, ctx, p, 1)
			return struct{}{}, nil
		})
		synctest.Wait()
		require.NoError(t, p.Execute(tr.task("next")))
		withPassed(2 * time.Hour)
		assert.Equal(t, lendWaited{took: time.Second}, lendTook(t, parent))
		assert.Equal(t, []string{"next 1h0m0s"}, tr.seen())
	})
}

func TestC4_AnOverdrawnPoolStillHelpsAChildThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		var child *future.Future[struct{}]
		parent := lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ = p.Submit(func(ctx context.Context) error {
				grandchild, _ := p.Submit(withSleep(time.Hour))
				_, err := grandchild.Get(ctx)
				return err
			})
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return child.Get(ctx)
		})
		withPassed(time.Hour)
		assert.ErrorIs(t, lendTook(t, parent).err, context.DeadlineExceeded)
		assert.NoError(t, withOutcome(t, child))
		lendAccounted(t, p)
	})
}

func TestC4_AChildThatIsHelpedMakesRoomInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1, executor.BoundedFIFO(1))
		lendWait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Submit(withSleep(time.Hour))
			time.Sleep(time.Minute)
			return child.Get(ctx)
		})
		synctest.Wait()
		start := time.Now()
		_, err := p.SubmitContext(t.Context(), withNothing)
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

func TestC4_HooksAndDecorationAreThoseOfEveryTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := withNewTrace()
		var decorated withCounting
		p := lendPlain(t, 1, executor.Decorate(decorated.decorate),
			executor.BeforeRun(func(_ context.Context, run executor.Run) { tr.mark("before " + run.Name) }),
			executor.AfterRun(func(_ context.Context, run executor.Run, err error) { tr.mark("after " + run.Name) }))
		// The order of what follows the child is not told: its future is settled before its hook.
		lendHelped(t, p)
		assert.Equal(t, []string{"before parent 0s", "before child 0s"}, tr.seen())
		withPassed(time.Hour)
		assert.ElementsMatch(t, []string{"after child 1h0m0s", "after parent 1h0m0s"}, tr.seen()[2:])
		assert.EqualValues(t, 2, decorated.runs.Load())
	})
}

func TestC4_AChildThatTwoWaitForRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 2)
		tr := withNewTrace()
		child := withSchedule(t, p, time.Second, tr.task("child"))
		a, b := lendWait(t, &p.Pool, child.Get), lendWait(t, &p.Pool, child.Get)
		withPassed(time.Hour)
		assert.Equal(t, lendWaited{took: time.Second}, lendTook(t, a))
		assert.Equal(t, lendWaited{took: time.Second}, lendTook(t, b))
		assert.Equal(t, []string{"child 1s"}, tr.seen())
		lendAccounted(t, &p.Pool)
	})
}
