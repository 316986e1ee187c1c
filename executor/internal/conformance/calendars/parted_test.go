package calendars_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

func TestTheClockIsPutForward(t *testing.T) {
	onStage(t, func(s *stage) {
		s.on(every(hour))
		s.wall.Step(30 * time.Minute)
		assert.Equal(t, []string{"01T01:00"}, s.after(30*time.Minute), "it comes sooner")
		s.wall.Step(3*hour + 5*time.Minute)
		assert.Equal(t, []string{"01T04:05 for 01T04:00 missed 2"}, s.after(0))
		assert.Equal(t, []string{"01T05:00"}, s.after(55*time.Minute))
	})
}

func TestTimesThatHaveHadTheirRunDoNotComeAgain(t *testing.T) {
	onStage(t, func(s *stage) {
		s.on(every(hour))
		assert.Equal(t, []string{"01T01:00", "01T02:00"}, s.after(2*hour+30*time.Minute))
		s.wall.Step(-2 * hour) // to 00:30
		assert.Equal(t, []string{"01T03:00"}, s.after(2*hour+30*time.Minute))
	})
}

func TestWhatIsLikeAnIntervalGoesOnAtOnce(t *testing.T) {
	onStage(t, func(s *stage) {
		s.on(like{every(hour)})
		assert.Len(t, s.after(2*hour+30*time.Minute), 2)
		s.wall.Step(-2 * hour)
		assert.Equal(t, []string{"01T01:00", "01T02:00", "01T03:00"}, s.after(2*hour+30*time.Minute))
	})
}

func TestAClockThatWasFarAheadWasWrong(t *testing.T) {
	onStage(t, func(s *stage) {
		s.wall.Step(100 * 24 * hour)
		s.on(every(24 * hour))
		assert.Len(t, s.after(36*hour), 1)
		s.wall.Step(-100 * 24 * hour) // it is noon on the 2nd
		assert.Equal(t, []string{"03T00:00"}, s.after(12*hour))
	})
}

func TestNoRunIsEarlyThoughNobodyHasToldOfTheStep(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(every(hour))
		s.wall.StepUnheard(-10 * time.Minute)
		assert.Empty(t, s.after(hour+5*time.Minute))
		assert.EqualValues(t, 0, f.Runs())
		runs, _, _ := s.counts()
		assert.Zero(t, runs)
		assert.Equal(t, []string{"01T01:00"}, s.after(5*time.Minute))
		s.wall.Tell()
		assert.Equal(t, []string{"01T02:00"}, s.after(hour))
	})
}

func TestTheClockIsSetDuringARun(t *testing.T) {
	for step, want := range map[time.Duration][]string{
		2*hour + 10*time.Minute: {"01T03:40 for 01T03:00 missed 1", "01T04:10 for 01T04:00"},
		-20 * time.Minute:       {"01T02:00"},
		-2 * hour:               {"01T02:00"},
		-4 * hour:               {"31T22:00", "31T23:00", "01T00:00", "01T01:00", "01T02:00"},
	} {
		onStage(t, func(s *stage) {
			s.takes(30 * time.Minute)
			s.on(every(hour))
			assert.Equal(t, []string{"01T01:00"}, s.after(hour+10*time.Minute))
			s.wall.Step(step)
			end := time.Date(2000, 1, 1, 2, 10, 0, 0, time.UTC)
			if step > 0 {
				end = end.Add(2*hour + 10*time.Minute)
			}
			assert.Equal(t, want, s.after(end.Sub(s.wall.Now())), "step %v", step)
		})
	}
}

func TestTheClockIsSetDuringAPause(t *testing.T) {
	onStage(t, func(s *stage) {
		f := s.on(every(hour))
		require.True(t, f.Pause())
		s.wall.Step(5*hour + 30*time.Minute)
		assert.Empty(t, s.after(hour))
		require.True(t, f.Resume()) // 06:30
		assert.Equal(t, []string{"01T07:00 missed 6"}, s.after(30*time.Minute))
		require.True(t, f.Pause())
		s.wall.Step(-4 * hour)
		require.True(t, f.Resume())
		assert.Equal(t, []string{"01T04:00"}, s.after(hour))
	})
}

