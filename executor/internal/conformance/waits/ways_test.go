package waits_test

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/punctual-go/punctual/internal/probe"
)

// lendWay is a way to have a child run by p and to wait for it, from a task with the context ctx.
type lendWay func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error)

func lendGet(with func(ctx context.Context) context.Context) lendWay {
	return func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		return pooltest.SubmitFunc(t, p, pooltest.Seven).Get(with(ctx))
	}
}

type lendKey struct{}

// lendWays are the ways that are given the context of the task, or one derived from it.
var lendWays = map[string]lendWay{
	"Get": lendGet(func(ctx context.Context) context.Context { return ctx }),
	"Get with a derived context": lendGet(func(ctx context.Context) context.Context {
		return context.WithValue(ctx, lendKey{}, 1)
	}),
	"All": func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		values, err := future.All(ctx, pooltest.SubmitFunc(t, p, pooltest.Seven), pooltest.SubmitFunc(t, p, pooltest.Seven))
		return (values[0] + values[1]) / 2, err
	},
	"Any": func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		none := func(context.Context) (int, error) { return 0, pooltest.ErrTask }
		return future.Any(ctx, pooltest.SubmitFunc(t, p, none), pooltest.SubmitFunc(t, p, pooltest.Seven))
	},
	"Completed": func(t *testing.T, ctx context.Context, p *executor.Pool) (v int, err error) {
		for _, r := range future.Completed(ctx, pooltest.SubmitFunc(t, p, pooltest.Seven)) {
			v, err = r.Value, r.Err
		}
		return v, err
	},
	"CompletionService.Take": func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		s := bulk.NewCompletionService[int](p)
		_, err := s.Submit(pooltest.Seven)
		assert.NoError(t, err)
		f, err := s.Take(ctx)
		if err != nil {
			return 0, err
		}
		return f.Get(ctx)
	},
	"CompletionService.All": func(t *testing.T, ctx context.Context, p *executor.Pool) (sum int, err error) {
		s := bulk.NewCompletionService[int](p)
		for range 7 {
			_, err := s.Submit(func(context.Context) (int, error) { return 1, nil })
			assert.NoError(t, err)
		}
		for f := range s.All(ctx) {
			v, _ := f.Get(ctx)
			sum += v
		}
		return sum, nil
	},
	"Group.Wait": func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		var n atomic.Int32
		g := bulk.NewGroup(ctx, p)
		for range 7 {
			assert.NoError(t, g.Go(func(context.Context) error {
				n.Add(1)
				return nil
			}))
		}
		err := g.Wait()
		return int(n.Load()), err
	},
	"InvokeAll": func(_ *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		fs, err := executor.InvokeAll(ctx, p, pooltest.Seven, pooltest.Seven)
		if err != nil {
			return 0, err
		}
		return fs[1].Get(ctx)
	},
	"InvokeAny": func(_ *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		none := func(context.Context) (int, error) { return 0, pooltest.ErrTask }
		return executor.InvokeAny(ctx, p, none, pooltest.Seven)
	},
}

// lendUnknownWays are the ways that do not give the wait the context of the task.
var lendUnknownWays = map[string]lendWay{
	"Get in the background": lendGet(func(context.Context) context.Context { return context.Background() }),
	"Get with nil":          lendGet(func(context.Context) context.Context { return nil }),
	"GetTimeout": func(t *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		return pooltest.SubmitFunc(t, p, pooltest.Seven).GetTimeout(time.Hour)
	},
	"Group.Wait": func(t *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		g := bulk.NewGroup(nil, p) //nolint:staticcheck // that nil never ends is promised
		assert.NoError(t, g.Go(pooltest.Nothing))
		return 7, g.Wait()
	},
	"InvokeAll": func(_ *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		fs, err := executor.InvokeAll(context.Background(), p, pooltest.Seven)
		if err != nil {
			return 0, err
		}
		return fs[0].GetTimeout(1)
	},
}

// lendUnknownWaysToSeveral are those that wait for the first of several to be settled.
var lendUnknownWaysToSeveral = map[string]lendWay{
	"InvokeAny": func(_ *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		return executor.InvokeAny(context.Background(), p, pooltest.Seven)
	},
	"All": func(t *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		values, err := future.All(context.Background(), pooltest.SubmitFunc(t, p, pooltest.Seven))
		return append(values, 0)[0], err
	},
	"CompletionService.Take": func(t *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		s := bulk.NewCompletionService[int](p)
		_, err := s.Submit(pooltest.Seven)
		assert.NoError(t, err)
		f, err := s.Take(context.Background())
		if err != nil {
			return 0, err
		}
		return f.GetTimeout(1)
	},
}

// lendThrough has a task of a pool of one wait for a child in a way, and asserts that it gets the
// value within the time.
func lendThrough(t *testing.T, newPool pooltest.Maker, way lendWay, within time.Duration) {
	p := newPool(t, 1)
	start := time.Now()
	var took time.Duration
	parent := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
		v, err := way(t, ctx, p)
		took = time.Since(start)
		return v, err
	})
	probe.Elapse(time.Hour)
	v, err := pooltest.Settled(t, parent)
	require.NoError(t, err)
	assert.Equal(t, 7, v)
	assert.LessOrEqual(t, took, within)
	pooltest.Balanced(t, p)
}

