package supervisor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/internal/wall/walltest"
)

const hour = time.Hour

// calendar is one that a function is.
type calendar func(after time.Time) time.Time

func (c calendar) Next(after time.Time) time.Time { return c(after) }

// every is the calendar of the whole multiples of a duration.
func every(d time.Duration) calendar {
	return func(after time.Time) time.Time { return after.Truncate(d).Add(d) }
}

// onWall runs a test in a bubble with a wall clock that it sets.
func onWall(t *testing.T, test func(t *testing.T, w *walltest.Clock)) {
	synctest.Test(t, func(t *testing.T) {
		w := walltest.Use(t)
		test(t, w)
		synctest.Wait()
		assert.Zero(t, w.Watchers())
	})
}

// nightly returns a subject that runs daily at midnight, and is stopped before the test ends.
func nightly(t *testing.T, c executor.Calendar, task executor.Task) (s *subject, stop func()) {
	p := pooltest.NewCached()
	s = supervise(t, p, task, supervisor.On(c), supervisor.Interval(time.Minute))
	return s, func() {
		require.NoError(t, s.StopContext(nil))
		require.NoError(t, p.Close())
	}
}

func TestCyclesBeginAtTheTimesOfTheCalendar(t *testing.T) {
	onWall(t, func(t *testing.T, _ *walltest.Clock) {
		s, stop := nightly(t, every(24*hour), takes(10*time.Second))
		defer stop()
		time.Sleep(30 * hour)
		synctest.Wait()
		next := s.Stats().Next
		assert.True(t, next.Equal(s.epoch.Add(48*hour)), next)
		time.Sleep(42 * hour)
		synctest.Wait()
		assert.Equal(t, []time.Duration{24 * hour, 48 * hour, 72 * hour}, s.begun())
	})
}

func TestACycleThatGoesWrongIsTriedAgainAfterTheDelay(t *testing.T) {
	onWall(t, func(t *testing.T, _ *walltest.Clock) {
		s, stop := nightly(t, every(24*hour), pooltest.InTurn(pooltest.Nothing, hang, hang, pooltest.Nothing))
		defer stop()
		time.Sleep(96*hour + time.Minute)
		synctest.Wait()
		assert.Equal(t, []time.Duration{24 * hour, 48 * hour, 48*hour + 3*time.Minute,
			48*hour + 8*time.Minute, 72 * hour, 96 * hour}, s.begun())
	})
}

func TestASupervisorFollowsTheWallClock(t *testing.T) {
	onWall(t, func(t *testing.T, w *walltest.Clock) {
		s, stop := nightly(t, every(24*hour), pooltest.Nothing)
		defer stop()
		time.Sleep(hour)
		w.Step(20 * hour)
		time.Sleep(5 * hour)
		synctest.Wait()
		assert.Equal(t, []time.Duration{4 * hour}, s.begun())
		w.Step(-3 * hour) // it is 23:00, and midnight has had its cycle
		time.Sleep(22 * hour)
		synctest.Wait()
		assert.Len(t, s.begun(), 1)
		time.Sleep(3 * hour)
		synctest.Wait()
		assert.Equal(t, []time.Duration{4 * hour, 31 * hour}, s.begun())
	})
}

func TestNoCycleIsEarlyByTheWallClock(t *testing.T) {
	onWall(t, func(t *testing.T, w *walltest.Clock) {
		s, stop := nightly(t, every(24*hour), pooltest.Nothing)
		defer stop()
		time.Sleep(hour)
		w.StepUnheard(-hour)
		time.Sleep(24 * hour)
		synctest.Wait()
		assert.Equal(t, []time.Duration{25 * hour}, s.begun())
	})
}

func TestASupervisorEndsWithItsCalendar(t *testing.T) {
	for name, c := range map[string]calendar{
		"at its end":    func(time.Time) time.Time { return time.Time{} },
		"that stands":   func(after time.Time) time.Time { return after },
		"that panics":   func(time.Time) time.Time { panic("no") },
		"that goes out": func(time.Time) time.Time { _ = pooltest.Goexit(context.Background()); return time.Time{} },
	} {
		onWall(t, func(t *testing.T, _ *walltest.Clock) {
			var told pooltest.Errors
			p := pooltest.NewCached()
			defer p.Close()
			s := supervisor.New(p, pooltest.Nothing, supervisor.On(c), executor.ErrorHandler(told.Handle))
			s.Start()
			<-s.Done()
			synctest.Wait()
			assert.Equal(t, "stopped", s.Stats().State, name)
			assert.Len(t, told.Told(), map[bool]int{true: 0, false: 1}[name == "at its end"], name)
		})
	}
}

func TestATriggerLeavesTheCalendarAlone(t *testing.T) {
	onWall(t, func(t *testing.T, _ *walltest.Clock) {
		s, stop := nightly(t, every(24*hour), pooltest.Nothing)
		defer stop()
		time.Sleep(hour)
		s.Trigger()
		s.Suspend()
		time.Sleep(hour)
		s.Resume()
		time.Sleep(23 * hour)
		synctest.Wait()
		assert.Equal(t, []time.Duration{2 * hour, 24 * hour}, s.begun())
	})
	assert.PanicsWithValue(t, "supervisor: nil calendar", func() {
		supervisor.New(newPool(t), pooltest.Nothing, supervisor.On(nil))
	})
}
