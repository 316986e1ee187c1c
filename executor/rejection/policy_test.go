package rejection_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

func TestPoliciesRefuseAndDropWithTheErrorsOfThePool(t *testing.T) {
	for name, c := range map[string]struct {
		policy  rejection.Policy
		refused bool
	}{
		"abort": {rejection.Abort, true}, "discard": {rejection.Discard, false},
		"discard the oldest": {rejection.DiscardOldest, true},
		"retry":              {(*rejection.Task).Retry, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(c.policy))
				pooltest.Fill(t, p, 1, pooltest.NewGate(t).Hold)
				f, err := p.Submit(pooltest.Nothing)
				if c.refused {
					assert.ErrorIs(t, err, executor.ErrSaturated)
					assert.ErrorIs(t, err, executor.ErrRejected)
					return
				}
				require.NoError(t, err)
				_, err = f.Get(context.Background())
				assert.ErrorIs(t, err, executor.ErrSaturated)
				assert.ErrorIs(t, err, future.ErrCancelled)
			})
		})
	}
}
