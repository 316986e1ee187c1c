package calendars_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

const hour = time.Hour

func TestARunForEachTimeOfTheCalendar(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(every(6 * hour))
		assert.Equal(t, []string{"01T06:00", "01T12:00", "01T18:00", "02T00:00"}, s.after(24*hour))
		next, ok := f.Next()
		assert.True(t, ok)
		assert.Equal(t, day(30), next.UTC())
		assert.Equal(t, 6*hour, f.Delay())
		assert.Equal(t, executor.OnCalendar, f.Handle.Kind())
		assert.Zero(t, f.Handle.Period())
		assert.True(t, f.Periodic())
	})
}

func TestOneRunStandsForAllThatPassedDuringTheRunBefore(t *testing.T) {
	onStage(t, func(s *stage) {
		s.takes(3*hour + 30*time.Minute)
		s.on(every(hour))
		assert.Equal(t, []string{"01T01:00", "01T04:30 for 01T04:00 missed 2",
			"01T08:00 missed 3", "01T11:30 for 01T11:00 missed 2"}, s.after(12*hour))
	})
}

func TestSkipDropsWhatPassesDuringARun(t *testing.T) {
	onStage(t, func(s *stage) {
		s.takes(3*hour + 30*time.Minute)
		s.on(every(hour), executor.CatchUp(executor.Skip))
		assert.Equal(t, []string{"01T01:00", "01T05:00 missed 3", "01T09:00 missed 3"}, s.after(12*hour))
	})
}

func TestBurstHasARunForEachTime(t *testing.T) {
	onStage(t, func(s *stage) {
		s.takes(90 * time.Minute)
		s.on(every(hour), executor.CatchUp(executor.Burst), executor.MaxRuns(4))
		assert.Equal(t, []string{"01T01:00", "01T02:30 for 01T02:00", "01T04:00 for 01T03:00 missed 1",
			"01T05:30 for 01T04:00 missed 1"}, s.after(12*hour))
	})
}

func TestTheSeriesEndsWithItsCalendar(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(list{day(1), day(5)})
		assert.Equal(t, []string{"01T01:00", "01T05:00"}, s.after(5*hour))
		assert.True(t, f.State().String() == "succeeded", f.State())
	})
	for _, c := range []executor.CatchUpPolicy{executor.Skip, executor.Coalesce, executor.Burst} {
		onStage(t, func(s *stage) {
			s.takes(10 * hour)
			f := s.on(list{day(1), day(5)}, executor.CatchUp(c))
			s.after(30 * hour)
			assert.Equal(t, "succeeded", f.State().String())
			assert.EqualValues(t, map[bool]int{true: 1, false: 2}[c == executor.Skip], f.Runs())
		})
	}
}

func TestARunThatIsTooLateForItsTimeIsNot(t *testing.T) {
	onStage(t, func(s *stage) {
		s.on(every(24*hour), executor.BeginWithin(2*hour))
		s.wall.Step(48*hour + 90*time.Minute) // a suspended laptop; the last time is within reach
		assert.Equal(t, []string{"03T01:30 for 03T00:00 missed 1"}, s.after(0))
		s.wall.Step(22*hour + 30*time.Minute + 3*hour)
		assert.Empty(t, s.after(0))
		assert.Equal(t, []string{"05T00:00 missed 1"}, s.after(24*hour))
		_, expired, _ := s.counts()
		assert.EqualValues(t, 1, expired)
	})
}

func TestUntilAndFromBoundTheCalendar(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(every(hour), executor.From(day(3)), executor.Until(day(5)))
		assert.Equal(t, []string{"01T03:00", "01T04:00"}, s.after(24*hour))
		assert.Equal(t, "succeeded", f.State().String())
		_, err := s.s.On(every(hour), s.run, executor.Until(day(5)))
		require.ErrorIs(t, err, executor.ErrInvalid)
	})
}

func TestATimeOnTheEndOfARunIsOnTime(t *testing.T) {
	onStage(t, func(s *stage) {
		s.takes(hour)
		s.on(every(hour), executor.CatchUp(executor.Skip), executor.Until(day(4)))
		assert.Equal(t, []string{"01T01:00", "01T02:00", "01T03:00"}, s.after(6*hour))
	})
}

func TestWhatIsCaughtUpIsBeforeUntil(t *testing.T) {
	onStage(t, func(s *stage) {
		s.on(every(hour), executor.Until(day(3)))
		s.wall.Step(5 * hour)
		assert.Equal(t, []string{"01T05:00 for 01T02:00 missed 1"}, s.after(24*hour))
	})
}
