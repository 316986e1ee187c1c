package eventloop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/internal/delay"
)

// The last body returns when the one who stops the loop has settled one future, and not the other.
func TestALoopDoesNotEndBeforeTheFuturesOfWhatItDropsAreSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New()
		goOn := make(chan struct{})
		require.NoError(t, l.Execute(func(context.Context) error { <-goOn; return nil }))
		for range 2 {
			_, err := l.Schedule(time.Hour, func(context.Context) error { return nil })
			require.NoError(t, err)
		}
		synctest.Wait()

		held, early := false, false
		defer delay.Set(func(p delay.Point) {
			if p != delay.CellSettled || held {
				return
			}
			held = true
			close(goOn)
			synctest.Wait()
			select {
			case <-l.Terminated():
				early = true
			default:
			}
		})()
		assert.Len(t, l.ShutdownNow(), 2)
		assert.True(t, held)
		assert.False(t, early)
		<-l.Terminated()
	})
}
