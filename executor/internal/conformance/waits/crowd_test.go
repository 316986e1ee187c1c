package waits_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// Both workers wait for goroutines that nobody but a helper can make room for. What they submit
// takes no time, so neither may they, but for their patience.
func TestC4_ACrowdOfGoroutinesGetsRoomTogetherNotOneByOne(t *testing.T) {
	const size, each = 2, 500
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, size, executor.Queue(queue.Bounded(1)))
		start := time.Now()
		var roots []*future.Future[struct{}]
		var active, most atomic.Int32
		for range size {
			root, err := p.SubmitContext(t.Context(), func(ctx context.Context) error {
				var all sync.WaitGroup
				for range each {
					all.Go(func() {
						_, err := p.SubmitContext(ctx, func(context.Context) error {
							pooltest.Raise(&most, active.Add(1))
							active.Add(-1)
							return nil
						})
						assert.NoError(t, err)
					})
				}
				all.Wait()
				return nil
			}, executor.Name("root"))
			require.NoError(t, err)
			roots = append(roots, root)
		}
		for i, root := range roots {
			_, err := root.GetTimeout(time.Hour)
			require.NoError(t, err, fmt.Sprint("root ", i))
		}
		assert.Less(t, time.Since(start), 100*time.Millisecond)
		assert.LessOrEqual(t, most.Load(), int32(size)) // beside the two that wait
		synctest.Wait()
		pooltest.Balanced(t, p)
	})
}

// Each task joins a goroutine that waits, with the context of the task, for the next.
func TestC4_TasksThatJoinGoroutinesThatWaitForTasksEndAtAnyDepth(t *testing.T) {
	for _, depth := range []int{1, 2, 3, 10} {
		t.Run(fmt.Sprint("depth ", depth), func(t *testing.T) {
			pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, 1)
				var nest func(depth int) executor.Task
				nest = func(depth int) executor.Task {
					return func(ctx context.Context) error {
						if depth == 0 {
							return nil
						}
						child := func(ctx context.Context) error {
							f, err := p.SubmitContext(ctx, nest(depth-1))
							if err != nil {
								return err
							}
							_, err = f.Get(ctx)
							return err
						}
						if depth%3 == 0 { // by itself, in between
							return child(ctx)
						}
						errs := make(chan error, 1)
						go func() { errs <- child(ctx) }()
						return <-errs
					}
				}
				root, err := p.Submit(nest(depth))
				require.NoError(t, err)
				probe.Elapse(time.Hour)
				assert.NoError(t, pooltest.Outcome(t, root))
				pooltest.Balanced(t, p)
			})
		})
	}
}

// It tries again after twice as long each time, but not for ever: else the clock of a bubble would
// run on. A bubble that is blocked panics, so the test is a program of its own.
func TestC4_AWaitInVainLetsABubbleFindThatItIsBlocked(t *testing.T) {
	const child = "PUNCTUAL_TEST_OF_A_BLOCKED_BUBBLE"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=1m")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(out), "deadlock: all goroutines in bubble are blocked")
		return
	}
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1)
		f, err := p.Submit(func(ctx context.Context) error {
			f, err := p.Submit(func(context.Context) error { select {} })
			go func() { _, _ = f.Get(ctx) }()
			_, _ = f.Get(ctx)
			return err
		})
		require.NoError(t, err)
		_, _ = f.Get(t.Context())
	})
}
