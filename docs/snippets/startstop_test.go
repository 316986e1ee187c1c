//lint:file-ignore SA4006 the documents check errors where it matters
package snippets

import (
	"context"
	"slices"
	"sync"
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
		var polls, reports times
		poll := func(context.Context) error { polls.add(time.Since(begun)); return nil }
		report := func(context.Context) error { reports.add(time.Since(begun)); return nil }
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
		require.Equal(t, seconds(25, 30), polls.copy())
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
		require.Equal(t, seconds(25, 30, 95), polls.copy())
		time.Sleep(24 * time.Hour)
		require.Len(t, reports.copy(), 1)
	})
}

// times notes when tasks ran; the test looks at it while they go on.
type times struct {
	mu  sync.Mutex
	all []time.Duration
}

func (t *times) add(at time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, at)
}

func (t *times) copy() []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.all)
}

func seconds(all ...int) (found []time.Duration) {
	for _, s := range all {
		found = append(found, time.Duration(s)*time.Second)
	}
	return found
}
