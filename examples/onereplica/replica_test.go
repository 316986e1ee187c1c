package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// shift notes which replica works when.
type shift struct {
	mu     sync.Mutex
	begun  time.Time
	active int
	most   int
	lines  []string
}

// work takes so long, or until its context ends.
func (s *shift) work(replica int, takes time.Duration) executor.Task {
	return func(ctx context.Context) error {
		s.mu.Lock()
		s.active++
		s.most = max(s.most, s.active)
		s.lines = append(s.lines, fmt.Sprintf("%v %d", time.Since(s.begun), replica))
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.active--
		}()
		select {
		case <-time.After(takes):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Three replicas come to the same minute, one after another. The first has the lock, the others
// skip theirs, and nobody is worse for it.
func TestOneOfThreeWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locks, s := new(server), &shift{begun: time.Now()}
		var pools []*executor.ScheduledPool
		for i := range 3 {
			pool := executor.NewScheduledPool(1, executor.ErrorHandler(
				func(_ context.Context, _ executor.Run, err error) { t.Error(err) }))
			defer pool.Close()
			pools = append(pools, pool)
			_, err := pool.AtFixedRate(time.Duration(i)*time.Second, time.Minute,
				OnOneReplica(&session{server: locks}, s.work(i, 30*time.Second)),
				executor.FailurePolicy(executor.StopSeries), executor.SlowDown(2, time.Hour))
			require.NoError(t, err)
		}
		time.Sleep(time.Hour - time.Second)
		synctest.Wait()
		assert.Equal(t, 1, s.most)
		assert.Len(t, s.lines, 60)
		for i, pool := range pools {
			stats := pool.Stats()
			assert.EqualValues(t, 60, stats.Runs)
			assert.Zero(t, stats.Failures)
			assert.EqualValues(t, []uint64{0, 60, 60}[i], stats.Skipped)
			assert.Equal(t, insight.HealthOK, pool.Insight().Health().Status)
		}
	})
}

// The lock is lost in the middle of a run: that is cancelled, and fails. Another replica goes on.
func TestALockThatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locks, s := new(server), &shift{begun: time.Now()}
		var failed []error
		pool := executor.NewScheduledPool(2, executor.ErrorHandler(
			func(_ context.Context, _ executor.Run, err error) { failed = append(failed, err) }))
		defer pool.Close()
		for i := range 2 {
			_, err := pool.AtFixedRate(time.Duration(i)*time.Second, 10*time.Second,
				OnOneReplica(&session{server: locks}, s.work(i, time.Minute)),
				executor.CatchUp(executor.Skip))
			require.NoError(t, err)
		}
		time.Sleep(20*time.Second + time.Millisecond)
		locks.disconnect()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"0s 0", "21s 1"}, s.lines)
		require.Len(t, failed, 1)
		assert.ErrorIs(t, failed[0], ErrLost)
		assert.Equal(t, 1, s.most)
	})
}

// Work that does not look at its context has failed all the same: another may have done it too.
func TestWorkThatDoesNotNotice(t *testing.T) {
	locks := new(server)
	run := OnOneReplica(&session{server: locks}, func(context.Context) error {
		locks.disconnect()
		return nil
	})
	require.ErrorIs(t, run(t.Context()), ErrLost)
	require.NoError(t, OnOneReplica(&session{server: locks}, noWork)(t.Context()), "the lock is free")
}

func noWork(context.Context) error { return nil }

// broken is a lock that cannot be taken, or cannot be released.
type broken struct{ take, free error }

func (b broken) TryLock(ctx context.Context) (context.Context, bool, error) {
	return ctx, b.take == nil, b.take
}
func (b broken) Unlock() error { return b.free }

// A database that cannot be reached is a failure. It is not skipped: nobody may be doing the work.
func TestABrokenLockIsAFailure(t *testing.T) {
	away := errors.New("away")
	for _, lock := range []Lock{broken{take: away}, broken{free: away}} {
		err := OnOneReplica(lock, noWork)(t.Context())
		require.ErrorIs(t, err, away)
		require.NotErrorIs(t, err, executor.ErrSkipped)
	}
}

// At the end of a service a run under way is finished, and the lock is free for the next replica.
func TestTheLockIsFreeAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locks, s := new(server), &shift{begun: time.Now()}
		pool := executor.NewScheduledPool(1)
		_, err := pool.Submit(OnOneReplica(&session{server: locks}, s.work(0, time.Minute)))
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, pool.Close())
		assert.Equal(t, time.Minute, time.Since(s.begun))
		require.NoError(t, OnOneReplica(&session{server: locks}, noWork)(t.Context()))
	})
}
