package snippets

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
)

func TestTwoPools(t *testing.T) {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs")) // when something happens
	calls := executor.NewPool(20, executor.Name("billing"),     // how much of it at once
		executor.Queue(queue.Bounded(200)), executor.OnRejection(rejection.Abort))
	defer jobs.Close()
	defer calls.Close()
	require.Equal(t, 4, jobs.Stats().Core)
	require.Equal(t, 20, calls.Stats().Core)
}

// Ten jobs of half a second each second keep five workers busy.
func TestHowManyAreNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(4, executor.Name("jobs"), executor.Watch(insight.Config{}))
		defer pool.Close()
		for range 10 {
			_, err := pool.AtFixedRate(0, time.Second, func(context.Context) error {
				time.Sleep(500 * time.Millisecond)
				return nil
			}, executor.CatchUp(executor.Skip))
			require.NoError(t, err)
		}
		func() {
			err := pool.SetCoreSize(8)
			require.NoError(t, err)
		}()
		const window = 100 * time.Second
		time.Sleep(window)
		synctest.Wait()
		took := pool.Stats().Took
		load := took.Mean.Seconds() * float64(took.Count) / window.Seconds() // workers busy, on average
		needed := int(math.Ceil(load / 0.7))
		require.InDelta(t, 5, load, 0.3)
		require.Equal(t, 8, needed)
	})
}
