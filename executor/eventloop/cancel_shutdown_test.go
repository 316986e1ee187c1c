package eventloop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor/eventloop"
)

// To cancel a task wakes no loop that goes on. One that is shut down waits for nothing but its
// tasks.
func TestALoopThatIsShutDownEndsAsSoonAsItsLastTaskIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New()
		nothing := func(context.Context) error { return nil }
		first, err := l.Schedule(time.Hour, nothing)
		require.NoError(t, err)
		last, err := l.Schedule(2*time.Hour, nothing)
		require.NoError(t, err)
		synctest.Wait()
		start := time.Now()
		l.Shutdown()
		require.True(t, first.Cancel())
		synctest.Wait()
		select {
		case <-l.Terminated():
			t.Error("a task is left")
		default:
		}
		require.True(t, last.Cancel())
		<-l.Terminated()
		assert.Zero(t, time.Since(start))
		s := l.Stats()
		assert.EqualValues(t, 2, s.Cancelled)
		assert.Zero(t, s.Queued)
	})
}
