package tpe_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/rejection"
)

func TestStatsCountTheSubmittersThatWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t, executor.OnRejection(rejection.Block))
		assert.Zero(t, s.Stats().Blocked)
		ctx, cancel := context.WithCancel(t.Context())
		s.Waits(t, ctx, "gives up")
		s.Waits(t, t.Context(), "enters")
		go func() { assert.NoError(t, s.Execute(pooltest.Nothing)) }()
		synctest.Wait()
		stats := s.Stats()
		assert.Equal(t, 3, stats.Blocked)
		assert.EqualValues(t, 2, stats.Accepted, "the blocked are not accepted yet")
		assert.Equal(t, 1, stats.Queued)
		cancel()
		synctest.Wait()
		assert.Equal(t, 2, s.Stats().Blocked)
		s.Waiting.Cancel()
		synctest.Wait()
		assert.Equal(t, 1, s.Stats().Blocked)
		s.Finish()
		assert.Zero(t, s.Stats().Blocked)
	})
}
