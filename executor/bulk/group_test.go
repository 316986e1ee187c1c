package bulk_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/future"
)

// groupGo adds tasks that must be accepted.
func groupGo(t *testing.T, g *bulk.Group, tasks ...executor.Task) {
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
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		g := bulk.NewGroup(t.Context(), p.Submitter)
		var runs atomic.Int32
		for range 10 {
			groupGo(t, g, groupCount(&runs))
		}
		assert.NoError(t, g.Wait())
		assert.EqualValues(t, 10, runs.Load())
	})
}

func TestGroupOnANilPoolPanics(t *testing.T) {
	assert.PanicsWithValue(t, "bulk: nil pool", func() { bulk.NewGroup(t.Context(), nil) })
}

func TestGroupWithoutMembersDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.NoError(t, bulk.NewGroup(nil, pooltest.NewPool(t, 1)).Wait())
		assert.NoError(t, bulk.NewGroup(t.Context(), pooltest.NewPool(t, 1)).Wait())
	})
}

func TestGroupWaitsForAllOfItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(nil, pooltest.NewPool(t, 2))
		groupGo(
			t, g, pooltest.Sleep(time.Second), pooltest.Sleep(3*time.Second), pooltest.Sleep(time.Second),
		)
		start := time.Now()
		assert.NoError(t, g.Wait())
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestGroupTheFirstFailureCancelsTheOthersWithTheFailureAsTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 3)
		g := bulk.NewGroup(t.Context(), p)
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
		g := bulk.NewGroup(t.Context(), p)
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
		g := bulk.NewGroup(t.Context(), pooltest.NewPool(t, 3))
		groupGo(
			t, g, groupFails(errors.New("late"), 3*time.Second), groupFails(pooltest.ErrTask, time.Second),
			groupFails(errors.New("between"), 2*time.Second),
		)
		assert.Equal(t, pooltest.ErrTask, g.Wait())
		assert.Equal(t, pooltest.ErrTask, g.Wait())
	})
}

// A worker that settles a future wakes those who wait for it before it tells the group.
func TestGroupWaitNeverMissesAFailure(t *testing.T) {
	p := executor.NewPool(2)
	defer func() { assert.NoError(t, p.Close()) }()
	for round := range 50000 {
		g := bulk.NewGroup(t.Context(), p)
		groupGo(t, g, pooltest.Fail)
		require.Equal(t, pooltest.ErrTask, g.Wait(), "round %d", round)
	}
}

func TestGroupWaitsForBodiesThatDoNotHeedTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(t.Context(), pooltest.NewPool(t, 2))
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
		time.AfterFunc(time.Minute, func() { cancel(pooltest.ErrCause) })
		g := bulk.NewGroup(ctx, p)
		var seen error
		var runs atomic.Int32
		groupGo(t, g, groupHeed(&seen), groupCount(&runs))
		start := time.Now()
		err := g.Wait()
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, pooltest.ErrCause)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.ErrorIs(t, seen, pooltest.ErrCause)
		assert.Zero(t, runs.Load())
		synctest.Wait() // the future is settled before the run is accounted for
		s := p.Stats()
		assert.Equal(t, []int{0, 0}, []int{s.Busy, s.Queued})
	})
}

func TestGroupWaitGoesOnAfterTheEndOfTheContextUntilTheBodiesReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(pooltest.Within(t, time.Minute), pooltest.NewPool(t, 1))
		groupGo(t, g, pooltest.Sleep(time.Hour))
		start := time.Now()
		assert.ErrorIs(t, g.Wait(), context.DeadlineExceeded)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestGroupAfterAFailureGoStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		g := bulk.NewGroup(t.Context(), p)
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
		g := bulk.NewGroup(pooltest.Ended(t), p)
		err := g.Go(pooltest.Nothing)
		assert.ErrorIs(t, err, future.ErrCancelled)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, pooltest.ErrCause)
		assert.Zero(t, p.Stats().Accepted)
	})
}

func TestGroupThatStartedNothingBecauseOfItsContextSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(pooltest.Ended(t), pooltest.NewPool(t, 1))
		require.Error(t, g.Go(pooltest.Nothing))
		assert.ErrorIs(t, g.Wait(), pooltest.ErrCause)
	})
}

func TestGroupARefusedTaskIsReportedByGoAndTheGroupGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
		g := bulk.NewGroup(t.Context(), p)
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
		g := bulk.NewGroup(ctx, pooltest.NewPool(t, 2))
		var runs atomic.Int32
		for range 3 {
			groupGo(t, g, groupCount(&runs), groupCount(&runs))
			assert.NoError(t, g.Wait())
		}
		assert.EqualValues(t, 6, runs.Load())

		var seen error // the context is watched again
		groupGo(t, g, groupHeed(&seen))
		synctest.Wait()
		cancel(pooltest.ErrCause)
		assert.ErrorIs(t, g.Wait(), pooltest.ErrCause)
		assert.ErrorIs(t, seen, pooltest.ErrCause)
	})
}

func TestGroupManyMayWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, want := range []error{nil, pooltest.ErrTask} {
			g := bulk.NewGroup(t.Context(), pooltest.NewPool(t, 3))
			groupGo(
				t, g, pooltest.Sleep(time.Second), groupFails(want, 2*time.Second),
				pooltest.Sleep(3*time.Second),
			)
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
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		g := bulk.NewGroup(t.Context(), p.Submitter)
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
		g := bulk.NewGroup(t.Context(), p)
		groupGo(t, g, groupHeed(&seen))
		synctest.Wait() // until it has begun
		groupGo(t, g, func(context.Context) error { panic(pooltest.ErrTask) })
		err := g.Wait()
		var panicked *future.PanicError
		assert.ErrorAs(t, err, &panicked)
		assert.ErrorIs(t, err, pooltest.ErrTask)
		assert.Equal(t, err, seen)

		g = bulk.NewGroup(t.Context(), p)
		groupGo(t, g, groupHeed(&seen))
		synctest.Wait()
		groupGo(t, g, pooltest.Goexit)
		assert.Equal(t, future.ErrGoexit, g.Wait())
		assert.Equal(t, future.ErrGoexit, seen)
	})
}

func TestGroupATimeoutOfAMemberIsItsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(t.Context(), pooltest.NewPool(t, 2))
		var seen error
		groupGo(t, g, groupHeed(&seen))
		require.NoError(
			t, g.Go(pooltest.Sleep(time.Minute), executor.Timeout(time.Second), executor.Name("late")),
		)
		start := time.Now()
		err := g.Wait()
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.ErrorIs(t, seen, future.ErrTimeout)
		assert.Equal(t, time.Minute, time.Since(start), "until the body has returned")
	})
}
