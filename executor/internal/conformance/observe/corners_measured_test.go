package observe_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/retry"
)

// A cancelled run is no success.
func TestACancelledRunIsNoSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}), pooltest.Quiet())
		defer p.Close()
		f, err := p.Schedule(0, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, executor.Name("a"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		f.Cancel()
		synctest.Wait()
		m := p.Insight().Measurements()
		assert.True(t, m.Tasks[0].LastSuccess.IsZero(), "last success %v", m.Tasks[0].LastSuccess)
	})
}

func TestRetryOnACalendarIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.On(everyMinute{}, func(ctx context.Context) error {
			if r, _ := executor.RunFrom(ctx); r.Attempt < 3 {
				return errors.New("x")
			}
			return nil
		}, executor.Name("cal"), executor.Retry(3, retry.Backoff{Base: time.Second, Factor: 1, Spread: 1}))
		require.NoError(t, err)
		time.Sleep(5 * time.Minute)
		assert.Empty(t, b.read())
	})
}

// What a pause of the pool has held up on a calendar was held, whatever the calendar.
func TestCalendarAndPoolPause(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.On(everyMinute{}, lasts(0), executor.Name("cal"))
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		p.Pause()
		time.Sleep(5 * time.Minute)
		p.Resume()
		time.Sleep(3 * time.Minute)
		for _, l := range b.read() {
			assert.NotContains(t, l, "clock")
		}
	})
}

// What begins too late to be of use does not begin: it is in no histogram of those that do.
func TestWhatHasExpiredOnACalendarIsNotMeasured(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.On(everyMinute{}, lasts(0), executor.Name("cal"),
			executor.CatchUp(executor.Coalesce), executor.BeginWithin(time.Second))
		require.NoError(t, err)
		time.Sleep(90 * time.Second)
		at(p, 0, "hog", 110*time.Second)
		time.Sleep(5 * time.Minute)
		assert.Equal(t, []string{
			"cal#2 late 1.000000001s: workers 1s (hog 31s)",
			"cal#2 late 1.000000001s: workers 1s (hog 1m31s)",
		}, b.read())
		assert.EqualValues(t, 2, p.Stats().Expired, "each as its time is over")
		for _, d := range p.Insight().Measurements().Tasks {
			assert.Zero(t, d.Late.Max, d.Name)
			assert.EqualValues(t, map[string]int{"cal": 2}[d.Name], d.Expired, d.Name)
		}
	})
}

// A long run on a calendar: the next is late because of it.
func TestCalendarPrevious(t *testing.T) {
	for _, c := range []executor.CatchUpPolicy{executor.Burst, executor.Coalesce, executor.Skip} {
		late(t, 1, func(p *executor.ScheduledPool, b *book) {
			n := 0
			_, err := p.On(everyMinute{}, func(context.Context) error {
				if n++; n == 2 {
					time.Sleep(200 * time.Second)
				}
				return nil
			}, executor.Name("cal"), executor.CatchUp(c))
			if err != nil {
				return
			}
			time.Sleep(10 * time.Minute)
			for _, l := range b.read() {
				assert.NotContains(t, l, "clock")
			}
		})
	}
}

// A task that has ended well is no measure of whether the pool is stuck.
func TestATaskThatEndedWellMakesNoPoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		_, err := p.Schedule(0, lasts(0), executor.Expect(insight.SuccessWithin(10*ms)))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		at(p, 0, "long", time.Second)
		synctest.Wait()
		at(p, 0, "waits", 0)
		time.Sleep(500 * ms)
		h := p.Insight().Health()
		assert.Empty(t, h.Tasks)
		assert.Equal(t, insight.HealthOK, h.Status, "%v", h.Err())
	})
}
