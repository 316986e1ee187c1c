package calendars_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

func TestASeriesThatIsHandedBackHasTheNextTimeOfItsCalendar(t *testing.T) {
	for _, row := range []struct {
		name   string
		opts   []executor.TaskOption
		during func(s *stage, f *executor.ScheduledFuture[struct{}])
		want   time.Time
	}{
		{"first run", nil, nil, day(2)},
		{"burst", []executor.TaskOption{executor.CatchUp(executor.Burst)}, nil, day(2)},
		{"a clock that was set", nil, func(s *stage, _ *executor.ScheduledFuture[struct{}]) {
			s.wall.Step(10 * time.Minute)
		}, day(2)},
		{"trigger", nil, func(s *stage, f *executor.ScheduledFuture[struct{}]) {
			s.after(40 * time.Minute)
			require.True(s.t, f.Trigger())
			s.after(time.Second)
		}, day(2)},
		{"reset", nil, func(_ *stage, f *executor.ScheduledFuture[struct{}]) {
			f.Reset(20 * time.Minute)
		}, day(1).Add(21 * time.Minute)},
		{"paused", nil, func(_ *stage, f *executor.ScheduledFuture[struct{}]) { f.Pause() }, time.Time{}},
		{"skip, and a time has passed", []executor.TaskOption{executor.CatchUp(executor.Skip)},
			func(s *stage, _ *executor.ScheduledFuture[struct{}]) { s.wall.Step(hour) }, time.Time{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			onStage(t, func(s *stage) {
				s.takes(30 * time.Minute)
				f := s.on(every(hour), row.opts...)
				s.after(hour + time.Minute)
				if row.during != nil {
					row.during(s, f)
				}
				pending := s.shutdownNow()
				require.Len(t, pending, 1)
				assert.True(t, pending[0].Scheduled.Equal(row.want), pending[0].Scheduled)
				s.after(hour)
				_, err := f.Get(s.t.Context())
				require.ErrorIs(t, err, executor.ErrShutdown)
				s.addsUp()
			})
		})
	}
}

func TestTheLastRunIsNotHandedBack(t *testing.T) {
	onStage(t, func(s *stage) {
		s.takes(30 * time.Minute)
		f := s.on(list{day(1)})
		s.after(hour + time.Minute)
		assert.Empty(t, s.shutdownNow())
		s.after(hour)
		assert.Equal(t, "succeeded", f.State().String())
		s.addsUp()
	})
}

func TestAShutdownWhileTheCalendarIsAsked(t *testing.T) {
	for _, first := range []bool{true, false} {
		onStage(t, func(s *stage) {
			var pending []executor.Pending
			f := s.on(next(func(after time.Time) time.Time {
				if !after.Before(day(1)) && (first || !after.Before(day(2))) && pending == nil {
					pending = s.shutdownNow()
				}
				return every(hour).Next(after)
			}))
			s.after(5 * hour)
			require.Len(t, pending, 1, "first %v", first)
			_, err := f.Get(s.t.Context())
			require.ErrorIs(t, err, executor.ErrShutdown)
			s.addsUp()
		})
	}
}

func TestWhatWaitsIsHandedBackWithItsTimeOnTheWall(t *testing.T) {
	onStage(t, func(s *stage) {
		s.on(every(6 * hour))
		_, err := s.s.ScheduleAt(day(7), s.run, executor.WallClock())
		require.NoError(t, err)
		s.after(hour)
		s.wall.Step(hour)
		pending := s.shutdownNow()
		require.Len(t, pending, 2)
		assert.True(t, pending[0].Scheduled.Equal(day(6)), pending[0].Scheduled)
		assert.True(t, pending[1].Scheduled.Equal(day(7)), pending[1].Scheduled)
	})
}

func TestATimeBeyondTheEndOfTheClockIsNever(t *testing.T) {
	onStage(t, func(s *stage) {
		far := time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)
		f := s.on(list{far})
		_, ok := f.Next()
		assert.False(t, ok)
		s.wall.Step(hour)
		s.after(hour)
		assert.Zero(t, s.shutdownNow()[0].Scheduled)
	})
}

func TestResumeLooksAtThePauseBeforeItAsksTheCalendar(t *testing.T) {
	onStage(t, func(s *stage) {
		asked := 0
		f := s.on(next(func(after time.Time) time.Time {
			asked++
			return every(hour).Next(after)
		}))
		assert.False(t, f.Resume())
		require.True(t, f.Cancel())
		assert.False(t, f.Resume())
		assert.Equal(t, 1, asked)
	})
}

func TestACalendarThatFailsAtAResumeEndsItsSeries(t *testing.T) {
	onStage(t, func(s *stage) {
		broken := false
		f := s.on(next(func(after time.Time) time.Time {
			if broken {
				panic(errBoom)
			}
			return every(hour).Next(after)
		}))
		require.True(t, f.Pause())
		s.after(90 * time.Minute)
		broken = true
		require.True(t, f.Resume())
		s.mu.Lock()
		reported := s.reported
		s.mu.Unlock()
		require.NotEmpty(t, reported)
		assert.Zero(t, reported[0].Started, "it is in no run")
		assert.Empty(t, s.after(hour))
		_, err := f.Get(s.t.Context())
		require.ErrorIs(t, err, errBoom)
		s.addsUp()
	})
}
