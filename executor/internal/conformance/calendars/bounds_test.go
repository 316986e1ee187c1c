package calendars_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

func TestTheFirstRunIsAtATimeOfTheCalendarHoweverFarFromIs(t *testing.T) {
	for _, c := range []executor.Calendar{every(hour), like{every(hour)}} {
		onStage(t, func(s *stage) {
			s.on(c, executor.From(day(5).Add(30*time.Minute)))
			assert.Equal(t, []string{"01T06:00", "01T07:00"}, s.after(7*hour))
		})
	}
}

func TestSettingTheClockBringsNoRunBeforeFrom(t *testing.T) {
	for _, step := range []time.Duration{time.Second, -time.Second, -5 * hour, 4 * hour} {
		onStage(t, func(s *stage) {
			s.on(every(hour), executor.From(day(9)))
			s.wall.Step(step)
			assert.Empty(t, s.after(day(9).Sub(s.wall.Now())-1))
			assert.Equal(t, []string{"01T09:00", "01T10:00"}, s.after(hour+1), "step %v", step)
			s.wall.Step(-5 * hour)
			assert.Equal(t, []string{"01T09:00"}, s.after(4*hour), "step %v", step)
		})
	}
}

// local is a calendar of the given hour of each day, where it is asked.
type local int

func (l local) Next(after time.Time) time.Time {
	y, m, d := after.Date()
	t := time.Date(y, m, d, int(l), 0, 0, 0, after.Location())
	if !t.After(after) {
		t = time.Date(y, m, d+1, int(l), 0, 0, 0, after.Location())
	}
	return t
}

func TestFromDoesNotSayInWhichZoneTheCalendarIs(t *testing.T) {
	east := time.FixedZone("east", 5*3600)
	onStage(t, func(s *stage) {
		f := s.on(local(3), executor.From(day(1).In(east)))
		next, ok := f.Next()
		require.True(t, ok)
		want := local(3).Next(day(0).In(time.Local))
		if want.Before(day(1)) {
			want = local(3).Next(want)
		}
		assert.True(t, next.Equal(want), next)
	})
}

func TestARunThatChoosesATimeBeyondTheEndWasTheLast(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(every(hour), executor.Until(day(3)), executor.MaxRuns(5))
		s.takes(30 * time.Minute)
		s.after(2*hour + time.Minute)
		require.True(t, f.Reset(5*hour))
		s.after(hour)
		assert.Equal(t, "succeeded", f.State().String())
	})
}

func TestATriggeredRunIsTooLateTooIfItHasToWait(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(every(24*hour), executor.BeginWithin(time.Minute))
		_, err := s.s.Schedule(0, s.sleeps(hour))
		require.NoError(t, err)
		s.after(0)
		require.True(t, f.Trigger())
		assert.Empty(t, s.after(2*hour))
		_, expired, _ := s.counts()
		assert.EqualValues(t, 1, expired)
		assert.Equal(t, []string{"02T00:00"}, s.after(22*hour))
	})
}
