package contexts_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestAValueOfTheSubmitterComesBeforeThatOfThePool(t *testing.T) {
	type other struct{}
	base := context.WithValue(traced(t, "base"), other{}, "kept")
	p := pooltest.NewPool(t, 1, executor.BaseContext(base))
	f := pooltest.SubmitFunc(t, p, func(ctx context.Context) (string, error) {
		return fmt.Sprint(traceOf(ctx), " ", ctx.Value(other{}), " ", ctx.Value("unknown")), nil
	}, executor.WithValues(traced(t, "a")), executor.Timeout(time.Hour))
	seen, err := f.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "a kept <nil>", seen)
}

func TestTheRunsStillEndWithThePoolsBaseContext(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, _ pooltest.Maker) {
		base, end := context.WithCancelCause(t.Context())
		submitter, endSubmitter := context.WithCancelCause(traced(t, "a"))
		p := pooltest.NewPool(t, 1, executor.BaseContext(base))
		endSubmitter(errLeft)
		var first, derived error
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			first = ctx.Err()
			inner, cancel := context.WithCancel(ctx)
			defer cancel()
			<-inner.Done()
			derived = context.Cause(inner)
			return context.Cause(ctx)
		}, executor.WithValues(submitter))
		synctest.Wait()
		end(errBase)
		synctest.Wait()
		assert.NoError(t, first, "the end of the values means nothing")
		assert.Equal(t, errBase, derived)
		assert.Equal(t, errBase, pooltest.Outcome(t, f))
	})
}

// A context derived from that of a run attaches to it, and needs no goroutine of its own.
func TestAContextDerivedFromThatOfARunWithValuesCostsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, end := context.WithCancel(t.Context())
		submitter, cancel := context.WithCancel(traced(t, "a"))
		defer cancel()
		p := pooltest.NewPool(t, 1, executor.BaseContext(base))
		pooltest.Submit(t, p, func(ctx context.Context) error {
			before := pooltest.Goroutines()
			var derived []context.Context
			for range 100 {
				inner, cancel := context.WithCancel(ctx)
				defer cancel()
				derived = append(derived, inner)
			}
			assert.Equal(t, before, pooltest.Goroutines())
			end()
			for _, inner := range derived {
				assert.Error(t, inner.Err(), "it ends with its parent, in the same instant")
			}
			return nil
		}, executor.WithValues(submitter))
	})
}

func TestRunFromTellsTheTasksOwnRunWhateverContextItsValuesComeFrom(t *testing.T) {
	for name, with := range map[string]func(ctx context.Context) context.Context{
		"of a run": func(ctx context.Context) context.Context { return ctx },
		"derived":  func(ctx context.Context) context.Context { return context.WithValue(ctx, traceKey{}, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
				p, q := newPool(t, 1), newPool(t, 1)
				for _, of := range []*executor.Pool{p, q} {
					outer := pooltest.SubmitFunc(t, p, func(ctx context.Context) (string, error) {
						inner, err := executor.SubmitContext(with(ctx), of, func(ctx context.Context) (string, error) {
							run, ok := executor.RunFrom(ctx)
							return fmt.Sprint(run.Name, ok), nil
						}, executor.Name("inner"))
						if err != nil {
							return "", err
						}
						return inner.Get(ctx)
					}, executor.Name("outer"))
					synctest.Wait()
					name, err := pooltest.Settled(t, outer)
					require.NoError(t, err)
					assert.Equal(t, "innertrue", name)
				}
			})
		})
	}
}

func TestRunFromInATaskOfNoPoolIsNotTheSubmittersRun(t *testing.T) {
	p := pooltest.NewPool(t, 1)
	outer := pooltest.SubmitFunc(t, p, func(ctx context.Context) (found bool, err error) {
		_, err = executor.InvokeAll(ctx, &inline{}, func(ctx context.Context) (int, error) {
			_, found = executor.RunFrom(ctx)
			return 0, nil
		})
		return found, err
	})
	found, err := outer.Get(t.Context())
	require.NoError(t, err)
	assert.False(t, found)
}

