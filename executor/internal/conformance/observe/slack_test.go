package observe_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// A worker sleeps on to share a wake-up, and then takes several tasks, one after another, or has
// them taken by others.
func TestSlackIsToldOfAllThatWaitedMeanwhile(t *testing.T) {
	for workers, want := range map[int]string{
		1: "third: queue 5ms (second 5ms), slack 7ms",
		2: "third: slack 7ms",
	} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			told := map[string]insight.Lateness{}
			p := executor.NewScheduledPool(workers, executor.Slack(10*ms),
				executor.Watch(insight.Config{ExplainLate: insight.Any}),
				executor.Observe(executor.Observer{
					Late: func(_ context.Context, r executor.Run, l insight.Lateness) {
						mu.Lock()
						defer mu.Unlock()
						told[r.Name] = l
					},
				}))
			defer p.Close()
			for name, at := range map[string]time.Duration{"first": 1, "second": 3, "third": 4} {
				body := lasts(0)
				if name == "second" {
					body = lasts(5 * ms)
				}
				_, err := p.Schedule(at*ms, body, executor.Name(name))
				require.NoError(t, err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			assert.Equal(t, "slack 8ms", told["second"].String())
			assert.Equal(t, want, "third: "+told["third"].String())
		})
	}
}

// What comes now wakes the worker that sleeps on, and then the rest was slack, too.
func TestSlackEndsWhenTheSleeperIsCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		p := executor.NewScheduledPool(1, executor.Slack(10*ms),
			executor.Watch(insight.Config{ExplainLate: insight.Any}),
			executor.Observe(executor.Observer{
				Late: func(_ context.Context, r executor.Run, l insight.Lateness) {
					told = append(told, r.Name+" "+l.String())
				},
			}))
		defer p.Close()
		for name, at := range map[string]time.Duration{"first": 1, "second": 3} {
			_, err := p.Schedule(at*ms, lasts(0), executor.Name(name))
			require.NoError(t, err)
		}
		time.Sleep(6 * ms)
		require.NoError(t, p.Execute(lasts(0)))
		synctest.Wait()
		assert.Equal(t, []string{"second slack 3ms"}, told)
	})
}

// A burst that makes up for 228 years.
func TestTheSumOfAHugeBurstIsNotNegative(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}))
		defer p.ShutdownNow()
		stalls := true
		_, err := p.AtFixedRate(0, time.Hour, func(context.Context) error {
			if stalls {
				stalls = false
				time.Sleep(2_000_000 * time.Hour) // 228 years
			}
			return nil
		}, executor.MaxRuns(100))
		require.NoError(t, err)
		time.Sleep(2_000_001 * time.Hour)
		synctest.Wait()
		assert.Positive(t, p.Insight().Measurements().Late.Sum)
		assert.Positive(t, p.Stats().Late.Mean)
	})
}
