package bulk_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
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
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// numbers returns the numbers from 0 to below n.
func numbers(n int) []int {
	in := make([]int, n)
	for i := range in {
		in[i] = i
	}
	return in
}

// text is a function to map numbers by; the greater ones are done sooner.
func text(_ context.Context, n int) (string, error) {
	time.Sleep(time.Duration(100-n) * time.Millisecond)
	return strconv.Itoa(n), nil
}

func TestMapReturnsResultsInTheOrderOfTheElements(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		out, err := bulk.Map(t.Context(), newPool(t, 3), numbers(40), text)
		require.NoError(t, err)
		require.Len(t, out, 40)
		for i, s := range out {
			require.Equal(t, strconv.Itoa(i), s)
		}
	})
}

func TestMapOnAForeignSubmitterToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, err := bulk.Map(nil, foreignPool{pooltest.NewPool(t, 2)}, numbers(40), text)
		require.NoError(t, err)
		assert.Equal(t, "39", out[39])
	})
}

func TestMapHasTwiceAsManyInFlightAsThereAreWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.MaximumSize(3), executor.GrowFirst())
		var done, most atomic.Int64
		_, err := bulk.Map(t.Context(), p, numbers(100), func(context.Context, int) (int, error) {
			time.Sleep(time.Second)
			// Those that are done are in flight until their futures are settled, a moment later.
			if n := int64(p.Stats().Accepted) - done.Load(); n > most.Load() {
				most.Store(n)
			}
			done.Add(1)
			return 0, nil
		})
		require.NoError(t, err)
		assert.EqualValues(t, 6, most.Load())
		assert.EqualValues(t, 3, p.Stats().Largest)
	})
}

func TestMapOfAPoolWithoutAMaximumIsBoundedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewCached(pooltest.Quiet())
		var c atOnce
		_, err := bulk.Map(t.Context(), p, numbers(3000), func(ctx context.Context, _ int) (int, error) {
			return 0, c.task(time.Second)(ctx)
		})
		require.NoError(t, err)
		assert.EqualValues(t, 1024, c.most.Load())
		require.NoError(t, p.Close())
	})
}

func TestMapEndsAtTheFirstFailureWithNothingLeftRunning(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2)
		var began, running atomic.Int32
		start := time.Now()
		out, err := bulk.Map(
			t.Context(), p, numbers(1000), func(ctx context.Context, n int) (int, error) {
				began.Add(1)
				running.Add(1)
				defer running.Add(-1)
				if n == 1 {
					time.Sleep(time.Second)
					return 0, pooltest.ErrTask
				}
				time.Sleep(time.Minute) // heeds nothing
				return 0, errors.New("not the first")
			},
		)
		assert.Equal(t, pooltest.ErrTask, err)
		assert.Nil(t, out)
		assert.Zero(t, running.Load())
		assert.Equal(t, time.Minute, time.Since(start))
		assert.LessOrEqual(t, began.Load(), int32(4))
	})
}

func TestMapCancelsTheContextsOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		_, err := bulk.Map(
			t.Context(), pooltest.NewPool(t, 2), numbers(2), func(ctx context.Context, n int) (int, error) {
				if n == 1 {
					return 0, pooltest.ErrTask
				}
				<-ctx.Done()
				cause = context.Cause(ctx)
				return 0, cause
			},
		)
		assert.Equal(t, pooltest.ErrTask, err)
		assert.ErrorIs(t, cause, pooltest.ErrTask)
	})
}

func TestMapEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		start, began := time.Now(), atomic.Int32{}
		out, err := bulk.Map(
			ctx, pooltest.NewPool(t, 2), numbers(100), func(ctx context.Context, _ int) (int, error) {
				began.Add(1)
				return 0, pooltest.Pause(time.Second)(ctx)
			},
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Nil(t, out)
		assert.Equal(t, 1500*time.Millisecond, time.Since(start))
		assert.EqualValues(t, 4, began.Load())
	})
}

