package timer_test

import (
	"context"
	"runtime/pprof"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/labelstest"
	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

func TestLabelsThatATaskOfTheClassicTimerHasSetEndWithIt(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		got := "not run"
		require.NoError(t, tm.Schedule(timer.NewTask(func() {
			pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("stain", "here")))
		}), 1))
		require.NoError(t, tm.Schedule(timer.NewTask(func() { got = labelstest.Here() }), 1))
		probe.Elapse(1)
		assert.Equal(t, `{"timer":"`+t.Name()+`"}`, got)
	})
}
