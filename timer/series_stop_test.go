package timer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

func TestLARS19_StopBeforeTheFirstRun(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		s, err := timer.AtFixedRate(on, time.Second, time.Second, func() { t.Error("it ran") })
		require.NoError(t, err)
		probe.Elapse(time.Second - 1)
		assert.True(t, s.Stop())
		assert.True(t, probe.IsClosed(s.Done()))
		assert.False(t, s.Stop())
		probe.Elapse(time.Minute)
		assert.NoError(t, s.Err())
		assert.Zero(t, s.Runs())
	})
}

func TestLARS19_StopBetweenTwoRuns(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		r := newTimes()
		s, err := timer.WithFixedDelay(on, 0, time.Second, r.run)
		require.NoError(t, err)
		probe.Elapse(2500 * ms)
		assert.False(t, probe.IsClosed(s.Done()))
		assert.True(t, s.Stop())
		assert.True(t, probe.IsClosed(s.Done()))
		probe.Elapse(time.Minute)
		assert.Equal(t, seconds(0, 1, 2), r.all(t))
		assert.EqualValues(t, 3, s.Runs())
	})
}

func TestLARS19_StopDuringARunLetsItFinishAndIsDoneThen(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		r := newTimes(0, 10*time.Second)
		s, err := timer.AtFixedRate(on, 0, time.Second, r.run)
		require.NoError(t, err)
		probe.Elapse(5 * time.Second)
		assert.True(t, s.Stop())
		assert.False(t, s.Stop())
		assert.False(t, probe.IsClosed(s.Done()), "a run is in progress")
		assert.NoError(t, s.Err())
		<-s.Done()
		assert.Equal(t, 11*time.Second, time.Since(r.start))
		probe.Elapse(time.Minute)
		assert.Equal(t, seconds(0, 1), r.all(t))
		assert.NoError(t, s.Err())
	})
}

func TestLARS19_StopFromTheFunction(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		var s *timer.Series
		var told []bool
		runs, ready := 0, make(chan struct{})
		s, err := timer.AtFixedRate(on, time.Second, time.Second, func() {
			<-ready // s is set
			if runs++; runs == 3 {
				told = append(told, s.Stop(), s.Stop(), probe.IsClosed(s.Done()))
			}
		})
		require.NoError(t, err)
		close(ready)
		<-s.Done()
		probe.Elapse(time.Minute)
		synctest.Wait()
		assert.Equal(t, []bool{true, false, false}, told)
		assert.Equal(t, 3, runs)
	})
}

func TestLARS19_ASeriesOnAStoppedFacilityIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		tm.Cancel()
		s, err := timer.AtFixedRate(tm, 0, time.Second, nothing)
		assert.Nil(t, s)
		assert.Equal(t, timer.ErrClosed, err)
	})
}

func TestLARS19_AFacilityStoppedBetweenTwoRunsIsFoundByErrAndDone(t *testing.T) {
	for name, find := range map[string]func(t *testing.T, s *timer.Series){
		"Err":  func(t *testing.T, s *timer.Series) { assert.Equal(t, timer.ErrClosed, s.Err()) },
		"Done": func(t *testing.T, s *timer.Series) { <-s.Done() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *timer.Timer) {
				s, err := timer.AtFixedRate(tm, 0, time.Second, nothing)
				require.NoError(t, err)
				probe.Elapse(2500 * ms)
				assert.NoError(t, s.Err())
				tm.Cancel()
				find(t, s)
				assert.Equal(t, timer.ErrClosed, s.Err())
				assert.True(t, probe.IsClosed(s.Done()))
				assert.False(t, s.Stop())
				assert.EqualValues(t, 3, s.Runs())
			})
		})
	}
}

func TestLARS19_AFacilityStoppedDuringARunEndsTheSeriesAfterIt(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		s, err := timer.AtFixedRate(tm, 0, time.Second, func() { time.Sleep(10 * time.Second) })
		require.NoError(t, err)
		done := s.Done()
		probe.Elapse(time.Second)
		tm.Cancel()
		assert.NoError(t, s.Err())
		<-done // asked for before: the run itself finds out
		assert.Equal(t, timer.ErrClosed, s.Err())
		assert.EqualValues(t, 1, s.Runs())
	})
}
