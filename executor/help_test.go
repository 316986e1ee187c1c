package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// lendPatience is after how long a pool helps a wait without being certain who it is that waits.
const lendPatience = 10 * time.Millisecond

// lendClosed has p stopped when the bubble ends, and the bodies that run then waited for.
func lendClosed(t *testing.T, p *executor.Pool) *executor.Pool {
	t.Helper()
	t.Cleanup(func() {
		p.ShutdownNow()
		ctx, cancel := context.WithTimeout(context.Background(), 10000*time.Hour)
		defer cancel()
		_ = p.AwaitTermination(ctx)
	})
	return p
}

// lendMake makes a pool of a kind that has at most size workers.
type lendMake func(t *testing.T, size int, opts ...executor.Option) *executor.Pool

func lendPlain(t *testing.T, size int, opts ...executor.Option) *executor.Pool {
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	return lendClosed(t, executor.NewPool(size, append([]executor.Option{quiet}, opts...)...))
}

func lendScheduled(t *testing.T, size int, opts ...executor.Option) *executor.Pool {
	return &withPool(t, size, opts...).Pool
}

func lendPlainWith(extra ...executor.Option) lendMake {
	return func(t *testing.T, size int, opts ...executor.Option) *executor.Pool {
		return lendPlain(t, size, append(extra[:len(extra):len(extra)], opts...)...)
	}
}

// lendKinds are the kinds of pools, none of which refuses a task of Submit.
var lendKinds = map[string]lendMake{
	"plain":     lendPlain,
	"bounded":   lendPlainWith(executor.BoundedFIFO(2), executor.OnRejection(executor.CallerRuns)),
	"blocking":  lendPlainWith(executor.BoundedFIFO(2), executor.OnRejection(executor.Block)),
	"hand-off":  lendPlainWith(executor.HandOff(), executor.OnRejection(executor.CallerRuns)),
	"priority":  lendPlainWith(executor.PriorityFIFO()),
	"scheduled": lendScheduled,
}

// lendEach runs a test in a bubble for each kind of pool.
func lendEach(t *testing.T, test func(t *testing.T, newPool lendMake)) {
	for kind, newPool := range lendKinds {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newPool) })
		})
	}
}

// lendSubmit submits fn and fails the test, without ending the goroutine, if the pool refuses it.
func lendSubmit[V any](t *testing.T, p executor.Submitter, fn future.Func[V], opts ...executor.TaskOption) *future.Future[V] {
	t.Helper()
	f, err := executor.Submit(p, fn, opts...)
	if !assert.NoError(t, err) {
		return future.Failed[V](err)
	}
	return f
}

// lendSettled returns the outcome of a future that must be settled by now.
func lendSettled[V any](t *testing.T, f *future.Future[V]) (V, error) {
	t.Helper()
	r, ok := f.Poll()
	require.True(t, ok, "future is %v", f)
	return r.Value, r.Err
}

func lendSeven(context.Context) (int, error) { return 7, nil }

// lendAccounted asserts that every task has come to one end, on a pool at rest.
func lendAccounted(t *testing.T, p *executor.Pool) {
	t.Helper()
	synctest.Wait()
	s := p.Stats()
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned+uint64(s.Queued)+uint64(s.Busy), "%+v", s)
}

// lendWay is a way to have a child run by p and to wait for it, from a task with the context ctx.
type lendWay func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error)

func lendGet(with func(ctx context.Context) context.Context) lendWay {
	return func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		return lendSubmit(t, p, lendSeven).Get(with(ctx))
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
		values, err := future.All(ctx, lendSubmit(t, p, lendSeven), lendSubmit(t, p, lendSeven))
		return (values[0] + values[1]) / 2, err
	},
	"Any": func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		none := func(context.Context) (int, error) { return 0, errWith }
		return future.Any(ctx, lendSubmit(t, p, none), lendSubmit(t, p, lendSeven))
	},
	"Completed": func(t *testing.T, ctx context.Context, p *executor.Pool) (v int, err error) {
		for _, r := range future.Completed(ctx, lendSubmit(t, p, lendSeven)) {
			v, err = r.Value, r.Err
		}
		return v, err
	},
	"CompletionService.Take": func(t *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		s := executor.NewCompletionService[int](p)
		_, err := s.Submit(lendSeven)
		assert.NoError(t, err)
		f, err := s.Take(ctx)
		if err != nil {
			return 0, err
		}
		return f.Get(ctx)
	},
	"CompletionService.All": func(t *testing.T, ctx context.Context, p *executor.Pool) (sum int, err error) {
		s := executor.NewCompletionService[int](p)
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
		g := executor.NewGroup(ctx, p)
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
		fs, err := executor.InvokeAll(ctx, p, lendSeven, lendSeven)
		if err != nil {
			return 0, err
		}
		return fs[1].Get(ctx)
	},
	"InvokeAny": func(_ *testing.T, ctx context.Context, p *executor.Pool) (int, error) {
		none := func(context.Context) (int, error) { return 0, errWith }
		return executor.InvokeAny(ctx, p, none, lendSeven)
	},
}

// lendUnknownWays are the ways that do not give the wait the context of the task.
var lendUnknownWays = map[string]lendWay{
	"Get in the background": lendGet(func(context.Context) context.Context { return context.Background() }),
	"Get with nil":          lendGet(func(context.Context) context.Context { return nil }),
	"GetTimeout": func(t *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		return lendSubmit(t, p, lendSeven).GetTimeout(time.Hour)
	},
	"Group.Wait": func(t *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		g := executor.NewGroup(nil, p) //nolint:staticcheck // that nil never ends is promised
		assert.NoError(t, g.Go(withNothing))
		return 7, g.Wait()
	},
	"InvokeAll": func(_ *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		fs, err := executor.InvokeAll(context.Background(), p, lendSeven)
		if err != nil {
			return 0, err
		}
		return fs[0].GetTimeout(1)
	},
}

