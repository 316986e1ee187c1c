package bulk_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
)

// What gocron's TestScheduler_LongRunningJobs expects of jobs that may overlap: runs of a second,
// each half second, and a shutdown that waits for those in progress.
func TestOverlapAsGocronsLongRunningJobs(t *testing.T) {
	for name, c := range map[string]struct {
		until time.Duration // 0 means for ever
		runs  int
	}{
		"duration with stop time between executions": {1100 * time.Millisecond, 2},
		"duration": {0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(8)
				runs := make(chan struct{}, 10)
				o, err := bulk.NewOverlap(p, 8, bulk.SkipNew, func(context.Context) error {
					time.Sleep(time.Second)
					runs <- struct{}{}
					return nil
				})
				require.NoError(t, err)
				var opts []executor.TaskOption
				if c.until > 0 {
					opts = append(opts, executor.Until(time.Now().Add(c.until)))
				}
				_, err = p.Every(500*time.Millisecond, o.Task, opts...)
				require.NoError(t, err)
				time.Sleep(1600 * time.Millisecond)
				require.NoError(t, p.Close())
				assert.Len(t, runs, c.runs)
			})
		})
	}
}

// What gocron's TestScheduler_LimitMode expects of ten jobs of which two may run at once, where the
// others are left to their next time: ten runs take from four to seven periods.
func TestOverlapAsGocronsLimitMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period, jobs = 100 * time.Millisecond, 10
		p := executor.NewScheduledPool(jobs)
		defer p.Close()
		runs := make(chan struct{}, 100)
		o, err := bulk.NewOverlap(p, 2, bulk.SkipNew, func(context.Context) error {
			time.Sleep(period / 2)
			runs <- struct{}{}
			return nil
		})
		require.NoError(t, err)
		begun := time.Now()
		for range jobs {
			_, err := p.Every(period, o.Task)
			require.NoError(t, err)
		}
		for range jobs {
			<-runs
		}
		assert.GreaterOrEqual(t, time.Since(begun), 4*period)
		assert.LessOrEqual(t, time.Since(begun), 7*period)
	})
}
