package calendars_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func TestASlowCalendarHoldsUpNobodyWhenTheClockIsSet(t *testing.T) {
	onStage(t, func(s *stage) {
		var asleep atomic.Bool
		_, err := s.s.On(like{next(func(after time.Time) time.Time {
			if asleep.CompareAndSwap(true, false) {
				time.Sleep(5 * hour)
			}
			return every(hour).Next(after)
		})}, pooltest.Nothing)
		require.NoError(t, err)
		s.on(like{next(func(after time.Time) time.Time { // is due after that one
			return every(hour).Next(after.Add(-30 * time.Minute)).Add(30 * time.Minute)
		})})
		require.Len(t, s.after(100*time.Minute), 2)
		asleep.Store(true)
		go s.wall.Step(-hour) // to 00:40
		assert.Equal(t, []string{"01T01:30"}, s.after(hour))
		s.after(5 * hour)
	})
}

func TestTwoStepsWhileTheCalendarIsAsked(t *testing.T) {
	onStage(t, func(s *stage) {
		var asleep atomic.Bool
		s.on(like{next(func(after time.Time) time.Time {
			if asleep.Load() {
				time.Sleep(time.Minute)
			}
			return every(6 * hour).Next(after)
		})})
		s.after(hour)
		asleep.Store(true)
		go s.wall.Step(-3 * hour) // 22:00
		s.after(time.Second)
		asleep.Store(false)
		s.wall.Step(-12 * hour) // 10:00
		assert.Equal(t, []string{"31T12:00"}, s.after(2*hour))
	})
}

func TestAShutdownDoesNotWaitForACalendar(t *testing.T) {
	onPool(t, func(s *stage, p *executor.ScheduledPool) {
		f := s.on(next(func(after time.Time) time.Time {
			if !after.Before(day(1)) {
				time.Sleep(5 * hour)
			}
			return every(hour).Next(after)
		}))
		s.after(hour + time.Minute)
		require.Len(t, p.ShutdownNow(), 1)
		s.after(6 * hour)
		_, err := f.Get(s.t.Context())
		require.ErrorIs(t, err, executor.ErrShutdown)
		s.addsUp()
	})
	onLoop(t, func(s *stage, l *eventloop.Loop) {
		f := s.on(next(func(after time.Time) time.Time {
			if !after.Before(day(1)) {
				_ = l.Close() // from inside of the run
			}
			return every(hour).Next(after)
		}))
		s.after(hour)
		_, err := f.Get(s.t.Context())
		require.ErrorIs(t, err, executor.ErrShutdown)
		s.addsUp()
	})
}

// slowAtWill is a calendar of whole hours that takes a minute to answer while told to.
func slowAtWill() (c executor.Calendar, asleep *atomic.Bool) {
	asleep = new(atomic.Bool)
	return like{next(func(after time.Time) time.Time {
		if asleep.CompareAndSwap(true, false) {
			time.Sleep(time.Minute)
		}
		return every(hour).Next(after)
	})}, asleep
}

func TestAClockSetBackAndForthWhileTheCalendarIsAsked(t *testing.T) {
	onStage(t, func(s *stage) {
		c, asleep := slowAtWill()
		s.on(c)
		require.Len(t, s.after(10*hour+30*time.Minute), 10)
		asleep.Store(true)
		go s.wall.Step(-5 * hour)
		s.after(time.Second)
		go s.wall.Step(5 * hour)
		assert.Equal(t, []string{"01T11:00"}, s.after(hour))
	})
}

func TestAClockSetWhileAResumeAsksTheCalendar(t *testing.T) {
	onStage(t, func(s *stage) {
		c, asleep := slowAtWill()
		f := s.on(c)
		require.Len(t, s.after(3*hour+30*time.Minute), 3)
		require.True(t, f.Pause())
		asleep.Store(true)
		go f.Resume()
		s.after(time.Second)
		s.wall.Step(5 * hour) // 08:30
		assert.Equal(t, []string{"01T09:00 missed 5"}, s.after(hour))
	})
}
