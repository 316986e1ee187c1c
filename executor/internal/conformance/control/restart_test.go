package control_test

import (
	"context"
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
		runs, broken := 0, true
		job := minutely("poll")
		job.Task = func(context.Context) error {
			if runs++; broken {
				panic("boom")
			}
			return nil
		}
		job.Initial = time.Second
		_, err := p.Apply(job, minutely("other"))
		require.NoError(t, err)
		require.ErrorIs(t, p.Restart("poll"), executor.ErrDuplicate, "it has not ended")
		require.ErrorIs(t, p.Restart("nobody"), executor.ErrInvalid)
		time.Sleep(time.Hour)
		require.Equal(t, 1, runs)
		old, ok := p.Job("poll")
		require.True(t, ok)
		assert.True(t, old.State().Settled())

		broken = false
		require.NoError(t, p.Restart("poll"))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, 2, runs, "after the initial delay")
		now, ok := p.Job("poll")
		require.True(t, ok)
		assert.NotEqual(t, old, now)
		assert.False(t, now.State().Settled())
		require.ErrorIs(t, p.Restart("poll"), executor.ErrDuplicate)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 3, runs)

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
		var running, most, runs int
		job := minutely("poll")
		job.Task = func(context.Context) error { // it heeds no cancellation
			running++
			most = max(most, running)
			runs++
			time.Sleep(10 * time.Minute)
			running--
			return nil
		}
		_, err := p.Apply(job)
		require.NoError(t, err)
		time.Sleep(time.Second)
		h, _ := p.Job("poll")
		require.True(t, h.Cancel())
		require.NoError(t, p.Restart("poll"))
		time.Sleep(time.Hour)
		assert.Equal(t, 1, most)
		assert.Greater(t, runs, 1)
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
