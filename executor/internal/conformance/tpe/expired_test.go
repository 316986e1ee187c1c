package tpe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// A worker goes from one task to the next, and what has become of one says nothing about the other.
func TestATaskAfterAnExpiredOneCountsAsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewPool(1)
		require.NoError(t, pool.Execute(func(context.Context) error {
			time.Sleep(time.Minute)
			return nil
		}))
		late, err := pool.Submit(func(context.Context) error { return nil }, executor.BeginWithin(time.Second))
		require.NoError(t, err)
		ran := 0
		for range 3 {
			require.NoError(t, pool.Execute(func(context.Context) error { ran++; return nil }))
		}
		require.NoError(t, pool.Close())
		_, err = late.Get(context.Background())
		assert.ErrorIs(t, err, executor.ErrExpired)
		s := pool.Stats()
		assert.Equal(t, 3, ran)
		assert.EqualValues(t, 4, s.Runs)
		assert.EqualValues(t, 1, s.Expired)
	})
}
