package snippets

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

func minutes(ns ...int) (ds []time.Duration) {
	for _, n := range ns {
		ds = append(ds, time.Duration(n)*time.Minute)
	}
	return ds
}

func TestARefreshFailsTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var at []time.Duration
		pool := executor.NewScheduledPool(1)
		defer pool.Close()

		_, err := pool.Every(time.Minute, func(context.Context) error {
			at = append(at, time.Since(begun))
			if len(at) <= 2 {
				return errors.New("no answer")
			}
			return nil
		}, executor.SlowDown(2, time.Hour))
		require.NoError(t, err)

		time.Sleep(10*time.Minute + 1) // of virtual time
		synctest.Wait()                // for the run that is under way
		require.Equal(t, minutes(1, 3, 7, 8, 9, 10), at)
	})
}

func TestALateRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		begun, run := time.Now(), 0
		var starts []time.Duration
		_, err := pool.Every(time.Second, func(context.Context) error {
			if run++; run == 3 {
				time.Sleep(2500 * time.Millisecond) // this one is slow
			}
			starts = append(starts, time.Since(begun))
			return nil
		})
		require.NoError(t, err)
		time.Sleep(6*time.Second + 1)
		synctest.Wait()
		late := 5500 * time.Millisecond
		require.Equal(t, []time.Duration{
			time.Second, 2 * time.Second, late, late, 6 * time.Second,
		}, starts)
	})
}

type poller interface {
	Every(
		period time.Duration, task executor.Task, opts ...executor.TaskOption,
	) (*executor.ScheduledFuture[struct{}], error)
}

var _ poller = (*executor.ScheduledPool)(nil)
