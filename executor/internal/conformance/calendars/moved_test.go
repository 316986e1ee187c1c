package calendars_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func (s *stage) sleeps(d time.Duration) executor.Task {
	return func(context.Context) error { time.Sleep(d); return nil }
}

func TestWhatIsToldOfARunIsOfTheClockOnTheWall(t *testing.T) {
	onStage(t, func(s *stage) {
		var run executor.Run
		s.body = func(ctx context.Context) error {
			run, _ = executor.RunFrom(ctx)
			time.Sleep(time.Minute)
			return nil
		}
		f := s.on(every(24 * hour))
		s.wall.Step(30 * hour)
		s.after(2 * time.Minute)
		assert.True(t, run.Scheduled.Equal(day(24)), run)
		assert.True(t, run.Started.Equal(day(30)), run)
		assert.Equal(t, 6*hour, run.Started.Sub(run.Scheduled), "how late it is")
		last, ok := f.Last()
		require.True(t, ok)
		assert.True(t, last.Scheduled.Equal(day(24)), last.Run)
		assert.True(t, last.Started.Equal(day(30)), last.Run)
		assert.Equal(t, time.Minute, last.Took)

		require.True(t, f.Trigger())
		s.after(2 * time.Minute)
		assert.True(t, run.Triggered)
		assert.True(t, run.Started.Equal(day(30).Add(2*time.Minute)), run)
		assert.Zero(t, run.Started.Sub(run.Scheduled))
		assert.True(t, s.shutdownNow()[0].Scheduled.Equal(day(48)), "what is handed back")
	})
}

func (s *stage) shutdownNow() []executor.Pending {
	switch s := s.s.(type) {
	case *executor.ScheduledPool:
		return s.ShutdownNow()
	case *eventloop.Loop:
		return s.ShutdownNow()
	}
	panic("no such scheduler")
}

func TestTheClockIsSetAfterThePlanWasMade(t *testing.T) {
	onStage(t, func(s *stage) { // by the error handler: the run is over, and the next is planned
		set := false
		s.handle = func() {
			if !set && s.wall.Now().Hour() == 2 {
				set = true
				s.wall.Step(-5 * hour)
			}
		}
		s.body = pooltest.Fail
		s.on(every(hour))
		assert.Len(t, s.after(2*hour), 2) // now it is 21:00
		assert.Equal(t, []string{"31T22:00", "31T23:00"}, s.after(2*hour))
	})
	onStage(t, func(s *stage) { // during an extra run
		f := s.on(every(6 * hour))
		s.takes(10 * time.Minute)
		require.True(t, f.Trigger())
		s.after(time.Minute)
		s.wall.Step(2 * hour)
		assert.Equal(t, []string{"01T06:00"}, s.after(5*hour))
		require.True(t, f.Trigger())
		s.after(time.Minute)
		s.wall.Step(-24 * hour)
		assert.Equal(t, []string{"31T12:00"}, s.after(7*hour))
	})
}

func TestAResetThatComesTooLateDoesNotMoveTheTask(t *testing.T) {
	onStage(t, func(s *stage) {
		_, err := s.s.Schedule(0, s.sleeps(2*hour))
		require.NoError(t, err)
		f, err := s.s.ScheduleAt(day(1), s.run, executor.WallClock(), executor.BeginWithin(5*hour))
		require.NoError(t, err)
		s.after(hour + time.Minute)
		go s.s.Close()
		s.after(time.Minute)
		assert.False(t, f.Reset(hour))
		assert.Equal(t, []string{"01T02:00 for 01T01:00"}, s.after(hour))
		assert.Equal(t, "succeeded", f.State().String())
	})
}

func TestATaskThatWasEarlyHasNotBegun(t *testing.T) {
	onStage(t, func(s *stage) {
		f, err := s.s.ScheduleAt(day(1), s.run, executor.WallClock())
		require.NoError(t, err)
		series := s.on(every(hour))
		s.wall.StepUnheard(-time.Minute)
		assert.Empty(t, s.after(hour+time.Second))
		assert.Zero(t, f.Runs())
		assert.Zero(t, series.Runs())
		assert.True(t, f.Withdraw())
		assert.True(t, series.Withdraw())
		assert.Empty(t, s.after(hour))
	})
}
