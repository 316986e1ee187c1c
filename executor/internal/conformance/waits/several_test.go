package waits_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// A goroutine of a task waits for three others with the context of the task, while all workers are
// busy. The pool cannot be certain who waits, so it exceeds its size for one of the three at a
// time.
func TestC10_AWaitForSeveralIsHelpedWithOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(2)
		defer p.Close()
		tr := pooltest.NewTrace()
		_, err := p.Submit(func(context.Context) error { time.Sleep(time.Hour); return nil })
		require.NoError(t, err)
		parent, err := p.Submit(func(ctx context.Context) error {
			children := make([]*future.Future[struct{}], 3)
			for i, name := range []string{"a", "b", "c"} {
				var err error
				children[i], err = p.Submit(func(context.Context) error {
					tr.Mark(name)
					time.Sleep(time.Minute)
					if name == "c" {
						return nil
					}
					return pooltest.ErrTask
				})
				if err != nil {
					return err
				}
			}
			got := make(chan error)
			go func() {
				_, err := future.Any(ctx, children...)
				got <- err
			}()
			return <-got
		})
		require.NoError(t, err)
		_, err = parent.Get(t.Context())
		require.NoError(t, err)
		seen := tr.Seen()
		require.Len(t, seen, 3)
		// Whether a helper begins at once or after its patience, each time, is up to the scheduler.
		assert.Regexp(t, `^a \d+ms$`, seen[0])
		assert.Regexp(t, `^b 1m0\.\d+s$`, seen[1])
		assert.Regexp(t, `^c 2m0\.\d+s$`, seen[2])
	})
}
