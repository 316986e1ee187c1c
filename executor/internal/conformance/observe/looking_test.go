package observe_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
)

func TestNextTellsTheFirstTasksAsQueuedDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		random := rand.New(rand.NewPCG(1, 2))
		at(p, 0, "hog", time.Second)
		time.Sleep(ms)
		for i := range 5000 {
			at(p, time.Duration(random.IntN(1000)-500)*ms, fmt.Sprint(i), 0)
			if i%10 == 0 {
				require.NoError(t, p.Execute(lasts(0)))
			}
		}
		check := func() {
			all := p.Queued()
			for _, n := range []int{1, 2, 100, 4999, len(all), len(all) + 1} {
				first := p.Next(n)
				require.Equal(t, all[:min(n, len(all))], first)
			}
		}
		check()
		time.Sleep(500 * ms) // about half of them are due, and wait for the hog
		check()
		assert.Empty(t, p.Next(0))
		assert.Empty(t, p.Next(-1))
		p.ShutdownNow()
		require.NoError(t, p.Close())
	})
}

// Very many tasks that are due are taken out of the heap in pieces, and are in three places then.
func TestNextTellsTheFirstTasksAlsoWhileMassesAreSorted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		checks := 0
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 20_000 {
			_, err := p.Schedule(time.Duration(1+random.IntN(1000))*ms, func(context.Context) error {
				if i%1000 == 0 {
					checks++
					all := p.Queued()
					assert.Equal(t, all[:min(50, len(all))], p.Next(50))
				}
				return nil
			})
			require.NoError(t, err)
		}
		at(p, 0, "hog", 2*time.Second)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 20, checks)
		require.NoError(t, p.Close())
	})
}

func TestNextOfAPlainPool(t *testing.T) {
	for _, opts := range [][]executor.Option{nil, {executor.Queue(queue.Bounded(100))},
		{executor.Queue(queue.Priority())}} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewPool(1, opts...)
			pooltest.Submit(t, p, lasts(time.Second))
			time.Sleep(ms)
			for i := range 10 {
				_, err := p.Submit(lasts(0), executor.Name(fmt.Sprint(i)))
				require.NoError(t, err)
			}
			assert.Equal(t, []string{"0", "1", "2"}, pooltest.Names(p.Next(3)))
			assert.Len(t, p.Next(100), 10)
			require.NoError(t, p.Close())
		})
	}
}

func TestAQuestionForRunsIsForgottenAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1)
		defer p.Close()
		// seen returns for how long a run of five seconds has been going on, as told after two.
		seen := func() time.Duration {
			require.NoError(t, p.Execute(lasts(5*time.Second)))
			time.Sleep(2 * time.Second)
			running := p.Running()
			require.Len(t, running, 1)
			time.Sleep(3 * time.Second)
			synctest.Wait()
			return running[0].For
		}
		require.NoError(t, p.Execute(lasts(0))) // whoever starts a worker has read the clock anyway
		synctest.Wait()
		assert.Zero(t, seen(), "the first question begins the count")
		for range 10 {
			assert.Equal(t, 2*time.Second, seen(), "somebody who asks goes on asking")
		}
		time.Sleep(10 * time.Second)
		assert.Zero(t, seen())
		assert.Equal(t, 2*time.Second, seen())
	})
}
