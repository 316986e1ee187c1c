package es_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
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

// groupGo adds tasks that must be accepted.
func groupGo(t *testing.T, g *executor.Group, tasks ...executor.Task) {
	t.Helper()
	for _, task := range tasks {
		require.NoError(t, g.Go(task))
	}
}

// groupFails is a task that fails with err after a time.
func groupFails(err error, after time.Duration) executor.Task {
	return func(context.Context) error {
		time.Sleep(after)
		return err
	}
}

// groupHeed is a task that notes the cause of the end of its context, which must come within an
// hour.
func groupHeed(seen *error) executor.Task {
	return func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			*seen = context.Cause(ctx)
		case <-time.After(time.Hour):
		}
		return *seen
	}
}

// groupCount is a task that counts its runs.
func groupCount(runs *atomic.Int32) executor.Task {
	return func(context.Context) error {
		runs.Add(1)
		return nil
	}
}

func TestGroupOfTasksThatSucceedEndsWithoutError(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		g := executor.NewGroup(t.Context(), p.Submitter)
		var runs atomic.Int32
		for range 10 {
			groupGo(t, g, groupCount(&runs))
		}
		assert.NoError(t, g.Wait())
		assert.EqualValues(t, 10, runs.Load())
	})
}

func TestGroupOnANilPoolPanics(t *testing.T) {
	assert.PanicsWithValue(t, "executor: nil pool", func() { executor.NewGroup(t.Context(), nil) })
}

func TestGroupWithoutMembersDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.NoError(t, executor.NewGroup(nil, pooltest.NewPool(t, 1)).Wait())
		assert.NoError(t, executor.NewGroup(t.Context(), pooltest.NewPool(t, 1)).Wait())
	})
}

func TestGroupWaitsForAllOfItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := executor.NewGroup(nil, pooltest.NewPool(t, 2))
		groupGo(t, g, pooltest.Sleep(time.Second), pooltest.Sleep(3*time.Second), pooltest.Sleep(time.Second))
		start := time.Now()
		assert.NoError(t, g.Wait())
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestGroupTheFirstFailureCancelsTheOthersWithTheFailureAsTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 3)
		g := executor.NewGroup(t.Context(), p)
		var seen [2]error
		groupGo(t, g, groupHeed(&seen[0]), groupFails(pooltest.ErrTask, time.Second), groupHeed(&seen[1]))
		start := time.Now()
		assert.Equal(t, pooltest.ErrTask, g.Wait())
		assert.Equal(t, time.Second, time.Since(start))
		assert.Equal(t, [2]error{pooltest.ErrTask, pooltest.ErrTask}, seen)
		assert.EqualValues(t, 2, p.Stats().Cancelled)
	})
}

func TestGroupAfterAFailureThoseThatWaitDoNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		g := executor.NewGroup(t.Context(), p)
		var runs atomic.Int32
		groupGo(t, g, groupFails(pooltest.ErrTask, time.Second))
		for range 5 {
			groupGo(t, g, groupCount(&runs))
		}
		assert.Equal(t, pooltest.ErrTask, g.Wait())
		synctest.Wait()
		assert.Zero(t, runs.Load())
		s := p.Stats()
		assert.Equal(t, []uint64{6, 1, 5}, []uint64{s.Accepted, s.Completed, s.Cancelled})
		assert.Zero(t, s.Queued)
	})
}

func TestGroupTheFirstErrorIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := executor.NewGroup(t.Context(), pooltest.NewPool(t, 3))
		groupGo(t, g, groupFails(errors.New("late"), 3*time.Second), groupFails(pooltest.ErrTask, time.Second),
			groupFails(errors.New("between"), 2*time.Second))
		assert.Equal(t, pooltest.ErrTask, g.Wait())
		assert.Equal(t, pooltest.ErrTask, g.Wait())
	})
}

// A worker that settles a future wakes those who wait for it before it tells the group.
func TestGroupWaitNeverMissesAFailure(t *testing.T) {
	p := executor.NewPool(2)
	defer func() { assert.NoError(t, p.Close()) }()
	for round := range 50000 {
		g := executor.NewGroup(t.Context(), p)
		groupGo(t, g, pooltest.Fail)
		require.Equal(t, pooltest.ErrTask, g.Wait(), "round %d", round)
	}
}

