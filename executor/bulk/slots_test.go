package bulk_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// foreignPool is a pool that passes for the Submitter of another package.
type foreignPool struct{ *executor.Pool }

// eachLimited runs a test for a group with a limit on a pool of eight workers, and on the same as a
// foreign Submitter.
func eachLimited(
	t *testing.T, limit int, test func(t *testing.T, g *bulk.Group, p *executor.Pool),
) {
	for name, of := range map[string]func(p *executor.Pool) executor.Submitter{
		"native":  func(p *executor.Pool) executor.Submitter { return p },
		"foreign": func(p *executor.Pool) executor.Submitter { return foreignPool{p} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 8)
				g := bulk.NewGroup(t.Context(), of(p))
				g.SetLimit(limit)
				test(t, g, p)
			})
		})
	}
}

// atOnce counts how many bodies are running.
type atOnce struct{ now, most atomic.Int32 }

// task returns a body that takes a while.
func (c *atOnce) task(d time.Duration) executor.Task {
	return func(context.Context) error {
		now := c.now.Add(1)
		defer c.now.Add(-1)
		for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); {
			most = c.most.Load()
		}
		time.Sleep(d)
		return nil
	}
}

func TestGroupWithALimitHasThatManyInFlight(t *testing.T) {
	eachLimited(t, 3, func(t *testing.T, g *bulk.Group, _ *executor.Pool) {
		var c atOnce
		start := time.Now()
		for range 10 {
			require.NoError(t, g.Go(c.task(time.Second)))
		}
		assert.Equal(t, 3*time.Second, time.Since(start), "Go waits for its turn")
		require.NoError(t, g.Wait())
		assert.Equal(t, 4*time.Second, time.Since(start))
		assert.EqualValues(t, 3, c.most.Load())
	})
}

func TestGroupTryGoDoesNotWait(t *testing.T) {
	eachLimited(t, 1, func(t *testing.T, g *bulk.Group, _ *executor.Pool) {
		require.NoError(t, g.TryGo(pooltest.Sleep(time.Second)))
		err := g.TryGo(pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.ErrorIs(t, err, executor.ErrRejected)
		assert.EqualError(t, err, "bulk: group has as many members as it may")
		time.Sleep(2 * time.Second)
		assert.NoError(t, g.TryGo(pooltest.Nothing), "there is room again")
		assert.NoError(t, g.Wait(), "a refusal is no failure")
	})
}

func TestGroupALimitOfZeroLetsNobodyIn(t *testing.T) {
	eachLimited(t, 0, func(t *testing.T, g *bulk.Group, _ *executor.Pool) {
		assert.ErrorIs(t, g.TryGo(pooltest.Nothing), executor.ErrSaturated)
		time.AfterFunc(time.Minute, func() { g.SetLimit(-1) })
		start := time.Now()
		require.NoError(t, g.Go(pooltest.Nothing))
		assert.Equal(t, time.Minute, time.Since(start), "a new limit wakes those who wait")
		require.NoError(t, g.Wait())
	})
}

func TestGroupWhatThePoolRefusesTakesNoSlot(t *testing.T) {
	for name, of := range map[string]func(p *executor.Pool) executor.Submitter{
		"native":  func(p *executor.Pool) executor.Submitter { return p },
		"foreign": func(p *executor.Pool) executor.Submitter { return foreignPool{p} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				full := pooltest.NewFull(t)
				g := bulk.NewGroup(t.Context(), of(full.Pool))
				g.SetLimit(1)
				for range 3 {
					assert.EqualError(t, g.Go(pooltest.Nothing), executor.ErrSaturated.Error())
				}
				assert.Equal(t, executor.ErrNilTask, g.Go(nil))
				full.Finish()
			})
		})
	}
}

func TestGroupGoWaitsForItsTurnNoLongerThanTheGroupLasts(t *testing.T) {
	for name, row := range map[string]struct {
		end  func(g *bulk.Group, cancel context.CancelFunc)
		want error
	}{
		"cancelled": {
			func(g *bulk.Group, _ context.CancelFunc) { g.Cancel(pooltest.ErrTask) }, pooltest.ErrTask,
		},
		"context": {
			func(_ *bulk.Group, cancel context.CancelFunc) { cancel() }, context.Canceled,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				g := bulk.NewGroup(ctx, pooltest.NewPool(t, 2))
				g.SetLimit(1)
				require.NoError(t, g.Go(pooltest.Sleep(time.Hour)))
				time.AfterFunc(time.Second, func() { row.end(g, cancel) })
				start := time.Now()
				err := g.Go(pooltest.Nothing)
				assert.Equal(t, time.Second, time.Since(start))
				assert.ErrorIs(t, err, row.want)
				assert.ErrorIs(t, err, future.ErrCancelled)
				assert.ErrorIs(t, g.Wait(), row.want)
				assert.Equal(t, time.Hour, time.Since(start), "the body ignores its context")
			})
		})
	}
}

func TestGroupNobodyTakesTheSlotOfAMemberThatHasFailed(t *testing.T) {
	eachLimited(t, 1, func(t *testing.T, g *bulk.Group, _ *executor.Pool) {
		require.NoError(t, g.Go(groupFails(pooltest.ErrTask, time.Second)))
		var runs atomic.Int32
		assert.ErrorIs(t, g.Go(groupCount(&runs)), pooltest.ErrTask)
		assert.Equal(t, pooltest.ErrTask, g.Wait())
		assert.Zero(t, runs.Load())
	})
}

func TestGroupATaskOfThePoolWaitsForItsTurnWithoutItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var c atOnce
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			g := bulk.NewGroup(ctx, p)
			g.SetLimit(1)
			for range 5 {
				if err := g.Go(c.task(time.Second)); err != nil {
					return err
				}
			}
			return g.Wait()
		})
		start := time.Now()
		_, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 5*time.Second, time.Since(start))
	})
}

