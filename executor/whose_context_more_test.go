package executor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// A wait is over before the child, which leaves the pool overdrawn, and a worker without patience.
func TestC4_WhileAPoolIsOverdrawnNoWorkerIsStartedForWhatWaits(t *testing.T) {
	inVain := []executor.Option{executor.KeepAlive(0)}
	for name, newPool := range map[string]func(t *testing.T) *executor.Pool{
		"plain":     func(t *testing.T) *executor.Pool { return lendPlain(t, 0, inVain...) },
		"bounded":   func(t *testing.T) *executor.Pool { return lendPlain(t, 0, append(inVain, executor.BoundedFIFO(3))...) },
		"scheduled": func(t *testing.T) *executor.Pool { return lendScheduled(t, 0, inVain...) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool(t)
				tr := withNewTrace()
				lendSubmit(t, p, func(ctx context.Context) (int, error) {
					lendStuck(t, ctx, p, 1)
					return 0, nil
				})
				synctest.Wait()
				require.NoError(t, p.Execute(tr.task("next")))
				withPassed(time.Minute)
				assert.Equal(t, []int{1, 0, 1}, []int{p.Stats().Busy, p.Stats().Workers, p.Stats().Queued})
				assert.NoError(t, p.Validate())
				withPassed(time.Hour)
				assert.Equal(t, []string{"next 1h0m0s"}, tr.seen())
				lendAccounted(t, p)
			})
		})
	}
}

// The pool is overdrawn by as much as may be, so nobody can help those who ask again and again.
func TestC4_AWaitThatIsOverLeavesNothingBehindInAnOverdrawnPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		lendSubmit(t, p, func(ctx context.Context) (int, error) {
			lendStuck(t, ctx, p, 2)
			next, _ := p.Submit(withNothing)
			for range 100 {
				_, err := next.GetTimeout(time.Millisecond)
				assert.ErrorIs(t, err, future.ErrTimeout)
			}
			assert.Zero(t, p.Denied())
			return 0, nil
		})
		withPassed(time.Minute)
		assert.NoError(t, p.Validate())
	})
}
