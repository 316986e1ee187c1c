package executor_test

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
	"github.com/punctual-go/punctual/future"
)

// Both workers wait for goroutines that nobody but a helper can make room for. What they submit
// takes no time, so neither may they, but for their patience.
func TestC4_ACrowdOfGoroutinesGetsRoomTogetherNotOneByOne(t *testing.T) {
	const size, each = 2, 500
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, size, executor.BoundedFIFO(1))
		start := time.Now()
		var roots []*future.Future[struct{}]
		var active, most atomic.Int32
		for range size {
			root, err := p.SubmitContext(t.Context(), func(ctx context.Context) error {
				var all sync.WaitGroup
				for range each {
					all.Go(func() {
						_, err := p.SubmitContext(ctx, func(context.Context) error {
							lendRaise(&most, active.Add(1))
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
		lendAccounted(t, p)
	})
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
