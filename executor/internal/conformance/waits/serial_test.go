package waits_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// laneWay is a way of a task with the context ctx to wait for a task that it submits to s.
type laneWay func(ctx context.Context, s *serial.Serial) error

func laneGet(ctx context.Context, s *serial.Serial) error {
	f, err := s.Submit(pooltest.Nothing)
	if err == nil {
		_, err = f.Get(ctx)
	}
	return err
}

func laneDo(context.Context) (struct{}, error) { return struct{}{}, nil }

// laneWays are the ways to wait for one task.
var laneWays = map[string]laneWay{
	"Get":                   laneGet,
	"Get in the background": func(_ context.Context, s *serial.Serial) error { return laneGet(context.Background(), s) },
	"Get with nil":          func(_ context.Context, s *serial.Serial) error { return laneGet(nil, s) }, //nolint:staticcheck // allowed
	"GetTimeout": func(_ context.Context, s *serial.Serial) error {
		f, err := s.Submit(pooltest.Nothing)
		if err == nil {
			_, err = f.GetTimeout(time.Minute)
		}
		return err
	},
	"InvokeAll": func(ctx context.Context, s *serial.Serial) error {
		_, err := executor.InvokeAll(ctx, s, laneDo)
		return err
	},
}

// laneWaysToSeveral are the ways to wait for several.
var laneWaysToSeveral = map[string]laneWay{
	"InvokeAny": func(ctx context.Context, s *serial.Serial) error {
		_, err := executor.InvokeAny(ctx, s, laneDo)
		return err
	},
	"Group.Wait": func(ctx context.Context, s *serial.Serial) error {
		g := bulk.NewGroup(ctx, s)
		if err := g.Go(pooltest.Nothing); err != nil {
			return err
		}
		return g.Wait()
	},
	"CompletionService.Take": func(ctx context.Context, s *serial.Serial) error {
		c := bulk.NewCompletionService[struct{}](s)
		if _, err := c.Submit(laneDo); err != nil {
			return err
		}
		_, err := c.Take(ctx)
		return err
	},
	"All": func(ctx context.Context, s *serial.Serial) error {
		f, err := s.Submit(pooltest.Nothing)
		if err == nil {
			_, err = future.All(ctx, f)
		}
		return err
	},
	"Any": func(ctx context.Context, s *serial.Serial) error {
		f, err := s.Submit(pooltest.Nothing)
		if err == nil {
			_, err = future.Any(ctx, f)
		}
		return err
	},
}

// laneBehind asserts that a task that waits for one behind it is told so, on a pool of the given
// size.
func laneBehind(t *testing.T, newPool pooltest.Maker, size int, way laneWay) {
	p := newPool(t, size)
	s := serial.New(p)
	var err error
	returned := false
	task, refused := s.Submit(func(ctx context.Context) error {
		err = way(ctx, s)
		returned = true
		return nil
	})
	require.NoError(t, refused)
	probe.Elapse(time.Second)
	assert.True(t, returned, "it waits in silence: %v", task)
	assert.ErrorIs(t, err, future.ErrSelfWait)
}

func laneBehindAll(t *testing.T, ways map[string]laneWay, size int) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) { laneBehind(t, newPool, size, way) })
		})
	}
}

func TestC4_C10_ASerialTaskThatWaitsForOneBehindItIsToldSo(t *testing.T) {
	laneBehindAll(t, laneWays, 1)
}

func TestC4_C10_ASerialTaskThatWaitsForOneBehindItIsToldSoWhileWorkersAreIdle(t *testing.T) {
	laneBehindAll(t, laneWays, 2)
}

func TestC4_C10_ASerialTaskThatWaitsForAnyBehindItIsToldSo(t *testing.T) {
	laneBehindAll(t, laneWaysToSeveral, 1)
}

func TestC3_ASerialTaskThatWaitsForItselfIsToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serial.New(pooltest.NewPool(t, 1))
		var f *future.Future[struct{}]
		begun := pooltest.NewGate(t)
		f = pooltest.Submit(t, s, func(ctx context.Context) error {
			_ = begun.Hold(ctx)
			_, err := f.Get(ctx)
			return err
		})
		begun.Open()
		synctest.Wait()
		assert.Equal(t, future.ErrSelfWait, pooltest.Outcome(t, f))
	})
}

func TestC4_ASerialTaskWaitsForATaskOfAnotherSerial(t *testing.T) {
	contexts := map[string]func(context.Context) context.Context{
		"own context": func(ctx context.Context) context.Context { return ctx },
		"background":  func(context.Context) context.Context { return context.Background() },
	}
	for name, with := range contexts {
		t.Run(name, func(t *testing.T) {
			pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, 1)
				mine, other := serial.New(p), serial.New(p)
				parent := pooltest.SubmitFunc(t, mine, func(ctx context.Context) (int, error) {
					return pooltest.SubmitFunc(t, other, pooltest.Seven).Get(with(ctx))
				})
				next := pooltest.Submit(t, mine, pooltest.Nothing)
				probe.Elapse(time.Second)
				v, err := pooltest.Settled(t, parent)
				require.NoError(t, err)
				assert.Equal(t, 7, v)
				assert.NoError(t, pooltest.Outcome(t, next))
				pooltest.Balanced(t, p)
			})
		})
	}
}

