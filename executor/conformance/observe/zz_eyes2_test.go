package observe_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// A cancelled run is no success.
func TestZZACancelledRunIsNoSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Measure(), pooltest.Quiet())
		defer p.Close()
		f, err := p.Schedule(0, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, executor.Name("a"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		f.Cancel()
		synctest.Wait()
		m := p.Measurements()
		assert.True(t, m.Tasks[0].LastSuccess.IsZero(), "last success %v", m.Tasks[0].LastSuccess)
	})
}

// Failures: "runs and attempts that have failed".
func TestZZFailedAttemptsAreMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Measure(), pooltest.Quiet())
		defer p.Close()
		_, err := p.Schedule(0, func(ctx context.Context) error {
			if r, _ := executor.RunFrom(ctx); r.Attempt < 3 {
				return errors.New("x")
			}
			return nil
		}, executor.Name("a"), executor.Retry(3, executor.Backoff{Base: time.Second}))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		m := p.Measurements()
		assert.EqualValues(t, 2, m.Failures)
	})
}

func TestZZPaceShown(t *testing.T) {
	late(t, 2, func(p *executor.ScheduledPool, b *book) {
		for i := range 3 {
			at(p, 0, fmt.Sprint("paced", i), 0)
		}
		time.Sleep(5 * time.Second)
		lines := b.read()
		t.Log(lines)
		assert.Len(t, lines, 2)
		for _, l := range lines {
			assert.NotContains(t, l, "slack", "no slack: the pace has held it up")
			assert.NotContains(t, l, "wake")
		}
	}, executor.Pace(1, time.Second), executor.Slack(0))
}

func TestZZGapShown(t *testing.T) {
	late(t, 2, func(p *executor.ScheduledPool, b *book) {
		s := executor.NewSerial(p, executor.Gap(time.Second))
		for i := range 3 {
			_, err := s.Submit(lasts(0), executor.Name(fmt.Sprint("gap", i)))
			require.NoError(t, err)
		}
		time.Sleep(5 * time.Second)
		lines := b.read()
		t.Log(lines)
		for _, l := range lines {
			assert.NotContains(t, l, "slack", "no slack: the gap has held it up")
			assert.NotContains(t, l, "wake")
		}
	}, executor.Slack(0))
}

func TestZZRetryOnACalendarIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.On(zzMinutes{}, func(ctx context.Context) error {
			if r, _ := executor.RunFrom(ctx); r.Attempt < 3 {
				return errors.New("x")
			}
			return nil
		}, executor.Name("cal"), executor.Retry(3, executor.Backoff{Base: time.Second, Factor: 1, Spread: 1}))
		require.NoError(t, err)
		time.Sleep(5 * time.Minute)
		assert.Empty(t, b.read())
	})
}

// What a pause of the pool has held up on a calendar was held, whatever the calendar.
func TestZZCalendarAndPoolPause(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.On(zzMinutes{}, lasts(0), executor.Name("cal"))
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		p.Pause()
		time.Sleep(5 * time.Minute)
		p.Resume()
		time.Sleep(3 * time.Minute)
		for _, l := range b.read() {
			t.Log(l)
			assert.NotContains(t, l, "clock")
		}
	})
}

// A long run on a calendar: the next is late because of it.
func TestZZCalendarPrevious(t *testing.T) {
	for _, c := range []executor.CatchUpPolicy{executor.Burst, executor.Coalesce, executor.Skip} {
		late(t, 1, func(p *executor.ScheduledPool, b *book) {
			n := 0
			_, err := p.On(zzMinutes{}, func(context.Context) error {
				if n++; n == 2 {
					time.Sleep(200 * time.Second)
				}
				return nil
			}, executor.Name("cal"), executor.CatchUp(c))
			if err != nil {
				t.Log(c, err)
				return
			}
			time.Sleep(10 * time.Minute)
			for _, l := range b.read() {
				t.Log(c, l)
				assert.NotContains(t, l, "clock")
			}
		})
	}
}

// A task that has ended well is no measure of whether the pool is stuck.
func TestZZAnEndedTaskMakesNoPoolDown2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		_, err := p.Schedule(0, lasts(0), executor.Expect(executor.SuccessWithin(10*ms)))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		at(p, 0, "long", time.Second)
		synctest.Wait()
		at(p, 0, "waits", 0)
		time.Sleep(500 * ms)
		h := p.Health()
		assert.Empty(t, h.Tasks)
		assert.Equal(t, executor.HealthOK, h.Status, "%v", h.Err())
	})
}
