package serial_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestKeyedRunsTasksOfOneKeyInOrderAndOfDifferentKeysSideBySide(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		const keys, n = 4, 3
		p := newPool(t, keys)
		k := serial.NewKeyed[int](p)
		seen := make([][]int, keys) // not synchronised
		for i := range n {
			for key := range keys {
				require.NoError(t, k.Execute(key, func(context.Context) error {
					seen[key] = append(seen[key], i)
					time.Sleep(time.Second)
					return nil
				}))
			}
		}
		assert.Equal(t, keys, k.Keys())
		start := time.Now()
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, n*time.Second, time.Since(start))
		for key := range seen {
			assert.Equal(t, pooltest.CountTo(n), seen[key], "key %d", key)
		}
		assert.Zero(t, k.Keys())
	})
}

func TestKeyedKeepsTheOrderOfAKeyOnPoolsWithLittleRoom(t *testing.T) {
	const keys, n = 3, 60
	laneEach(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 3)
		k := serial.NewKeyed[string](p)
		seen := map[string]*[]int{}
		for key := range keys {
			seen[fmt.Sprint(key)] = new([]int)
		}
		for i := range n {
			key := fmt.Sprint(i % keys)
			_, err := k.SubmitContext(t.Context(), key, func(context.Context) error {
				*seen[key] = append(*seen[key], i/keys)
				time.Sleep(laneRandom())
				return nil
			})
			require.NoError(t, err)
		}
		p.Shutdown()
		<-p.Terminated()
		for key, order := range seen {
			assert.Equal(t, pooltest.CountTo(n/keys), *order, "key %s", key)
		}
		assert.Zero(t, k.Keys())
		pooltest.Balanced(t, p)
	})
}

func TestKeyedRunsWhatATaskGivesItsOwnKeyAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := serial.NewKeyed[string](pooltest.NewPool(t, 4))
		tr := pooltest.NewTrace()
		require.NoError(t, k.Execute("a", func(context.Context) error {
			assert.NoError(t, k.Execute("a", tr.Task("same key")))
			assert.NoError(t, k.Execute("b", tr.Task("other key")))
			time.Sleep(time.Second)
			return nil
		}))
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"other key 0s", "same key 1s"}, tr.Seen())
		assert.Zero(t, k.Keys())
	})
}

func TestC4_AKeyedTaskThatWaitsForOneBehindItIsToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := serial.NewKeyed[string](pooltest.NewPool(t, 1))
		parent := pooltest.SubmitFunc(t, k.For("a"), func(ctx context.Context) (int, error) {
			v, err := pooltest.SubmitFunc(t, k.For("b"), pooltest.Seven).Get(ctx)
			assert.NoError(t, err)
			_, err = pooltest.SubmitFunc(t, k.For("a"), pooltest.Seven).Get(ctx)
			assert.ErrorIs(t, err, future.ErrSelfWait)
			return v, nil
		})
		probe.Elapse(time.Second)
		v, err := pooltest.Settled(t, parent)
		require.NoError(t, err)
		assert.Equal(t, 7, v)
	})
}

func TestKeyedForAKeyTakesTypedTasksAndBulkWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := serial.NewKeyed[string](pooltest.NewPool(t, 4))
		start := time.Now()
		slow := func(context.Context) (int, error) {
			time.Sleep(time.Second)
			return 7, nil
		}
		f, err := executor.Submit(k.For("a"), slow, executor.Name("typed"))
		require.NoError(t, err)
		fs, err := executor.InvokeAll(t.Context(), k.For("a"), slow, slow)
		require.NoError(t, err)
		assert.Equal(t, 3*time.Second, time.Since(start), "one after another")
		for _, f := range append(fs, f) {
			v, err := pooltest.Settled(t, f)
			require.NoError(t, err)
			assert.Equal(t, 7, v)
		}
		synctest.Wait()
		assert.Zero(t, k.Keys())
	})
}

func TestKeyedThatRefusesATaskForgetsTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
		k := serial.NewKeyed[string](p)
		hold := pooltest.NewGate(t)
		require.NoError(t, p.Execute(hold.Hold))
		assert.ErrorIs(t, k.Execute("full", pooltest.Nothing), executor.ErrSaturated)
		assert.ErrorIs(t, k.Execute("nil", nil), executor.ErrNilTask)
		_, err := k.Submit("bad", pooltest.Nothing, executor.Timeout(-1))
		assert.ErrorIs(t, err, executor.ErrInvalid)
		p.Shutdown()
		assert.ErrorIs(t, k.Execute("shut down", pooltest.Nothing), executor.ErrShutdown)
		assert.Zero(t, k.Keys())
	})
}

func TestKeyedHasNoKeysAfterShutdownNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		k := serial.NewKeyed[string](p)
		for _, key := range []string{"runs", "waits"} {
			for range 2 {
				require.NoError(t, k.Execute(key, pooltest.Sleep(time.Second)))
			}
		}
		synctest.Wait()
		assert.Len(t, p.ShutdownNow(), 3)
		<-p.Terminated()
		assert.Zero(t, k.Keys())
	})
}

// laneLeft asserts that the work of many keys leaves less than a few bytes for each.
func laneLeft(t *testing.T, work func(k *serial.Keyed[int], key int)) {
	synctest.Test(t, func(t *testing.T) {
		const keys = 20_000
		p := pooltest.NewPool(t, 2, executor.Name("keyed"))
		k := serial.NewKeyed[int](p)
		work(k, -1)
		synctest.Wait()
		before := int(probe.HeapInUse())
		for key := range keys {
			work(k, key)
			if key%100 == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		left := int(probe.HeapInUse()) - before
		assert.Zero(t, k.Keys())
		assert.Less(t, left, 20*keys, "bytes left")
		runtime.KeepAlive(k)
	})
}

func TestThousandsOfKeysLeaveNothingBehind(t *testing.T) {
	laneLeft(t, func(k *serial.Keyed[int], key int) {
		for range 3 {
			_ = k.Execute(key, pooltest.Nothing)
		}
	})
}

func TestThousandsOfKeysWithCancelledTasksLeaveNothingBehind(t *testing.T) {
	laneLeft(t, func(k *serial.Keyed[int], key int) {
		first := make(chan struct{})
		_ = k.Execute(key, func(context.Context) error {
			<-first
			return nil
		})
		if f, err := k.Submit(key, pooltest.Nothing); err == nil {
			f.Cancel()
		}
		close(first)
	})
}

// A NaN equals nothing, itself included, so that it is a key of its own each time.
func TestAKeyThatEqualsNothingIsForgottenToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := serial.NewKeyed[float64](pooltest.NewPool(t, 1))
		require.NoError(t, k.Execute(math.NaN(), pooltest.Nothing))
		synctest.Wait()
		assert.Zero(t, k.Keys())
	})
}

func TestShutdownNowLeavesAKeyWhoseTaskRuns(t *testing.T) {
	for _, waiting := range []int{0, 1, 3} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewPool(1)
			k := serial.NewKeyed[string](p)
			for range 1 + waiting {
				require.NoError(t, k.Execute("a", pooltest.Sleep(time.Second)))
			}
			synctest.Wait()
			assert.Len(t, p.ShutdownNow(), waiting)
			assert.Equal(t, 1, k.Keys(), "one runs, and %d have waited", waiting)
			<-p.Terminated()
			assert.Zero(t, k.Keys())
		})
	}
}
