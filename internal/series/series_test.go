package series

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/clock"
)

// starts plays a series of period 10 whose third run, at 20, lasts until 47, and returns when its
// runs start.
func starts(s *Series, runs int) (at []int64) {
	due, now := s.First(0), int64(0)
	for range runs {
		now = max(now, due)
		at = append(at, now)
		s.Start(due, now)
		if s.Runs == 3 {
			now = 47
		}
		due = s.Next(now)
	}
	return at
}

func TestAFixedRateCatchesUpAsItsPolicySays(t *testing.T) {
	for policy, want := range map[CatchUp][]int64{
		Burst:    {0, 10, 20, 47, 47, 50, 60},
		Coalesce: {0, 10, 20, 47, 50, 60, 70},
		Skip:     {0, 10, 20, 50, 60, 70, 80},
	} {
		assert.Equal(t, want, starts(&Series{Grid: Grid{Options: Options{CatchUp: policy}, Period: 10 * FixedRate}}, 7), "policy %d", policy)
	}
}

func TestAFixedDelayCountsFromTheEnd(t *testing.T) {
	assert.Equal(t, []int64{0, 10, 20, 57, 67}, starts(&Series{Grid: Grid{Period: 10 * FixedDelay}}, 5))
}

func TestMissedPeriodsAreTold(t *testing.T) {
	s := &Series{Grid: Grid{Options: Options{CatchUp: Coalesce}, Period: 10}}
	s.First(0)
	assert.EqualValues(t, 30, s.Start(0, 35), "it counts for the latest period")
	assert.EqualValues(t, 3, s.Missed)
	assert.EqualValues(t, 40, s.Next(36))
	assert.Zero(t, s.Missed)
}

func TestAMillionMissedPeriodsCostNoMoreThanOne(t *testing.T) {
	for _, policy := range []CatchUp{Skip, Coalesce} {
		s := &Series{Grid: Grid{Options: Options{CatchUp: policy}, Period: 1}}
		s.First(0)
		s.Start(0, int64(time.Hour))
		assert.Less(t, int64(time.Hour), s.Next(int64(time.Hour)), "in one step")
	}
}

func TestTheNextRunOfAHugePeriodIsNever(t *testing.T) {
	for _, period := range []int64{clock.Never, -clock.Never} {
		s := &Series{Grid: Grid{Period: period}}
		s.First(5)
		s.Start(5, 5)
		assert.Equal(t, clock.Never, s.Next(6))
	}
}

func TestJitterIsBelowItsBoundAndDoesNotAddUp(t *testing.T) {
	s := &Series{Grid: Grid{Options: Options{Jitter: 5}, Period: 10}}
	due := s.First(0)
	for n := int64(0); n < 1000; n++ {
		assert.GreaterOrEqual(t, due, 10*n)
		assert.Less(t, due, 10*n+5)
		s.Start(due, due)
		due = s.Next(due)
	}
}

func TestSkipGivesARunWhatIsLeftOfItsWindow(t *testing.T) {
	for range 1000 {
		s := &Series{Grid: Grid{Options: Options{CatchUp: Skip, Jitter: 5}, Period: 10}}
		s.First(0)
		s.Start(4, 4)
		due := s.Next(13)
		assert.Contains(t, []int64{13, 14}, due, "of 10 to 14")
		assert.Zero(t, s.Missed)
		s.Start(due, due)
		due = s.Next(25)
		assert.GreaterOrEqual(t, due, int64(30), "20 to 24 have passed")
		assert.EqualValues(t, 1, s.Missed)
	}
}

func TestTheLastRunIsTheOneOfTheMaximum(t *testing.T) {
	s := &Series{Grid: Grid{Options: Options{MaxRuns: 2}, Period: 1}}
	for n := range 3 {
		assert.Equal(t, n >= 2, s.Last(0))
		s.Start(0, 0)
	}
}

func TestASeriesSurvivesWhatItsPolicySays(t *testing.T) {
	for policy, survives := range map[OnError][2]bool{StopOnPanic: {true, false}, StopSeries: {}, Continue: {true, true}} {
		s := &Series{Grid: Grid{Options: Options{OnError: policy}, Period: 1}}
		assert.Equal(t, survives, [2]bool{s.Survives(false), s.Survives(true)}, policy)
		s.Period = 0
		assert.False(t, s.Survives(false), "there is nothing to go on with")
	}
}

func TestAnOverrunIsToldOnce(t *testing.T) {
	s := &Series{Grid: Grid{Options: Options{Timeout: 5}, Period: 10}}
	s.Start(0, 0)
	assert.False(t, s.Expire(0, 4), "it is not over yet")
	assert.True(t, s.Expire(0, 5))
	assert.False(t, s.Expire(0, 6), "it has been told")
	assert.True(t, s.End())
	s.Start(10, 10)
	assert.False(t, s.Expire(10, 10), "what comes late is for the run before")
	assert.False(t, s.End())
	assert.False(t, s.Expire(10, 15), "that run is over")
}

func TestAStreakIsToldWithTheLogarithmOfItsLength(t *testing.T) {
	var s Streak
	var notable []uint64
	for range 1000 {
		if s.Fail() {
			notable = append(notable, s.Length)
		}
	}
	assert.Equal(t, []uint64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, notable)
	assert.Equal(t, []bool{true, true, false, true, false}, []bool{s.Panic(), s.Panic(), s.Panic(), s.Panic(), s.Panic()})
	s.End()
	assert.Zero(t, s.Length)
	assert.True(t, s.Fail() && s.Panic())
}

func TestTheUpcomingRunIsToldWithoutPlanningIt(t *testing.T) {
	for name, c := range map[string]struct {
		series Series
		known  bool
		want   int64
	}{
		"burst":       {Series{Grid: Grid{Period: 10}}, true, 110},
		"coalesce":    {Series{Grid: Grid{Period: 10, Options: Options{CatchUp: Coalesce}}}, true, 110},
		"skip":        {Series{Grid: Grid{Period: 10, Options: Options{CatchUp: Skip}}}, true, 130},
		"jitter":      {Series{Grid: Grid{Period: 10, Options: Options{Jitter: 10}}}, true, 110},
		"fixed delay": {Series{Grid: Grid{Period: -10}}, false, 0},
	} {
		s := c.series
		s.Start(s.First(100), 100)
		before := s
		next, known := s.Upcoming(125)
		assert.Equal(t, c.known, known, name)
		if known && s.Jitter == 0 {
			assert.Equal(t, c.want, next, name)
		}
		assert.Equal(t, before, s, "%s: nothing has changed", name)
	}
}

func TestNoRunIsUpcomingAtTheEndOfTheSeriesOrLater(t *testing.T) {
	for until, known := range map[int64]bool{110: false, 111: true} {
		s := Series{Grid: Grid{Period: 10}}
		s.Bound(0, until)
		s.Start(s.First(100), 100)
		_, got := s.Upcoming(105)
		assert.Equal(t, known, got, "until %d", until)
	}
}
