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

// A task that nobody has told the goroutine of tells when it goes on from its wait.
func TestAFarTaskWakesTheTimerOnceAndNotBefore(t *testing.T) {
	for _, far := range []time.Duration{24 * time.Hour, 100 * 365 * 24 * time.Hour} {
		inBubble(t, func(t *testing.T, tm *timer.Timer) {
			l := newLog()
			require.NoError(t, tm.Schedule(l.task("far"), far))
			synctest.Wait()
			timer.PushUnseen(tm, l.task("unseen"))
			probe.Elapse(far - 1)
			assert.Empty(t, l.runs, "the goroutine has woken before its time")
			assert.Equal(t, 2, timer.Queued(tm))
			probe.Elapse(1)
			assert.Equal(t, []aRun{{"unseen", far, 0}, {"far", far, far}}, l.runs)
			assert.False(t, timer.Serving(tm), "and does not again, as it is gone")
		})
	}
}

func TestATaskForNeverDoesNotWakeTheTimer(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.Schedule(l.task("never"), longest))
		synctest.Wait()
		timer.PushUnseen(tm, l.task("unseen"))
		probe.Elapse(100 * 365 * 24 * time.Hour)
		assert.Empty(t, l.runs)
		timer.Ring(tm)
		synctest.Wait()
		assert.Equal(t, "unseen", l.names(), "a goroutine that wakes is seen")
	})
}