// lendUnknownWaysToSeveral are those that wait for the first of several to be settled.
var lendUnknownWaysToSeveral = map[string]lendWay{
	"InvokeAny": func(_ *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		return executor.InvokeAny(context.Background(), p, lendSeven)
	},
	"All": func(t *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		values, err := future.All(context.Background(), lendSubmit(t, p, lendSeven))
		return append(values, 0)[0], err
	},
	"CompletionService.Take": func(t *testing.T, _ context.Context, p *executor.Pool) (int, error) {
		s := executor.NewCompletionService[int](p)
		_, err := s.Submit(lendSeven)
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
func lendThrough(t *testing.T, newPool lendMake, way lendWay, within time.Duration) {
	p := newPool(t, 1)
	start := time.Now()
	var took time.Duration
	parent := lendSubmit(t, p, func(ctx context.Context) (int, error) {
		v, err := way(t, ctx, p)
		took = time.Since(start)
		return v, err
	})
	withPassed(time.Hour)
	v, err := lendSettled(t, parent)
	require.NoError(t, err)
	assert.Equal(t, 7, v)
	assert.LessOrEqual(t, took, within)
	lendAccounted(t, p)
}

// lendThroughAll tries all ways on pools of all kinds.
func lendThroughAll(t *testing.T, ways map[string]lendWay, within time.Duration) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			lendEach(t, func(t *testing.T, newPool lendMake) { lendThrough(t, newPool, way, within) })
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
			lendEach(t, func(t *testing.T, newPool lendMake) {
				p := newPool(t, n)
				all := withNewGate(t)
				parents := make([]*future.Future[int], n)
				for i := range parents {
					parents[i] = lendSubmit(t, p, func(ctx context.Context) (int, error) {
						_ = all.hold(ctx)
						return lendSubmit(t, p, lendSeven).Get(with(ctx))
					})
				}
				synctest.Wait()
				require.Equal(t, n, p.Stats().Busy)
				all.open()
				withPassed(time.Hour)
				for _, parent := range parents {
					v, err := lendSettled(t, parent)
					require.NoError(t, err)
					assert.Equal(t, 7, v)
				}
				assert.Equal(t, n, p.Stats().Largest)
				lendAccounted(t, p)
			})
		})
	}
}

// lendFib computes Fibonacci numbers by tasks that wait for tasks, and counts how many of these run at
// once and do not wait.
type lendFib struct {
	pool   *executor.Pool
	active atomic.Int32
	most   atomic.Int32
}

func lendRaise(most *atomic.Int32, n int32) {
	for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
	}
}

func (l *lendFib) of(t *testing.T, n int) future.Func[int] {
	return func(ctx context.Context) (int, error) {
		lendRaise(&l.most, l.active.Add(1))
		defer l.active.Add(-1)
		time.Sleep(time.Millisecond)
		if n < 2 {
			return n, nil
		}
		l.active.Add(-1) // a submission may run the task, and is a wait as well
		a, b := lendSubmit(t, l.pool, l.of(t, n-1)), lendSubmit(t, l.pool, l.of(t, n-2))
		x, err := a.Get(ctx)
		y, err2 := b.Get(ctx)
		lendRaise(&l.most, l.active.Add(1))
		return x + y, errors.Join(err, err2)
	}
}

func TestC4_RecursionRunsNoMoreThanTheSizeAtOnce(t *testing.T) {
	const n, fib = 10, 55
	for _, size := range []int{1, 2} {
		t.Run(fmt.Sprint("size ", size), func(t *testing.T) {
			lendEach(t, func(t *testing.T, newPool lendMake) {
				p := newPool(t, size)
				l := &lendFib{pool: p}
				var goroutines atomic.Int32
				root := lendSubmit(t, p, l.of(t, n))
				for range 1000 {
					if root.State().Settled() {
						break
					}
					time.Sleep(time.Millisecond)
					lendRaise(&goroutines, int32(poolGoroutines()))
				}
				v, err := lendSettled(t, root)
				require.NoError(t, err)
				assert.Equal(t, fib, v)
				assert.LessOrEqual(t, int(l.most.Load()), size, "bodies that run and do not wait")
				assert.LessOrEqual(t, int(goroutines.Load()), (n+1)*size, "goroutines")
				lendAccounted(t, p)
			})
		})
	}
}

func TestC4_AChainAThousandDeepEndsOnAPoolOfOne(t *testing.T) {
	const depth = 1000
	lendEach(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 1)
		most := 0
		var link func(left int) future.Func[int]
		link = func(left int) future.Func[int] {
			return func(ctx context.Context) (int, error) {
				if left == 0 {
					most = poolGoroutines()
					return 0, nil
				}
				v, err := lendSubmit(t, p, link(left-1)).Get(ctx)
				return v + 1, err
			}
		}
		root := lendSubmit(t, p, link(depth))
		synctest.Wait()
		v, err := lendSettled(t, root)
		require.NoError(t, err)
		assert.Equal(t, depth, v)
		assert.LessOrEqual(t, most, depth+1)
		assert.LessOrEqual(t, poolGoroutines(), 1, "goroutines stay behind")
		lendAccounted(t, p)
	})
}
