package panics_test

import (
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/panics"
)

func TestAFunctionThatReturnsHasNotPanicked(t *testing.T) {
	called := false
	assert.Nil(t, panics.Call(func() { called = true }))
	assert.True(t, called)
}

func theCulprit(value any) { panic(value) }

func TestAPanicIsToldWithItsStack(t *testing.T) {
	boom := errors.New("boom")
	p := panics.Call(func() { theCulprit(boom) })
	require.NotNil(t, p)
	assert.Equal(t, boom, p.Value)
	assert.Contains(t, string(p.Stack), "theCulprit")
}

func TestAPanicOfNilIsOneLikeOthers(t *testing.T) {
	for _, setting := range []string{"panicnil=0", "panicnil=1"} {
		t.Setenv("GODEBUG", os.Getenv("GODEBUG")+","+setting)
		p := panics.Call(func() { theCulprit(nil) })
		require.NotNil(t, p, setting)
		assert.IsType(t, (*runtime.PanicNilError)(nil), p.Value)
		assert.Contains(t, string(p.Stack), "theCulprit")
	}
}

func TestGoexitGoesOn(t *testing.T) {
	over := make(chan struct{})
	returned := false
	go func() {
		defer close(over)
		panics.Call(runtime.Goexit)
		returned = true
	}()
	<-over
	assert.False(t, returned)
}
