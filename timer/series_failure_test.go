package timer_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

func TestLARS17_APanicEndsTheSeriesAndGoesOnIntoTheFacility(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := &coarse{tick: ms, start: time.Now()}
		for n, begin := range []func(f func()) (*timer.Series, error){
			func(f func()) (*timer.Series, error) { return timer.AtFixedRate(on, 0, time.Second, f) },
			func(f func()) (*timer.Series, error) { return timer.WithFixedDelay(on, 0, time.Second, f) },
		} {
			runs := 0
			s, err := begin(func() {
				if runs++; runs == 3 {
					theCulprit()
				}
			})
			require.NoError(t, err)
			assert.NoError(t, s.Err())
			<-s.Done()
			probe.Elapse(time.Minute)
			assert.EqualValues(t, 3, s.Runs())
			assert.Equal(t, 3, runs)
			var cause *timer.PanicError
			ok := errors.As(s.Err(), &cause)
			require.True(t, ok)
			assert.Equal(t, errBoom, cause.Value)
			assert.Contains(t, string(cause.Stack), "timer_test.theCulprit")
			assert.False(t, s.Stop(), "it has ended")
			assert.ErrorIs(t, s.Err(), errBoom)
			assert.Len(t, on.caught, n+1, "once for each series")
			assert.Equal(t, errBoom, on.caught[n])
		}
	})
}

func TestLARS17_APanicOfASeriesKillsTheClassicTimer(t *testing.T) {
	r := recorded(t)
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		other, err := timer.AtFixedRate(tm, 500*ms, time.Second, nothing)
		require.NoError(t, err)
		failing, err := timer.AtFixedRate(tm, 0, time.Second, theCulprit)
		require.NoError(t, err)
		<-failing.Done()
		synctest.Wait()
		assert.ErrorIs(t, failing.Err(), errBoom)
		assert.NotErrorIs(t, failing.Err(), timer.ErrClosed)
		assert.ErrorIs(t, other.Err(), timer.ErrClosed, "found when asked")
		assert.ErrorIs(t, other.Err(), errBoom)
		assert.True(t, probe.IsClosed(other.Done()))
	})
	require.Len(t, r.kept, 1)
	assert.Contains(t, r.kept[0]["stack"], "timer_test.theCulprit", "the stack is that of the first panic")
}

func TestLARS17_OnTheRuntimeAPanicOfASeriesEndsTheProgram(t *testing.T) {
	const child = "PUNCTUAL_TEST_OF_A_CRASH"
	if os.Getenv(child) != "" {
		_, _ = timer.AtFixedRate(timer.Runtime(), 0, time.Second, theCulprit)
		time.Sleep(time.Minute)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	assert.Contains(t, string(out), "panic: boom")
	assert.Contains(t, string(out), "timer_test.theCulprit")
}

func TestLARS17_GoexitEndsTheSeries(t *testing.T) {
	recorded(t)
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		s, err := timer.AtFixedRate(on, 0, time.Second, runtime.Goexit)
		require.NoError(t, err)
		<-s.Done()
		probe.Elapse(time.Minute)
		assert.Equal(t, timer.ErrGoexit, s.Err())
		assert.EqualValues(t, 1, s.Runs())
	})
}

func TestLARS18_BadArgumentsAreRefused(t *testing.T) {
	for _, bad := range []time.Duration{0, -1, shortest} {
		_, err := timer.AtFixedRate(timer.Runtime(), 0, bad, nothing)
		assert.ErrorIs(t, err, timer.ErrInvalid)
		_, err = timer.WithFixedDelay(timer.Runtime(), 0, bad, nothing)
		assert.ErrorIs(t, err, timer.ErrInvalid)
	}
	s, err := timer.AtFixedRate(nil, 0, 1, nothing)
	assert.ErrorIs(t, err, timer.ErrInvalid)
	assert.Nil(t, s)
	_, err = timer.WithFixedDelay(nil, 0, 1, nothing)
	assert.ErrorIs(t, err, timer.ErrInvalid)
	_, err = timer.AtFixedRate(timer.Runtime(), 0, 1, nil)
	assert.Equal(t, timer.ErrNilFunc, err)
	_, err = timer.WithFixedDelay(timer.Runtime(), 0, 1, nil)
	assert.Equal(t, timer.ErrNilFunc, err)
	_, err = timer.AtFixedRate(timer.Runtime(), 0, 1, nothing, timer.CatchUp(timer.Skip), nil)
	assert.ErrorContains(t, err, "series option 1 is nil")
	_, err = timer.AtFixedRate(timer.Runtime(), 0, 1, nothing, timer.CatchUp(timer.Coalesce+1))
	assert.ErrorIs(t, err, timer.ErrInvalid)
}

func TestLARS18_HugeTimesSaturate(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		probe.Elapse(time.Second)
		never, err := timer.AtFixedRate(on, longest, longest, func() { t.Error("it ran") })
		require.NoError(t, err)
		// One each: runs of different series may overlap.
		byRate, byDelay, bySkip := newTimes(), newTimes(), newTimes()
		rate, err := timer.AtFixedRate(on, shortest, longest, byRate.run)
		require.NoError(t, err)
		delay, err := timer.WithFixedDelay(on, shortest, longest, byDelay.run)
		require.NoError(t, err)
		skip, err := timer.AtFixedRate(on, longest/2, longest/2, bySkip.run, timer.CatchUp(timer.Skip))
		require.NoError(t, err)
		probe.Elapse(longest/2 + time.Hour)
		assert.Equal(t, []time.Duration{0}, byRate.all(t))
		assert.Equal(t, []time.Duration{0}, byDelay.all(t))
		assert.Equal(t, []time.Duration{longest / 2}, bySkip.all(t))
		for _, s := range []*timer.Series{never, rate, delay, skip} {
			assert.False(t, probe.IsClosed(s.Done()), "it waits, for ever")
			stop(t, s)
		}
	})
}
