package gate_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/gate"
)

// called calls f on a goroutine of its own, and returns what was told of its end, and whether Call
// returned.
func called(f func()) (told []*gate.End, returned bool) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		gate.Call(f, func(end *gate.End) { told = append(told, end) })
		returned = true
	}()
	<-over
	return told, returned
}

func theCulprit(value any) { panic(value) }

func TestNothingIsToldOfAFunctionThatReturns(t *testing.T) {
	ran := false
	told, returned := called(func() { ran = true })
	assert.Empty(t, told)
	assert.True(t, ran && returned)
}

func TestAPanicIsToldOnceWithItsStackAndTheCallReturns(t *testing.T) {
	boom := errors.New("boom")
	told, returned := called(func() { theCulprit(boom) })
	require.Len(t, told, 1)
	assert.True(t, returned)
	assert.Equal(t, boom, told[0].Value)
	assert.Contains(t, string(told[0].Stack), "theCulprit")
}

func TestAPanicOfNilIsOneLikeOthers(t *testing.T) {
	for _, setting := range []string{"panicnil=0", "panicnil=1"} {
		t.Setenv("GODEBUG", os.Getenv("GODEBUG")+","+setting)
		told, returned := called(func() { theCulprit(nil) })
		require.Len(t, told, 1, setting)
		assert.True(t, returned)
		assert.IsType(t, (*runtime.PanicNilError)(nil), told[0].Value)
		assert.Contains(t, string(told[0].Stack), "theCulprit")
	}
}

func theLeaver() { runtime.Goexit() }

func TestAGoexitIsToldOnceWithItsStackAndGoesOn(t *testing.T) {
	told, returned := called(theLeaver)
	require.Len(t, told, 1)
	assert.True(t, told[0].Exited())
	assert.False(t, returned)
	assert.Contains(t, string(told[0].Stack), "theLeaver")
}

func TestAPanicInADeferredCallDuringGoexitIsToldOnceAndTheGoroutineEnds(t *testing.T) {
	told, returned := called(func() {
		defer theCulprit("late")
		runtime.Goexit()
	})
	require.Len(t, told, 1)
	assert.Equal(t, "late", told[0].Value)
	assert.False(t, returned)
}

func TestAGoexitInADeferredCallDuringAPanicIsAGoexit(t *testing.T) {
	told, returned := called(func() {
		defer runtime.Goexit()
		panic("early")
	})
	require.Len(t, told, 1)
	assert.False(t, returned)
}

func TestABodysErrorIsStoredHoweverItEnds(t *testing.T) {
	boom := errors.New("boom")
	ended := func(e *gate.End) error {
		if e.Exited() {
			return errors.New("exited")
		}
		return errors.New("panicked")
	}
	for want, body := range map[string]func(context.Context) error{
		"boom":     func(context.Context) error { return boom },
		"panicked": func(context.Context) error { panic(1) },
		"exited":   func(context.Context) error { runtime.Goexit(); return nil },
	} {
		over := make(chan error)
		go func() {
			var err error
			defer func() { over <- err }()
			returned := gate.Invoke(t.Context(), body, &err, ended)
			assert.Equal(t, want == "boom", returned)
		}()
		assert.EqualError(t, <-over, want)
	}
}
