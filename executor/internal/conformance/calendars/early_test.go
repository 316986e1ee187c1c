package calendars_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/retry"
)

func TestWhoWasEarlyLivesThroughAShutdownThatLetsItRun(t *testing.T) {
	onPool(t, func(s *stage, p *executor.ScheduledPool) {
		p.SetContinuePeriodicAfterShutdown(true)
		once, err := s.s.ScheduleAt(day(1), s.run, executor.WallClock())
		require.NoError(t, err)
		series := s.on(list{day(1), day(2)})
		s.wall.StepUnheard(-time.Minute)
		p.Shutdown()
		assert.Empty(t, s.after(hour))
		assert.Equal(t, []string{"01T01:00", "01T01:00", "01T02:00"}, s.after(2*hour))
		assert.Equal(t, "succeeded", once.State().String())
		assert.Equal(t, "succeeded", series.State().String())
		s.addsUp()
	})
	onLoop(t, func(s *stage, l *eventloop.Loop) {
		once, err := s.s.ScheduleAt(day(1), s.run, executor.WallClock())
		require.NoError(t, err)
		s.wall.StepUnheard(-time.Minute)
		l.Shutdown()
		assert.Empty(t, s.after(hour))
		assert.Equal(t, []string{"01T01:00"}, s.after(2*hour))
		assert.Equal(t, "succeeded", once.State().String())
		s.addsUp()
	})
}

func TestAttemptsWaitOnTheMonotonicClock(t *testing.T) {
	onStage(t, func(s *stage) {
		s.body = func(ctx context.Context) error {
			if r, _ := executor.RunFrom(ctx); r.Attempt < 2 {
				return errBoom
			}
			return nil
		}
		again := executor.Retry(3, retry.Backoff{
			Base: 10 * time.Minute, Factor: 1, Spread: retry.NoSpread})
		f, err := s.s.ScheduleAt(day(1), s.run, executor.WallClock(), again, executor.BeginWithin(time.Minute))
		require.NoError(t, err)
		assert.Len(t, s.after(hour), 1)
		s.wall.Step(-4 * hour)
		assert.Equal(t, []string{"31T21:10 for 01T01:00"}, s.after(10*time.Minute))
		assert.Equal(t, "succeeded", f.State().String())

		g := s.on(every(hour), again)
		assert.Len(t, s.after(50*time.Minute), 1) // 22:00
		s.wall.Step(-4 * hour)
		assert.Equal(t, []string{"31T18:10 for 31T22:00", "31T19:00"}, s.after(hour))
		assert.EqualValues(t, 2, g.Runs())
	})
}

func TestAPauseThatEndsWhileTheCalendarIsAskedDropsWhatHasPassed(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(next(func(after time.Time) time.Time {
			if after.Equal(day(1)) && s.wall.Now().Equal(day(1)) {
				time.Sleep(150 * time.Minute)
			}
			return every(hour).Next(after)
		}))
		s.after(2*hour + 15*time.Minute)
		require.True(t, f.Pause())
		require.True(t, f.Resume())
		assert.Equal(t, []string{"01T03:30 for 01T01:00", "01T03:30 for 01T03:00 missed 1"}, s.after(hour + 30*time.Minute)[:2])
	})
}

func TestTheLastTimeAndAnExtraRun(t *testing.T) {
	onStage(t, func(s *stage) {
		s.takes(10 * time.Minute)
		f := s.on(list{day(1), day(2)}, executor.MaxRuns(2), executor.Until(day(3)))
		s.after(hour + time.Minute)
		require.True(t, f.Trigger())
		assert.Equal(t, []string{"01T01:10!"}, s.after(10*time.Minute))
		s.after(50 * time.Minute) // during the last
		require.True(t, f.Trigger())
		s.after(hour)
		assert.Equal(t, "succeeded", f.State().String())
		assert.EqualValues(t, 3, f.Runs())
	})
}