func TestTwoStepsThatCancelOutAreNone(t *testing.T) {
	onStage(t, func(s *stage) {
		s.on(every(hour))
		s.wall.StepUnheard(-5 * hour)
		s.wall.StepUnheard(5 * hour)
		s.wall.Tell()
		s.wall.Step(-time.Minute)
		s.wall.Step(time.Minute)
		assert.Equal(t, []string{"01T01:00", "01T02:00"}, s.after(2*hour))
	})
}

func TestATaskOfOneTimeFollowsTheClockIfAsked(t *testing.T) {
	onStage(t, func(s *stage) {
		plain, err := s.s.ScheduleAt(day(2), s.run)
		require.NoError(t, err)
		onWall, err := s.s.ScheduleAt(day(2), s.run, executor.WallClock())
		require.NoError(t, err)
		next, ok := onWall.Next()
		assert.True(t, ok && next.Equal(day(2)))
		s.wall.Step(-hour)
		assert.Len(t, s.after(2*hour), 1)
		assert.Equal(t, "succeeded", plain.State().String())
		assert.Equal(t, []string{"01T02:00"}, s.after(hour))
		assert.Equal(t, "succeeded", onWall.State().String())

		asleep, err := s.s.ScheduleAt(day(9), s.run, executor.WallClock(), executor.BeginWithin(hour))
		require.NoError(t, err)
		inTime, err := s.s.ScheduleAt(day(9), s.run, executor.WallClock())
		require.NoError(t, err)
		s.wall.Step(10 * hour)
		assert.Equal(t, []string{"01T12:00 for 01T09:00"}, s.after(0))
		_, err = asleep.Get(t.Context())
		require.ErrorIs(t, err, executor.ErrExpired)
		_, err = inTime.Get(t.Context())
		require.NoError(t, err)

		now, err := s.s.ScheduleAt(time.Time{}, s.run, executor.WallClock())
		require.NoError(t, err)
		assert.Len(t, s.after(0), 1, "the zero time is past")
		assert.Equal(t, "succeeded", now.State().String())
	})
}

func TestAnEarlyTaskOfOneTimeIsDroppedLikeOneThatWaits(t *testing.T) {
	onStage(t, func(s *stage) {
		f, err := s.s.ScheduleAt(day(2), s.run, executor.WallClock())
		require.NoError(t, err)
		s.wall.StepUnheard(-time.Minute)
		_, err = s.s.Schedule(2*hour-1, func(context.Context) error { // it is due behind this one
			time.Sleep(time.Second)
			return nil
		})
		require.NoError(t, err)
		time.Sleep(2*hour + time.Second)
		synctest.Wait()
		require.NoError(t, s.s.Close())
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, executor.ErrShutdown)
		assert.Empty(t, s.after(0))
	})
}

// While the clock is ahead, the run is due long before its executor was made. It does not begin
// only because another task has the worker, or the loop.
func TestAClockThatWasFarAheadForAMoment(t *testing.T) {
	onStage(t, func(s *stage) {
		const years = 40 * 365 * 24 * hour
		f := s.on(every(24*hour), executor.Jitter(hour))
		before, _ := f.Next()
		release := make(chan struct{})
		_, err := s.s.Schedule(0, func(context.Context) error {
			<-release
			return nil
		})
		require.NoError(t, err)
		synctest.Wait()
		s.wall.Step(years)
		synctest.Wait()
		s.wall.Step(-years)
		synctest.Wait()
		close(release)
		synctest.Wait()
		after, _ := f.Next()
		assert.True(t, before.Equal(after), "%v, %v", before, after)
		assert.Len(t, s.after(25*hour), 1)
	})
}
