package waits_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// lendWild is a task that submits and waits for others in all kinds of ways, and breaks off some.
func lendWild(p *executor.Pool, depth int) executor.Task {
	return func(ctx context.Context) error {
		time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
		if depth == 0 {
			return nil
		}
		for range 3 {
			child, err := p.Submit(lendWild(p, depth-1), executor.Timeout(time.Duration(1+rand.IntN(100))*time.Millisecond))
			if err != nil {
				return err
			}
			switch rand.IntN(5) {
			case 0:
				_, _ = child.Get(context.Background())
			case 1:
				_, _ = child.GetTimeout(time.Duration(rand.IntN(30)) * time.Millisecond)
			case 2:
				_ = context.AfterFunc(ctx, func() { child.Cancel() })
			case 3:
				time.AfterFunc(time.Millisecond, func() { child.Cancel() })
				_, _ = future.Any(ctx, child)
			default:
				_, _ = child.Get(context.Background())
			}
		}
		return nil
	}
}

func TestC4_WhateverIsWaitedForAndBrokenOffEveryTaskEndsOnce(t *testing.T) {
	for range 5 {
		pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
			p := newPool(t, 2)
			var roots []*future.Future[struct{}]
			for range 5 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				root, err := p.SubmitContext(ctx, lendWild(p, 4))
				cancel()
				require.NoError(t, err)
				roots = append(roots, root)
			}
			probe.Elapse(time.Hour)
			for _, root := range roots {
				assert.NoError(t, pooltest.Outcome(t, root))
			}
			s := p.Stats()
			assert.Equal(t, []int{0, 0}, []int{s.Queued, s.Busy})
			pooltest.Balanced(t, p)
		})
	}
}

// What a caller is to run later waits outside of the queue, so that an idle worker does not take
// it.
func TestC4_AWaitWithAnotherContextForWhatTheCallerIsToRunLaterIsHelped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
		require.NoError(t, p.Execute(pooltest.Sleep(time.Second)))
		parent := pooltest.SubmitFunc(t, p, func(context.Context) (int, error) {
			return pooltest.SubmitFunc(t, p, func(context.Context) (int, error) { // runs at once, by its caller
				a, b := pooltest.SubmitFunc(t, p, pooltest.Seven), pooltest.SubmitFunc(t, p, pooltest.Seven) // are to run after that
				time.Sleep(time.Minute)                                                                      // meanwhile the other worker becomes idle
				_, err := a.Get(context.Background())
				assert.NoError(t, err)
				return b.Get(context.Background())
			}).Get(context.Background())
		})
		probe.Elapse(time.Hour)
		v, err := pooltest.Settled(t, parent)
		require.NoError(t, err)
		assert.Equal(t, 7, v)
		pooltest.Balanced(t, p)
	})
}

// The orphan is a helper too many, so that there is none for what it waits for; but an idle worker.
// While it waits a task lends its place once, even if others wait on its behalf.
func TestC4_ATaskThatWaitsOnSeveralGoroutinesLendsItsPlaceOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const children = 20
		p := pooltest.NewPool(t, 1)
		var active, most atomic.Int32
		parent := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			var all sync.WaitGroup
			for range children {
				all.Go(func() {
					child, _ := p.Submit(func(context.Context) error {
						pooltest.Raise(&most, active.Add(1))
						defer active.Add(-1)
						time.Sleep(time.Second)
						return nil
					})
					_, _ = child.Get(ctx)
				})
			}
			all.Wait()
			return 0, nil
		})
		probe.Elapse(time.Hour)
		_, err := pooltest.Settled(t, parent)
		require.NoError(t, err)
		assert.EqualValues(t, 1, most.Load(), "bodies at once on a pool of one")
	})
}

// The pool is not full when the parent begins to wait, but becomes so before the child is due.
func TestC4_AWaitWithAnotherContextIsHelpedAlsoIfThePoolWasNotFullAtItsBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		child := pooltest.Schedule(t, p, 2*time.Second, pooltest.Nothing)
		synctest.Wait() // one worker is on watch for it
		parent := pooltest.Wait(t, &p.Pool, func(context.Context) (struct{}, error) {
			time.Sleep(time.Millisecond)
			return child.Get(context.Background())
		})
		pooltest.Schedule(t, p, time.Second, func(context.Context) error {
			_, err := parent.Get(context.Background())
			return err
		})
		probe.Elapse(time.Hour)
		assert.Equal(t, pooltest.Waited{Took: 2 * time.Second}, pooltest.Took(t, parent))
	})
}
