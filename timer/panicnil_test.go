package timer_test

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

// whereRecoverTellsNothing runs a test with a setting under which recover returns nil for
// panic(nil).
func whereRecoverTellsNothing(t *testing.T) {
	t.Setenv("GODEBUG", os.Getenv("GODEBUG")+",panicnil=1")
}

func theSilentCulprit() { panic(nil) }

// requireNilPanic demands that err holds a panic(nil), with the stack of the culprit.
func requireNilPanic(t *testing.T, err error) {
	t.Helper()
	var cause *timer.PanicError
	ok := errors.As(err, &cause)
	require.True(t, ok, "%v", err)
	assert.IsType(t, (*runtime.PanicNilError)(nil), cause.Value)
}

func TestAPanicOfNilEndsASeriesOnceWhateverRecoverSays(t *testing.T) {
	whereRecoverTellsNothing(t)
	synctest.Test(t, func(t *testing.T) {
		var told []any
		w := hashedwheel.New(timer.Config{OnPanic: func(v any, _ []byte) { told = append(told, v) }})
		s, err := timer.AtFixedRate(w, 0, time.Second, theSilentCulprit)
		require.NoError(t, err)
		<-s.Done()
		probe.Elapse(time.Minute)
		requireNilPanic(t, s.Err())
		assert.EqualValues(t, 1, s.Runs())
		require.Len(t, told, 1, "the panic goes on into the facility")
		assert.IsType(t, (*runtime.PanicNilError)(nil), told[0])
		w.Close()
	})
}

func TestAPanicOfNilOfASeriesThatWasStoppedEndsItOnce(t *testing.T) {
	whereRecoverTellsNothing(t)
	synctest.Test(t, func(t *testing.T) {
		var told []any
		w := hashedwheel.New(timer.Config{OnPanic: func(v any, _ []byte) { told = append(told, v) }})
		self := make(chan *timer.Series, 1)
		s, err := timer.AtFixedRate(w, time.Second, time.Second, func() {
			(<-self).Stop()
			theSilentCulprit()
		})
		require.NoError(t, err)
		self <- s
		<-s.Done()
		synctest.Wait()
		assert.NoError(t, s.Err())
		require.Len(t, told, 1)
		assert.IsType(t, (*runtime.PanicNilError)(nil), told[0])
		w.Close()
	})
}

func TestAPanicOfNilKillsTheClassicTimerLoudly(t *testing.T) {
	whereRecoverTellsNothing(t)
	r := recorded(t)
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		require.NoError(t, tm.Schedule(timer.NewTask(theSilentCulprit), 0))
		probe.Elapse(time.Minute)
		requireNilPanic(t, tm.Err())
	})
	require.Len(t, r.kept, 1)
	assert.Contains(t, r.kept[0]["stack"], "timer_test.theSilentCulprit")
}
