package eventloop

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pushUnseen does what a submitter does while the loop is awake: the loop has looked at its intake
// just before. It returns the time.
func pushUnseen(t *testing.T, l *Loop) int64 {
	t.Helper()
	l.rest.next.Store(awake)
	require.NoError(t, l.Execute(func(context.Context) error { return nil }))
	assert.False(t, l.waiting.intake.empty())
	assert.Equal(t, awake, l.rest.next.Load(), "an awake loop is not told")
	return l.clock.Now()
}

func TestWhatComesJustBeforeASleepIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New()
		now := pushUnseen(t, l)
		l.mu.Lock()
		l.rest.sleep(now+int64(time.Hour), now)
		l.mu.Unlock()
		assert.Equal(t, now, l.clock.Now(), "it has not slept")
		assert.Equal(t, awake, l.rest.next.Load())
		go l.worker.work()
		require.NoError(t, l.Close())
	})
}

func TestWhatComesJustBeforeTheGoroutineLeavesIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New()
		pushUnseen(t, l)
		l.mu.Lock()
		require.False(t, l.worker.leaveLocked())
		l.mu.Unlock()
		assert.Equal(t, awake, l.rest.next.Load())
		go l.worker.work()
		require.NoError(t, l.Close())
	})
}

func TestALoopOutlivesWhoSettlesItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New()
		settled := l.runs.Settles()
		l.Shutdown()
		synctest.Wait()
		assert.Equal(t, absent, l.rest.next.Load())
		select {
		case <-l.Terminated():
			t.Error("terminated, and somebody is settling")
		default:
		}
		settled()
		require.NoError(t, l.AwaitTermination(t.Context()))
	})
}