func TestMapOfNothingIsEmptyAndOfNoFunctionAnError(t *testing.T) {
	p := pooltest.NewPool(t, 1)
	out, err := bulk.Map(t.Context(), p, nil, text)
	require.NoError(t, err)
	assert.Equal(t, []string{}, out)
	_, err = bulk.Map[int, string](t.Context(), p, nil, nil)
	assert.ErrorIs(t, err, executor.ErrNilTask)
	assert.Panics(t, func() { _, _ = bulk.Map(t.Context(), nil, nil, text) })
}

func TestMapFailsWithTheEndOfACall(t *testing.T) {
	for name, row := range map[string]struct {
		end  func()
		want error
	}{
		"panic":  {func() { panic(pooltest.ErrTask) }, pooltest.ErrTask},
		"goexit": {runtime.Goexit, future.ErrGoexit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, err := bulk.Map(
					t.Context(), pooltest.NewPool(t, 2), numbers(3), func(context.Context, int) (int, error) {
						row.end()
						return 0, nil
					},
				)
				assert.ErrorIs(t, err, row.want)
			})
		})
	}
}

func TestMapOnAPoolThatIsShutDownFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		p.Shutdown()
		_, err := bulk.Map(t.Context(), p, numbers(3), text)
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}

func TestMapWaitsForRoomWhateverThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := pooltest.NewFull(t)
		time.AfterFunc(time.Minute, full.Gate.Open)
		out, err := bulk.Map(t.Context(), full.Pool, numbers(10), text)
		require.NoError(t, err)
		assert.Len(t, out, 10)
		full.Finish()
	})
}

func TestMapOfATaskRunsInItsPlaceAtAnyDepth(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		var count func(ctx context.Context, depth int) (int, error)
		count = func(ctx context.Context, depth int) (int, error) {
			if depth == 0 {
				return 1, nil
			}
			out, err := bulk.Map(ctx, p, []int{depth - 1, depth - 1, depth - 1}, count)
			sum := 0
			for _, n := range out {
				sum += n
			}
			return sum, err
		}
		out, err := bulk.Map(t.Context(), p, []int{4}, count)
		require.NoError(t, err)
		assert.Equal(t, []int{81}, out)
	})
}

func TestMapOfATaskBeforeItsCallsInASerialIsRefused(t *testing.T) {
	for _, n := range []int{1, 1000} {
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewPool(t, 1)
			s := serial.New(p)
			f, err := executor.Submit(s, func(ctx context.Context) ([]string, error) {
				return bulk.Map(ctx, s, numbers(n), text)
			})
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			assert.ErrorIs(t, err, future.ErrSelfWait)
			time.Sleep(time.Minute)
			assert.Zero(t, p.Stats().Queued, "nothing is left behind")
			assert.EqualValues(t, 1, p.Stats().Runs)
		})
	}
}

func TestMapThatACallEndsByGoexitOnTheCallersGoroutineLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)))
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			_, err := bulk.Map(ctx, p, numbers(10), func(_ context.Context, n int) (int, error) {
				if n == 1 { // there is no room for it, and the caller is a task
					runtime.Goexit()
				}
				time.Sleep(time.Minute)
				return 0, nil
			})
			return err
		})
		_, err := f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrGoexit)
		time.Sleep(time.Hour)
		s := p.Stats()
		assert.Zero(t, s.Queued+s.Busy)
	})
}

func TestMapThatADecoratorEndsByAPanicLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		decorated := 0
		p := pooltest.NewPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			if decorated++; decorated == 3 {
				panic(pooltest.ErrTask)
			}
			return task
		}))
		assert.PanicsWithValue(t, pooltest.ErrTask, func() {
			_, _ = bulk.Map(t.Context(), p, numbers(10), func(ctx context.Context, _ int) (int, error) {
				return 0, pooltest.Pause(time.Hour)(ctx)
			})
		})
		synctest.Wait()
		s := p.Stats()
		assert.Zero(t, s.Queued+s.Busy)
	})
}