func TestGroupAMemberWaitsForItsTurnWhileAnotherIsInFlight(t *testing.T) {
	eachLimited(t, 2, func(t *testing.T, g *bulk.Group, _ *executor.Pool) {
		trace := pooltest.NewTrace()
		require.NoError(t, g.Go(trace.Lasting("other", time.Second)))
		require.NoError(t, g.Go(func(context.Context) error { return g.Go(trace.Task("child")) }))
		require.NoError(t, g.Wait())
		assert.Equal(t, []string{"other 1s", "child 1s"}, trace.Seen())
	})
}

func TestGroupTheLastMemberThatWouldWaitForMembersIsRefused(t *testing.T) {
	eachLimited(t, 2, func(t *testing.T, g *bulk.Group, _ *executor.Pool) {
		refused := make(chan error, 2)
		for i := range 2 {
			require.NoError(t, g.Go(func(context.Context) error {
				time.Sleep(time.Duration(i+1) * time.Second)
				err := g.Go(pooltest.Nothing)
				if errors.Is(err, future.ErrSelfWait) {
					refused <- err
					return nil
				}
				return err
			}))
		}
		require.NoError(t, g.Wait())
		assert.Len(t, refused, 1)
	})
}

func TestGroupAMemberIsRefusedIfALowerLimitLeavesItAlone(t *testing.T) {
	eachLimited(t, 2, func(t *testing.T, g *bulk.Group, _ *executor.Pool) {
		start := time.Now()
		require.NoError(t, g.Go(pooltest.Sleep(time.Minute)))
		require.NoError(t, g.Go(func(context.Context) error {
			err := g.Go(pooltest.Nothing)
			assert.ErrorIs(t, err, future.ErrSelfWait)
			return nil
		}))
		synctest.Wait()
		g.SetLimit(1)
		require.NoError(t, g.Wait())
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

func TestGroupATaskBeforeTheMembersOfASerialIsRefusedATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serial.New(pooltest.NewPool(t, 2))
		f, err := s.Submit(func(ctx context.Context) error {
			g := bulk.NewGroup(ctx, s)
			g.SetLimit(1)
			if err := g.Go(pooltest.Nothing); err != nil {
				return err
			}
			err := g.Go(pooltest.Nothing)
			assert.ErrorIs(t, err, future.ErrSelfWait)
			return nil
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
	})
}

func TestGroupATaskOfALoopIsRefusedATurnThatOnlyTheLoopCouldGive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New()
		defer l.Close()
		f, err := l.Submit(func(ctx context.Context) error {
			g := bulk.NewGroup(ctx, l)
			g.SetLimit(1)
			if err := g.Go(pooltest.Nothing); err != nil {
				return err
			}
			return g.Go(pooltest.Nothing)
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
	})
}

func TestGroupManyHandsKeepToTheLimit(t *testing.T) {
	eachLimited(t, 4, func(t *testing.T, g *bulk.Group, p *executor.Pool) {
		var c atOnce
		hands := bulk.NewGroup(t.Context(), p)
		for range 6 {
			require.NoError(t, hands.Go(func(context.Context) error {
				for range 20 {
					if err := g.Go(c.task(time.Millisecond)); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		require.NoError(t, hands.Wait())
		require.NoError(t, g.Wait())
		synctest.Wait() // what is settled is counted a moment later
		assert.LessOrEqual(t, c.most.Load(), int32(4))
		assert.EqualValues(t, 120, p.Stats().Completed-6)
	})
}

func TestGroupCancelEndsItAsAFailureDoes(t *testing.T) {
	for name, row := range map[string]struct{ cause, want error }{
		"cause": {pooltest.ErrTask, pooltest.ErrTask}, "nil": {nil, future.ErrCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := bulk.NewGroup(t.Context(), pooltest.NewPool(t, 1))
				var seen error
				var runs atomic.Int32
				groupGo(t, g, groupHeed(&seen), groupCount(&runs))
				synctest.Wait()
				g.Cancel(row.cause)
				assert.ErrorIs(t, g.Go(groupCount(&runs)), row.want)
				g.Cancel(errors.New("too late"))
				assert.Equal(t, row.want, g.Wait())
				assert.ErrorIs(t, seen, row.want)
				assert.Zero(t, runs.Load())
			})
		})
	}
}

func TestGroupContextEndsWithTheGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key("k"), "v"))
		p := pooltest.NewPool(t, 1)
		g := bulk.NewGroup(parent, p)
		ctx := g.Context()
		assert.Equal(t, "v", ctx.Value(key("k")))
		assert.Equal(t, ctx, g.Context())
		require.NoError(t, g.Go(pooltest.Sleep(time.Second)))
		require.NoError(t, ctx.Err())
		require.NoError(t, g.Wait())
		assert.ErrorIs(t, ctx.Err(), context.Canceled, "there is nobody left to need it")

		ctx = g.Context()
		require.NoError(t, ctx.Err(), "the group goes on")
		require.NoError(t, g.Go(pooltest.Fail))
		<-ctx.Done()
		assert.Equal(t, pooltest.ErrTask, context.Cause(ctx))
		assert.Equal(t, pooltest.ErrTask, g.Wait())
		assert.Equal(t, pooltest.ErrTask, context.Cause(g.Context()), "also afterwards")

		ctx = bulk.NewGroup(parent, p).Context()
		cancel(pooltest.ErrTask)
		assert.Equal(t, pooltest.ErrTask, context.Cause(ctx))
	})
}

// key is the type of keys for values in contexts.
type key string