// The child has the values of its parent, and not its run: to wait for the parent is no wait for
// itself, though it may take forever.
func TestAChildWithTheValuesOfItsParentMayWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		parents := make(chan *future.Future[struct{}], 1)
		var child *future.Future[int]
		parents <- pooltest.Submit(t, p, func(ctx context.Context) (err error) {
			child, err = executor.SubmitContext(context.WithValue(ctx, traceKey{}, 1), p,
				func(ctx context.Context) (int, error) {
					_, err := (<-parents).Get(ctx)
					return 7, err
				})
			time.Sleep(time.Second)
			return err
		})
		pass(time.Minute)
		v, err := pooltest.Settled(t, child)
		require.NoError(t, err)
		assert.Equal(t, 7, v)
	})
}

func TestATaskWithValuesIsToldThatItWaitsForItself(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		base, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := newPool(t, 2, executor.BaseContext(base))
		own := make(chan *future.Future[struct{}], 1)
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			self := <-own
			elsewhere := make(chan error)
			go func() { // known by its context alone
				_, err := self.Get(ctx)
				elsewhere <- err
			}()
			assert.Equal(t, future.ErrSelfWait, <-elsewhere)
			_, err := self.Get(ctx)
			return err
		}, executor.WithValues(traced(t, "a")))
		own <- f
		synctest.Wait()
		assert.Equal(t, future.ErrSelfWait, pooltest.Outcome(t, f))
	})
}

// The pool of one worker runs inner inside a run of the other pool; so who waits with the context
// of inner for that run waits for itself, through the base context.
func TestAWaitForTheRunThatThePoolsContextsEndWithIsFoundBehindValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer := pooltest.NewPool(t, 1)
		own := make(chan *future.Future[struct{}], 1)
		f := pooltest.Submit(t, outer, func(ctx context.Context) error {
			inner := pooltest.NewPool(t, 1, executor.BaseContext(ctx))
			_, err := executor.InvokeAll(traced(t, "a"), inner, func(ctx context.Context) (int, error) {
				_, err := (<-own).Get(ctx)
				assert.Equal(t, future.ErrSelfWait, err)
				return 0, nil
			})
			return err
		})
		own <- f
		synctest.Wait()
		assert.NoError(t, pooltest.Outcome(t, f))
	})
}

func TestATaskWithValuesWaitsForItsChildOnAPoolOfOne(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		var nested func(ctx context.Context, depth int) (int, error)
		nested = func(ctx context.Context, depth int) (int, error) {
			if depth == 0 {
				return len(traceOf(ctx).(string)), nil
			}
			child, err := executor.SubmitContext(ctx, p, func(ctx context.Context) (int, error) {
				return nested(ctx, depth-1)
			})
			if err != nil {
				return 0, err
			}
			return child.Get(ctx)
		}
		f, err := executor.SubmitContext(traced(t, "abc"), p,
			func(ctx context.Context) (int, error) { return nested(ctx, 20) })
		require.NoError(t, err)
		synctest.Wait()
		v, err := pooltest.Settled(t, f)
		require.NoError(t, err)
		assert.Equal(t, 3, v)
	})
}

// Tasks that submit each other forever, each with its own context, keep none of the earlier ones.
func TestATaskDoesNotKeepTheTaskThatHasSubmittedIt(t *testing.T) {
	for name, opts := range map[string][]executor.Option{
		"bare pools":               nil,
		"pools with base contexts": {executor.BaseContext(context.WithValue(t.Context(), baseKey{}, 1)), executor.Name("p")},
	} {
		t.Run(name, func(t *testing.T) {
			rounds := [2]*executor.Pool{pooltest.NewPool(t, 1, opts...), pooltest.NewPool(t, 1, opts...)}
			var earlier []weak.Pointer[[1 << 10]byte]
			depths := make(chan int)
			var ping func(ctx context.Context, n int)
			ping = func(ctx context.Context, n int) {
				if n == 40 {
					runtime.GC()
					runtime.GC()
					depth := 0
					for _, w := range earlier {
						if w.Value() != nil {
							depth++
						}
					}
					depths <- depth
					return
				}
				load := new([1 << 10]byte)
				earlier = append(earlier, weak.Make(load))
				_, err := executor.SubmitContext(ctx, rounds[n%2], func(ctx context.Context) (*[1 << 10]byte, error) {
					assert.Equal(t, "a", traceOf(ctx))
					ping(ctx, n+1)
					return load, nil
				})
				assert.NoError(t, err)
			}
			ping(traced(t, "a"), 0)
			assert.LessOrEqual(t, <-depths, 3)
		})
	}
}

// baseKey is the key of a value that a base context has.
type baseKey struct{}