func TestGroupWaitsForBodiesThatDoNotHeedTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := executor.NewGroup(t.Context(), pooltest.NewPool(t, 2))
		over := false
		groupGo(t, g, groupFails(pooltest.ErrTask, time.Second), func(context.Context) error {
			time.Sleep(time.Hour)
			over = true
			return nil
		})
		start := time.Now()
		assert.Equal(t, pooltest.ErrTask, g.Wait())
		assert.True(t, over)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestGroupTheEndOfItsContextCancelsItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(errESCause) })
		g := executor.NewGroup(ctx, p)
		var seen error
		var runs atomic.Int32
		groupGo(t, g, groupHeed(&seen), groupCount(&runs))
		start := time.Now()
		err := g.Wait()
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, errESCause)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.ErrorIs(t, seen, errESCause)
		assert.Zero(t, runs.Load())
		synctest.Wait() // the future is settled before the run is accounted for
		s := p.Stats()
		assert.Equal(t, []int{0, 0}, []int{s.Busy, s.Queued})
	})
}

func TestGroupWaitGoesOnAfterTheEndOfTheContextUntilTheBodiesReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := executor.NewGroup(esTimed(t, time.Minute), pooltest.NewPool(t, 1))
		groupGo(t, g, pooltest.Sleep(time.Hour))
		start := time.Now()
		assert.ErrorIs(t, g.Wait(), context.DeadlineExceeded)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestGroupAfterAFailureGoStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		g := executor.NewGroup(t.Context(), p)
		groupGo(t, g, pooltest.Fail, pooltest.Sleep(time.Hour))
		synctest.Wait()
		for range 2 { // before and after Wait
			err := g.Go(pooltest.Nothing)
			assert.ErrorIs(t, err, future.ErrCancelled)
			assert.ErrorIs(t, err, pooltest.ErrTask)
			assert.Equal(t, pooltest.ErrTask, g.Wait())
		}
		s := p.Stats()
		assert.Equal(t, []uint64{2, 0}, []uint64{s.Accepted, s.Rejected})
	})
}

func TestGroupAfterTheEndOfItsContextGoStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		g := executor.NewGroup(esEnded(t), p)
		err := g.Go(pooltest.Nothing)
		assert.ErrorIs(t, err, future.ErrCancelled)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, errESCause)
		assert.Zero(t, p.Stats().Accepted)
	})
}

func TestGroupThatStartedNothingBecauseOfItsContextSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := executor.NewGroup(esEnded(t), pooltest.NewPool(t, 1))
		require.Error(t, g.Go(pooltest.Nothing))
		assert.ErrorIs(t, g.Wait(), errESCause)
	})
}

func TestGroupARefusedTaskIsReportedByGoAndTheGroupGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.HandOff())
		g := executor.NewGroup(t.Context(), p)
		groupGo(t, g, pooltest.Sleep(time.Second))
		assert.Equal(t, executor.ErrSaturated, g.Go(pooltest.Nothing))
		assert.Equal(t, executor.ErrNilTask, g.Go(nil))
		assert.ErrorIs(t, g.Go(pooltest.Nothing, executor.Timeout(-1)), executor.ErrInvalid)
		assert.NoError(t, g.Wait())
		synctest.Wait() // until the worker is idle
		groupGo(t, g, pooltest.Nothing)
		assert.NoError(t, g.Wait())
		p.Shutdown()
		assert.Equal(t, executor.ErrShutdown, g.Go(pooltest.Nothing))
		assert.NoError(t, g.Wait())
	})
}

func TestGroupMayBeUsedAgainAfterWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		g := executor.NewGroup(ctx, pooltest.NewPool(t, 2))
		var runs atomic.Int32
		for range 3 {
			groupGo(t, g, groupCount(&runs), groupCount(&runs))
			assert.NoError(t, g.Wait())
		}
		assert.EqualValues(t, 6, runs.Load())

		var seen error // the context is watched again
		groupGo(t, g, groupHeed(&seen))
		synctest.Wait()
		cancel(errESCause)
		assert.ErrorIs(t, g.Wait(), errESCause)
		assert.ErrorIs(t, seen, errESCause)
	})
}

func TestGroupManyMayWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, want := range []error{nil, pooltest.ErrTask} {
			g := executor.NewGroup(t.Context(), pooltest.NewPool(t, 3))
			groupGo(t, g, pooltest.Sleep(time.Second), groupFails(want, 2*time.Second), pooltest.Sleep(3*time.Second))
			start := time.Now()
			var waiters sync.WaitGroup
			for range 5 {
				waiters.Go(func() {
					assert.Equal(t, want, g.Wait())
					assert.Equal(t, 3*time.Second, time.Since(start))
				})
			}
			waiters.Wait()
		}
	})
}

