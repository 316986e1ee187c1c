package control_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func TestAJobThatHasEndedIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, pooltest.Quiet())
		var runs atomic.Int64
		var well atomic.Bool
		job := minutely("poll")
		job.Task = func(context.Context) error {
			if runs.Add(1); well.Load() {
				return nil
			}
			panic("boom")
		}
		job.Initial = time.Second
		_, err := p.Apply(job, minutely("other"))
		require.NoError(t, err)
		require.ErrorIs(t, p.Restart("poll"), executor.ErrDuplicate, "it has not ended")
		require.ErrorIs(t, p.Restart("nobody"), executor.ErrInvalid)
		time.Sleep(time.Hour)
		require.EqualValues(t, 1, runs.Load())
		old, ok := p.Job("poll")
		require.True(t, ok)
		assert.True(t, old.State().Settled())

		well.Store(true)
		require.NoError(t, p.Restart("poll"))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.EqualValues(t, 2, runs.Load(), "after the initial delay")
		now, ok := p.Job("poll")
		require.True(t, ok)
		assert.NotEqual(t, old, now)
		assert.False(t, now.State().Settled())
		require.ErrorIs(t, p.Restart("poll"), executor.ErrDuplicate)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.EqualValues(t, 3, runs.Load())

		changes, err := p.Apply(job, minutely("other"))
		require.NoError(t, err)
		assert.Equal(t, []string{"poll", "other"}, changes.Unchanged)
		_, err = p.Apply()
		require.NoError(t, err)
		_, ok = p.Job("poll")
		assert.False(t, ok)
		require.ErrorIs(t, p.Restart("poll"), executor.ErrInvalid, "it is no job any more")
	})
}

func TestAJobIsNotStartedAgainBesideItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, pooltest.Quiet())
		var running, most, runs atomic.Int64
		job := minutely("poll")
		job.Task = func(context.Context) error { // it heeds no cancellation
			most.Store(max(most.Load(), running.Add(1)))
			runs.Add(1)
			time.Sleep(10 * time.Minute)
			running.Add(-1)
			return nil
		}
		_, err := p.Apply(job)
		require.NoError(t, err)
		time.Sleep(time.Second)
		h, _ := p.Job("poll")
		require.True(t, h.Cancel())
		require.NoError(t, p.Restart("poll"))
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1, most.Load())
		assert.Greater(t, runs.Load(), int64(1))
	})
}

func TestWhatKeepsAJobFromBeingStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, pooltest.Quiet())
		once := minutely("once", executor.MaxRuns(1))
		past := minutely("past", executor.Until(time.Now().Add(time.Minute+1)))
		_, err := p.Apply(once, past)
		require.NoError(t, err)
		time.Sleep(time.Hour)
		require.Error(t, p.Restart("past"), "its last time has passed")
		_, err = p.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing, executor.Name("once"),
			executor.Unique())
		require.NoError(t, err)
		require.ErrorIs(t, p.Restart("once"), executor.ErrDuplicate, "another task has its name")
		require.NoError(t, p.Close())
		require.ErrorIs(t, p.Restart("once"), executor.ErrShutdown)
	})
}
