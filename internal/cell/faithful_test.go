package cell

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// mute breaks the contract of contexts: it ends without an error.
type mute struct {
	context.Context
	done chan struct{}
}

func (m mute) Done() <-chan struct{} { return m.done }

func TestAFaithfulContextThatHasEndedHasAnError(t *testing.T) {
	m := mute{context.Background(), make(chan struct{})}
	ctx := Faithful(m)
	assert.NoError(t, ctx.Err())
	close(m.done)
	assert.Equal(t, context.Canceled, ctx.Err())
	assert.Equal(t, context.Canceled, context.Cause(ctx))
}

func TestWhatDerivesFromAFaithfulContextEndsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mute{context.Background(), make(chan struct{})}
		ctx, cancel := context.WithCancel(Faithful(m))
		defer cancel()
		close(m.done)
		<-ctx.Done()
		assert.Equal(t, context.Canceled, ctx.Err())
	})
}

func TestAFaithfulContextKeepsWhatTheOtherTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		parent := context.WithValue(t.Context(), key{}, "value")
		of, cancel := context.WithTimeoutCause(parent, time.Minute, errBoom)
		defer cancel()
		ctx := Faithful(of)
		assert.Equal(t, "value", ctx.Value(key{}))
		deadline, ok := ctx.Deadline()
		assert.True(t, ok)
		assert.Equal(t, time.Minute, time.Until(deadline))
		<-ctx.Done()
		assert.Equal(t, context.DeadlineExceeded, ctx.Err())
		assert.Equal(t, errBoom, context.Cause(ctx))
	})
}

func TestToDeriveFromAFaithfulContextCostsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Cell{}
		contexts := map[string]context.Context{
			"of package context": t.Context(),
			"of a run":           enter(t, c),
		}
		before := runtime.NumGoroutine()
		for name, ctx := range contexts {
			_, cancel := context.WithCancel(Faithful(ctx))
			assert.LessOrEqual(t, runtime.NumGoroutine(), before, name)
			cancel()
		}
		c.Exit()
		c.Finish(nil)
	})
}

// strictError is of a kind that happens: a method of a nil pointer to one panics.
type strictError struct{ text string }

func (e *strictError) Error() string     { return e.text }
func (e *strictError) Is(err error) bool { return e.text == err.Error() }

func TestAnErrorWhoseMethodsPanicMatchesNothing(t *testing.T) {
	var strict error = (*strictError)(nil)
	assert.False(t, Matches(strict, errBoom))
	assert.False(t, Matches(Joined(strict, errBoom), errBoom))
	assert.True(t, Matches(strict, strict))
	assert.True(t, Matches(Joined(errBoom, strict), errBoom))
}
