package control_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// series starts one of each kind, which would run every half an hour.
func series(t *testing.T, p *executor.ScheduledPool, opts ...executor.TaskOption) map[string]*executor.ScheduledFuture[struct{}] {
	t.Helper()
	const half = 30 * time.Minute
	all := map[string]*executor.ScheduledFuture[struct{}]{}
	var err error
	all["rate"], err = p.AtFixedRate(half, half, idle, opts...)
	require.NoError(t, err)
	all["delay"], err = p.WithFixedDelay(half, half, idle, opts...)
	require.NoError(t, err)
	all["calendar"], err = p.On(cron.MustParse("*/30 * * * *", cron.Zone(time.UTC)), idle, opts...)
	require.NoError(t, err)
	return all
}

func TestASeriesEndsInAPauseOnceItsEndHasCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, quiet)
		defer p.Close()
		end := time.Now().Add(12 * time.Hour)
		all := series(t, p, executor.Until(end))
		time.Sleep(9*time.Hour + time.Minute)
		for _, f := range all {
			require.True(t, f.Pause())
		}
		time.Sleep(time.Until(end) - 1)
		synctest.Wait()
		for name, f := range all {
			assert.Equal(t, future.Pending, f.State(), name)
		}
		time.Sleep(1)
		synctest.Wait()
		for name, f := range all {
			assert.Equal(t, future.Succeeded, f.State(), name)
			assert.False(t, f.Resume(), name)
		}
	})
}

func TestACommandThatLeavesNoRunEndsTheSeries(t *testing.T) {
	for does, command := range map[string]func(f *executor.ScheduledFuture[struct{}]){
		"reset":  func(f *executor.ScheduledFuture[struct{}]) { f.Reset(4 * time.Hour) },
		"resume": func(f *executor.ScheduledFuture[struct{}]) { f.Pause(); time.Sleep(179 * time.Minute); f.Resume() },
	} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewScheduledPool(4, quiet)
			defer p.Close()
			for name, f := range series(t, p, executor.Until(time.Now().Add(3*time.Hour))) {
				g := f
				go func() {
					command(g)
					next, ok := g.Next()
					assert.False(t, ok, "%s, %s: %v", does, name, next)
				}()
			}
			time.Sleep(2*time.Hour + 59*time.Minute)
			synctest.Wait()
			assert.EqualValues(t, 3, p.Stats().Completed, does)
			assert.Empty(t, p.Queued())
		})
	}
}

func TestACalendarWithoutMoreTimesHasNoNextRunAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, quiet)
		defer p.Close()
		f, err := p.On(calendar.Until(cron.MustParse("30 * * * *"), time.Now().Add(time.Hour)), idle)
		require.NoError(t, err)
		f.Pause()
		time.Sleep(2 * time.Hour)
		require.True(t, f.Resume())
		next, ok := f.Next()
		assert.False(t, ok)
		assert.Zero(t, next)
		synctest.Wait()
		assert.Equal(t, future.Succeeded, f.State())
	})
}

func TestWhatWouldComeAfterTheEndIsNotMissed(t *testing.T) {
	for _, policy := range []executor.CatchUpPolicy{executor.Burst, executor.Skip, executor.Coalesce, executor.Shift} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewScheduledPool(1, quiet)
			defer p.Close()
			d := newDiary()
			end := time.Now().Add(120 * time.Second)
			f := rate(t, p, d.task(0), executor.Until(end), executor.CatchUp(policy))
			d.until(95)
			p.PauseUntil(time.Now().Add(time.Hour))
			_, err := f.Get(t.Context())
			require.NoError(t, err)
			all := d.all()
			last := all[len(all)-1]
			assert.True(t, last.Scheduled.Before(end), "%v: %v", policy, last)
			for _, r := range all {
				assert.LessOrEqual(t, r.Missed, uint64(1), "%v: 100 and 110 are late", policy)
			}
		})
	}
}

func TestJitterStaysBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, quiet)
		defer p.Close()
		end, runs := time.Now().Add(time.Hour), 0
		body := func(context.Context) error {
			runs++ // the only worker's
			assert.True(t, time.Now().Before(end))
			return nil
		}
		for range 200 {
			_, err := p.AtFixedRate(0, 25*time.Minute, body, executor.Jitter(25*time.Minute), executor.Until(end))
			require.NoError(t, err)
			_, err = p.On(cron.MustParse("10,35,50 * * * *", cron.Zone(time.UTC)), body, executor.Jitter(25*time.Minute), executor.Until(end))
			require.NoError(t, err)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		assert.Equal(t, 1200, runs, "none is lost")
		assert.Empty(t, p.Queued())
	})
}

// A run that makes up for several was planned with the jitter of the first of them.
func TestWhatALateRunCountsForIsBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, quiet)
		defer p.Close()
		end, runs := time.Now().Add(time.Hour), 0
		require.NoError(t, p.Execute(func(context.Context) error { time.Sleep(2 * time.Hour); return nil }))
		for range 200 {
			_, err := p.AtFixedRate(10*time.Minute, 20*time.Minute, func(ctx context.Context) error {
				run, _ := executor.RunFrom(ctx)
				assert.True(t, run.Scheduled.Before(end), "%v", run.Scheduled)
				runs++ // the only worker's
				return nil
			}, executor.CatchUp(executor.Coalesce), executor.Jitter(15*time.Minute), executor.Until(end))
			require.NoError(t, err)
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		assert.Equal(t, 200, runs)
	})
}

// NextIn has chosen 25. Five periods after that is beyond the end, but the slot at 70 is not.
func TestALateRunBesideTheGridCountsForATimeBeforeTheEnd(t *testing.T) {
	for _, policy := range []executor.CatchUpPolicy{executor.Skip, executor.Coalesce} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewScheduledPool(1, quiet)
			defer p.Close()
			d := newDiary()
			end := executor.Until(d.began.Add(72 * time.Second))
			f := rate(t, p, d.nextIn(15*time.Second), end, executor.CatchUp(policy))
			require.NoError(t, p.ExecuteAfter(11*time.Second, sleeps(65*time.Second)))
			_, err := f.Get(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"10", "76"}, d.starts())
			late := d.all()[1]
			assert.Equal(t, 70*time.Second, late.Scheduled.Sub(d.began), "and not for 75, policy %d", policy)
			assert.EqualValues(t, 5, late.Missed, "25, 30, 40, 50 and 60")
		})
	}
}

// As above, and the run is late since 70.
func TestALateRunBesideTheGridExpiresByTheTimeThatItCountsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, quiet)
		defer p.Close()
		d := newDiary()
		end := executor.Until(d.began.Add(72 * time.Second))
		f := rate(t, p, d.nextIn(15*time.Second), end,
			executor.CatchUp(executor.Coalesce), executor.BeginWithin(12*time.Second))
		require.NoError(t, p.ExecuteAfter(11*time.Second, sleeps(73*time.Second)))
		_, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.InDelta(t, 82, d.now(), 1e-6, "when that was twelve seconds ago")
		d.until(100)
		assert.Equal(t, []string{"10"}, d.starts())
		assert.EqualValues(t, 1, p.Stats().Expired)
	})
}

// nextIn returns a body that plans each next run for so long after it.
func (d *diary) nextIn(after time.Duration) executor.Task {
	return func(ctx context.Context) error {
		d.run(ctx)
		executor.NextIn(ctx, after)
		return nil
	}
}

func TestASeriesThatUntilLeavesNoRunIsRefusedForThat(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		soon := executor.Until(time.Now().Add(time.Minute))
		_, rate := s.AtFixedRate(time.Hour, time.Hour, idle, soon)
		_, delay := s.WithFixedDelay(time.Hour, time.Hour, idle, soon)
		_, on := s.(interface {
			On(executor.Calendar, executor.Task, ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
		}).On(calendar.Daily(calendar.At(2, 30)), idle, soon)
		for _, err := range []error{rate, delay, on} {
			require.ErrorIs(t, err, executor.ErrInvalid)
			assert.ErrorContains(t, err, "no run comes before Until")
		}
	})
}