func TestGroupTasksMayAddOthersWhichAreWaitedFor(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		g := executor.NewGroup(t.Context(), p.Submitter)
		var runs atomic.Int32
		var split func(depth int) executor.Task
		split = func(depth int) executor.Task {
			return func(context.Context) error {
				runs.Add(1)
				if depth == 0 {
					return nil
				}
				return errors.Join(g.Go(split(depth-1)), g.Go(split(depth-1)))
			}
		}
		groupGo(t, g, split(5))
		assert.NoError(t, g.Wait())
		assert.EqualValues(t, 63, runs.Load())
	})
}

func TestGroupAPanicOrAGoexitOfAMemberIsItsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		var seen error
		g := executor.NewGroup(t.Context(), p)
		groupGo(t, g, groupHeed(&seen))
		synctest.Wait() // until it has begun
		groupGo(t, g, func(context.Context) error { panic(pooltest.ErrTask) })
		err := g.Wait()
		var panicked *future.PanicError
		assert.ErrorAs(t, err, &panicked)
		assert.ErrorIs(t, err, pooltest.ErrTask)
		assert.Equal(t, err, seen)

		g = executor.NewGroup(t.Context(), p)
		groupGo(t, g, groupHeed(&seen))
		synctest.Wait()
		groupGo(t, g, pooltest.Goexit)
		assert.Equal(t, future.ErrGoexit, g.Wait())
		assert.Equal(t, future.ErrGoexit, seen)
	})
}

func TestGroupATimeoutOfAMemberIsItsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := executor.NewGroup(t.Context(), pooltest.NewPool(t, 2))
		var seen error
		groupGo(t, g, groupHeed(&seen))
		require.NoError(t, g.Go(pooltest.Sleep(time.Minute), executor.Timeout(time.Second), executor.Name("late")))
		start := time.Now()
		err := g.Wait()
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.ErrorIs(t, seen, future.ErrTimeout)
		assert.Equal(t, time.Minute, time.Since(start), "until the body has returned")
	})
}

func TestGroupEndsWithItsPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		g := executor.NewGroup(t.Context(), p)
		var seen error
		var runs atomic.Int32
		groupGo(t, g, groupHeed(&seen), groupCount(&runs), groupCount(&runs))
		time.AfterFunc(time.Minute, func() { p.ShutdownNow() })
		start := time.Now()
		assert.ErrorIs(t, g.Wait(), executor.ErrShutdown)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.ErrorIs(t, seen, executor.ErrShutdown)
		assert.Zero(t, runs.Load())
		assert.ErrorIs(t, g.Go(pooltest.Nothing), executor.ErrShutdown)
	})
}

func TestGroupOfAPoolThatIsShutDownRunsToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		g := executor.NewGroup(t.Context(), p)
		var runs atomic.Int32
		groupGo(t, g, pooltest.Sleep(time.Second), groupCount(&runs), groupCount(&runs))
		p.Shutdown()
		assert.NoError(t, g.Wait())
		assert.EqualValues(t, 2, runs.Load())
	})
}

func TestGroupAMemberThatAPolicyDiscardsHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := executor.NewGroup(t.Context(), pooltest.NewPool(t, 1, executor.HandOff(), executor.OnRejection(executor.Discard)))
		var seen error
		groupGo(t, g, groupHeed(&seen))
		synctest.Wait()
		groupGo(t, g, pooltest.Nothing)
		assert.ErrorIs(t, g.Wait(), executor.ErrSaturated)
		assert.ErrorIs(t, seen, executor.ErrSaturated)
	})
}

// Groups that go on for ever must not keep what has ended.
func TestGroupForgetsMembersThatHaveEnded(t *testing.T) {
	p := executor.NewPool(1, executor.HandOff(), executor.OnRejection(executor.CallerRuns))
	defer func() { assert.NoError(t, p.Close()) }()
	g := executor.NewGroup(t.Context(), p)
	const n = 30000
	groupGo(t, g, pooltest.Nothing)
	before := probe.HeapInUse()
	for range n {
		groupGo(t, g, pooltest.Nothing)
	}
	after := probe.HeapInUse()
	assert.NoError(t, g.Wait())
	runtime.KeepAlive(g)
	assert.Less(t, int64(after)-int64(before), int64(n*16), "bytes; each future has more than 100")
}