// lendThroughAll tries all ways on pools of all kinds.
func lendThroughAll(t *testing.T, ways map[string]lendWay, within time.Duration) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) { lendThrough(t, newPool, way, within) })
		})
	}
}

func TestC4_C10_ATaskThatWaitsForItsChildWithItsContextGetsItAtOnce(t *testing.T) {
	lendThroughAll(t, lendWays, 0)
}

func TestC4_C10_ATaskThatWaitsForItsChildWithAnotherContextGetsItAtOnce(t *testing.T) {
	lendThroughAll(t, lendUnknownWays, 0)
}

func TestC4_C10_ATaskThatWaitsForSeveralWithAnotherContextGetsThemAtOnce(t *testing.T) {
	lendThroughAll(t, lendUnknownWaysToSeveral, 0)
}

func TestC4_NParentsGetNChildrenOnNWorkers(t *testing.T) {
	const n = 8
	contexts := map[string]func(context.Context) context.Context{
		"own context": func(ctx context.Context) context.Context { return ctx },
		"background":  func(context.Context) context.Context { return context.Background() },
	}
	for name, with := range contexts {
		t.Run(name, func(t *testing.T) {
			pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, n)
				all := pooltest.NewGate(t)
				parents := make([]*future.Future[int], n)
				for i := range parents {
					parents[i] = pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
						_ = all.Hold(ctx)
						return pooltest.SubmitFunc(t, p, pooltest.Seven).Get(with(ctx))
					})
				}
				synctest.Wait()
				require.Equal(t, n, p.Stats().Busy)
				all.Open()
				probe.Elapse(time.Hour)
				for _, parent := range parents {
					v, err := pooltest.Settled(t, parent)
					require.NoError(t, err)
					assert.Equal(t, 7, v)
				}
				assert.Equal(t, n, p.Stats().Largest)
				pooltest.Balanced(t, p)
			})
		})
	}
}

// lendFib computes Fibonacci numbers by tasks that wait for tasks, and counts how many of these run
// at once and do not wait.
type lendFib struct {
	pool   *executor.Pool
	active atomic.Int32
	most   atomic.Int32
}

func (l *lendFib) of(t *testing.T, n int) future.Func[int] {
	return func(ctx context.Context) (int, error) {
		pooltest.Raise(&l.most, l.active.Add(1))
		defer l.active.Add(-1)
		time.Sleep(time.Millisecond)
		if n < 2 {
			return n, nil
		}
		l.active.Add(-1) // a submission may run the task, and is a wait as well
		a, b := pooltest.SubmitFunc(t, l.pool, l.of(t, n-1)), pooltest.SubmitFunc(t, l.pool, l.of(t, n-2))
		x, err := a.Get(ctx)
		y, err2 := b.Get(ctx)
		pooltest.Raise(&l.most, l.active.Add(1))
		return x + y, errors.Join(err, err2)
	}
}

func TestC4_RecursionRunsNoMoreThanTheSizeAtOnce(t *testing.T) {
	const n, fib = 10, 55
	for _, size := range []int{1, 2} {
		t.Run(fmt.Sprint("size ", size), func(t *testing.T) {
			pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, size)
				l := &lendFib{pool: p}
				var goroutines atomic.Int32
				root := pooltest.SubmitFunc(t, p, l.of(t, n))
				for range 1000 {
					if root.State().Settled() {
						break
					}
					time.Sleep(time.Millisecond)
					pooltest.Raise(&goroutines, int32(pooltest.Goroutines()))
				}
				v, err := pooltest.Settled(t, root)
				require.NoError(t, err)
				assert.Equal(t, fib, v)
				assert.LessOrEqual(t, int(l.most.Load()), size, "bodies that run and do not wait")
				assert.LessOrEqual(t, int(goroutines.Load()), (n+1)*size, "goroutines")
				pooltest.Balanced(t, p)
			})
		})
	}
}

func TestC4_AChainAThousandDeepEndsOnAPoolOfOne(t *testing.T) {
	const depth = 1000
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		most := 0
		var link func(left int) future.Func[int]
		link = func(left int) future.Func[int] {
			return func(ctx context.Context) (int, error) {
				if left == 0 {
					most = pooltest.Goroutines()
					return 0, nil
				}
				v, err := pooltest.SubmitFunc(t, p, link(left-1)).Get(ctx)
				return v + 1, err
			}
		}
		root := pooltest.SubmitFunc(t, p, link(depth))
		synctest.Wait()
		v, err := pooltest.Settled(t, root)
		require.NoError(t, err)
		assert.Equal(t, depth, v)
		assert.LessOrEqual(t, most, depth+1)
		assert.LessOrEqual(t, pooltest.Goroutines(), 1, "goroutines stay behind")
		pooltest.Balanced(t, p)
	})
}
