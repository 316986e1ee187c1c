package bulk_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// A member that waits for a turn lends its place to one that has its slot, and comes to the queue
// only during the wait.
func TestGroupWaitForATurnHelpsTheMemberThatComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slow atomic.Bool
		p := pooltest.NewPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			if slow.CompareAndSwap(true, false) {
				time.Sleep(2 * time.Second)
			}
			return task
		}))
		g := bulk.NewGroup(t.Context(), p)
		g.SetLimit(2)
		require.NoError(t, g.Go(func(context.Context) error {
			time.Sleep(time.Second)
			return g.Go(pooltest.Nothing)
		}))
		slow.Store(true)
		require.NoError(t, g.Go(pooltest.Nothing))
		require.NoError(t, g.Wait())
	})
}

func TestGroupTellsTheLastOfAllMembersThatWaitForATurnAtOnce(t *testing.T) {
	for range 300 {
		synctest.Test(t, func(t *testing.T) {
			const n = 3
			p := pooltest.NewPool(t, n)
			g := bulk.NewGroup(t.Context(), p)
			g.SetLimit(n)
			gate := pooltest.NewGate(t)
			var told atomic.Int32
			for range n {
				require.NoError(t, g.Go(func(ctx context.Context) error {
					if err := gate.Hold(ctx); err != nil {
						return err
					}
					if err := g.Go(pooltest.Nothing); err != nil {
						assert.ErrorIs(t, err, future.ErrSelfWait)
						told.Add(1)
					}
					return nil
				}))
			}
			synctest.Wait()
			gate.Open()
			require.NoError(t, g.Wait())
			assert.Positive(t, told.Load())
		})
	}
}
