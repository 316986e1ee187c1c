//lint:file-ignore SA4006 the documents check errors where it matters
package snippets

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/cron"
)

func TestStartStopAndUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var polls []time.Duration
		poll := func(context.Context) error { polls = append(polls, time.Since(begun)); return nil }
		reports := 0
		report := func(context.Context) error { reports++; return nil }
		migrate := func() { time.Sleep(25 * time.Second) }
		var job *executor.ScheduledFuture[struct{}]
		pool := func() *executor.ScheduledPool {
			pool := executor.NewScheduledPool(2)
			pool.Pause()
			_, err := pool.Every(10*time.Second, poll)
			job, err = pool.On(cron.MustParse("30 2 * * *"), report)
			// whatever has to be there first
			migrate()
			pool.Resume() // Start()
			require.NoError(t, err)
			return pool
		}()
		defer pool.Close()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Equal(t, seconds(25, 30), polls)
		func() {
			err := job.SetPeriod(time.Hour) // only of Every, AtFixedRate and WithFixedDelay
			require.ErrorIs(t, err, executor.ErrInvalid)
			job.Cancel()
			changes, err := pool.Apply(
				executor.Job{Name: "report", On: cron.MustParse("0 4 * * *"), Task: report}, // was at 02:30
			)
			require.Equal(t, []string{"report"}, changes.Added)
			require.NoError(t, err)
		}()
		pool.Pause() // Stop()
		time.Sleep(time.Minute)
		pool.Resume() // Start()
		synctest.Wait()
		require.Equal(t, seconds(25, 30, 95), polls)
		time.Sleep(24 * time.Hour)
		require.Equal(t, 1, reports)
	})
}

func seconds(all ...int) (found []time.Duration) {
	for _, s := range all {
		found = append(found, time.Duration(s)*time.Second)
	}
	return found
}
