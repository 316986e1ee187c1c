package bulk_test

import (
	"context"
	"errors"
	"sync"
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
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
)

// When a group has failed, or its context has ended, a member that has not begun does not begin:
// not even one that a worker has taken already. Nobody else need know of the end by then, so a
// member about to begin asks for itself.

// slowContext is a context of another make. Who waits for its end learns of it late; who asks, at
// once.
type slowContext struct {
	context.Context
	over atomic.Bool
}

func (c *slowContext) Done() <-chan struct{} { return c.Context.Done() }

func (c *slowContext) Err() error {
	if c.over.Load() {
		return context.Canceled
	}
	return c.Context.Err()
}

// groupContexts are ways to make a context, and to end it.
var groupContexts = map[string]func(t *testing.T) (context.Context, func()){
	"cancelled": func(t *testing.T) (context.Context, func()) {
		ctx, cancel := context.WithCancel(t.Context())
		return ctx, cancel
	},
	"derived": func(t *testing.T) (context.Context, func()) {
		parent, cancel := context.WithCancelCause(t.Context())
		ctx, release := context.WithTimeout(parent, time.Hour)
		t.Cleanup(release)
		return ctx, func() { cancel(pooltest.ErrCause) }
	},
	"slow": func(t *testing.T) (context.Context, func()) {
		parent, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		ctx := &slowContext{Context: parent}
		return ctx, func() { ctx.over.Store(true) }
	},
	"broken": func(*testing.T) (context.Context, func()) {
		ctx := newMute()
		return ctx, ctx.end
	},
}

// muteContext breaks the contract of contexts: it ends without an error.
type muteContext struct {
	context.Context
	done chan struct{}
	once sync.Once
}

func newMute() *muteContext {
	return &muteContext{Context: context.Background(), done: make(chan struct{})}
}

func (c *muteContext) Done() <-chan struct{} { return c.done }
func (c *muteContext) end()                  { c.once.Do(func() { close(c.done) }) }

func TestGroupNoMemberBeginsAfterOneHasEndedItsContext(t *testing.T) {
	const members, ender = 10, 5
	for name, newContext := range groupContexts {
		t.Run(name, func(t *testing.T) {
			for range 1000 {
				synctest.Test(t, func(t *testing.T) {
					p := pooltest.NewPool(t, 1)
					ctx, end := newContext(t)
					g := bulk.NewGroup(ctx, p)
					hold := pooltest.NewGate(t)
					require.NoError(t, p.Execute(hold.Hold))
					ran := 0
					for range members {
						groupGo(t, g, func(context.Context) error {
							if ran++; ran == ender {
								end()
							}
							return nil
						})
					}
					hold.Open()
					err := g.Wait()
					assert.ErrorIs(t, err, context.Canceled)
					assert.Equal(t, ender, ran)
					synctest.Wait()
					s := p.Stats()
					assert.LessOrEqual(t, s.Completed, uint64(1+ender), "the ender itself may have been cancelled")
					assert.Equal(t, s.Accepted, s.Completed+s.Cancelled)
					assert.Zero(t, s.Failures)
				})
			}
		})
	}
}

func TestGroupWaitTellsOfTheEndOfItsContextByTheLastMember(t *testing.T) {
	for name, newContext := range groupContexts {
		t.Run(name, func(t *testing.T) {
			for range 1000 {
				synctest.Test(t, func(t *testing.T) {
					ctx, end := newContext(t)
					g := bulk.NewGroup(ctx, pooltest.NewPool(t, 1))
					groupGo(t, g, pooltest.Nothing, func(context.Context) error { end(); return nil })
					assert.ErrorIs(t, g.Wait(), context.Canceled)
				})
			}
		})
	}
}

func TestGroupGoOfAContextThatHasEndedWithoutAnErrorStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		ctx := newMute()
		ctx.end()
		g := bulk.NewGroup(ctx, p)
		err := g.Go(pooltest.Nothing)
		assert.ErrorIs(t, err, future.ErrCancelled)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, g.Wait(), context.Canceled)
		assert.Zero(t, p.Stats().Accepted)
	})
}

func TestGroupAContextThatEndsWithoutAnErrorCancelsItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := newMute()
		time.AfterFunc(time.Minute, ctx.end)
		g := bulk.NewGroup(ctx, pooltest.NewPool(t, 1))
		var seen error
		groupGo(t, g, groupHeed(&seen))
		start := time.Now()
		assert.ErrorIs(t, g.Wait(), context.Canceled)
		assert.ErrorIs(t, seen, context.Canceled)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

func TestGroupAMemberThatWasTakenAndNotBegunCountsAsCancelled(t *testing.T) {
	cases := map[string]struct {
		byFailure                     bool
		completed, cancelled, failure uint64
	}{
		"by the end of the context": {false, 0, 2, 0}, // with which the other member ends, too
		"by a failure":              {true, 1, 1, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 2)
				ctx, cancel := context.WithCancel(t.Context())
				g := bulk.NewGroup(ctx, p)
				other := pooltest.NewGate(t)
				groupGo(
					t, g,
					func(ctx context.Context) error { return errors.Join(other.Hold(ctx), pooltest.ErrTask) },
				)
				synctest.Wait()
				delaytest.Once(t, delay.CellBegun, func() {
					if !c.byFailure {
						cancel()
						return
					}
					other.Open()
					time.Sleep(time.Second)
				})
				var runs atomic.Int32
				groupGo(t, g, groupCount(&runs))
				synctest.Wait()
				other.Open()
				assert.Error(t, g.Wait())
				assert.Zero(t, runs.Load())
				synctest.Wait()
				s := p.Stats()
				assert.Equal(t, []uint64{c.completed, c.cancelled, c.failure},
					[]uint64{s.Completed, s.Cancelled, s.Failures})
			})
		})
	}
}

// The group does not know the member yet: Go, which is to add it, runs it.
func TestGroupAMemberThatGoRunsAndDoesNotBeginCountsAsCancelled(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			ctx := &slowContext{Context: t.Context()}
			p := pooltest.NewPool(
				t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(func(r *rejection.Task) error {
					ctx.over.Store(true)
					return r.Run()
				}),
			)
			hold := pooltest.NewGate(t)
			require.NoError(t, p.Execute(hold.Hold))
			synctest.Wait()
			g := bulk.NewGroup(ctx, p)
			var runs atomic.Int32
			groupGo(t, g, groupCount(&runs))
			assert.ErrorIs(t, g.Wait(), context.Canceled)
			assert.Zero(t, runs.Load())
			s := p.Stats()
			assert.Equal(t, []uint64{0, 1, 0}, []uint64{s.Completed, s.Cancelled, s.Failures})
		})
	}
}