// The task before it is in the queue, and the only worker waits.
func TestC4_ATaskThatWaitsForTheLastOfASerialGetsIt(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		tr := pooltest.NewTrace()
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			s := serial.New(p)
			for _, name := range []string{"a", "b"} {
				assert.NoError(t, s.Execute(tr.Lasting(name, time.Second)))
			}
			last, _ := s.Submit(tr.Lasting("last", time.Second))
			return last.Get(ctx)
		})
		probe.Elapse(time.Hour)
		assert.Equal(t, pooltest.Waited{Took: 3 * time.Second}, pooltest.Took(t, parent))
		assert.Equal(t, []string{"a 1s", "b 2s", "last 3s"}, tr.Seen())
		pooltest.Balanced(t, p)
	})
}

// The worker that runs the task before it is busy with that only.
func TestC4_ATaskWaitsForItsTurnAndIsHelpedThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		s := serial.New(p)
		tr := pooltest.NewTrace()
		require.NoError(t, s.Execute(tr.Lasting("first", time.Minute)))
		second := pooltest.Submit(t, s, tr.Task("second"))
		parent := pooltest.Wait(t, p, second.Get)
		synctest.Wait()
		require.NoError(t, p.Execute(tr.Lasting("other", time.Hour))) // begins before the second
		probe.Elapse(2 * time.Hour)
		assert.Equal(t, pooltest.Waited{Took: time.Minute}, pooltest.Took(t, parent))
		assert.Equal(t, []string{"first 1m0s", "second 1m0s", "other 1h1m0s"}, tr.Seen())
		pooltest.Balanced(t, p)
	})
}

func TestC10_InvokeAllOverASerialFromATaskRunsAllInOrder(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		var seen []int // not synchronised
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			var fns []future.Func[int]
			for i := range 20 {
				fns = append(fns, func(context.Context) (int, error) {
					seen = append(seen, i)
					time.Sleep(time.Second)
					return i, nil
				})
			}
			_, err := executor.InvokeAll(ctx, serial.New(p), fns...)
			return struct{}{}, err
		})
		probe.Elapse(time.Hour)
		assert.Equal(t, pooltest.Waited{Took: 20 * time.Second}, pooltest.Took(t, parent))
		assert.Equal(t, pooltest.CountTo(20), seen)
		pooltest.Balanced(t, p)
	})
}

// Its context does not tell who waits, but its goroutine does.
func TestATaskThatWaitsForALaterOneOfItsSerialByAnotherContextGetsNoResultOfIt(t *testing.T) {
	for name, ctx := range map[string]context.Context{"background": context.Background(), "nil": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewPool(4)
				defer p.Close()
				s := serial.New(p)
				done := future.Of(1)
				first, err := s.Submit(func(context.Context) error {
					later, err := executor.Submit(s, func(context.Context) (int, error) { return 42, nil })
					require.NoError(t, err)
					_, err = later.Get(ctx)
					assert.ErrorIs(t, err, future.ErrSelfWait)
					vs, err := future.All(ctx, done, later)
					assert.ErrorIs(t, err, future.ErrSelfWait, "the values %v", vs)
					v, err := future.Any(ctx, later)
					assert.ErrorIs(t, err, future.ErrSelfWait, "the value %v", v)
					var order []int
					for i, r := range future.Completed(ctx, later, done, later) {
						order = append(order, i)
						assert.Equal(t, i == 1, r.Err == nil)
					}
					assert.Equal(t, []int{0, 1, 2}, order, "what is refused is so at once")
					for range future.Completed(ctx, later, later) {
						break
					}
					return nil
				})
				require.NoError(t, err)
				_, err = first.Get(context.Background())
				assert.NoError(t, err)
			})
		})
	}
}

// A task that is scheduled for later takes its place in the order only when it is due. Still it
// does not begin before the run that waits for it has ended.
func TestC4_C10_ASerialTaskThatWaitsForOneScheduledThereIsToldSo(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s := serial.New(pooltest.NewScheduledPool(t, 2))
			ran := false
			f := pooltest.Submit(t, s, func(ctx context.Context) error {
				later, err := s.Schedule(delay, func(context.Context) error { ran = true; return nil })
				require.NoError(t, err)
				_, err = later.Get(ctx)
				return err
			})
			time.Sleep(time.Hour)
			synctest.Wait()
			assert.ErrorIs(t, pooltest.Outcome(t, f), future.ErrSelfWait)
			assert.True(t, ran, "after the run")
		})
	}
}
