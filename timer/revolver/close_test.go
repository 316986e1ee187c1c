package revolver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/revolver"
)

// The executor is handed one function after the other, by one goroutine, also at the end.
func TestWhatCloseRunsWaitsForWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inside, most := 0, 0
		var order []string
		w := revolver.New(timer.Config{Executor: func(f func()) error {
			inside++
			most = max(most, inside)
			f()
			inside--
			return nil
		}})
		w.AfterFunc(time.Millisecond, func() { time.Sleep(time.Second); order = append(order, "due") })
		w.AfterFunc(time.Hour, func() { order = append(order, "in an hour") })
		w.AfterFunc(time.Minute, func() { order = append(order, "in a minute") })
		time.Sleep(500 * time.Millisecond)
		assert.Empty(t, w.CloseFunc(func(timer.Handle) bool { return true }))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, 1, most)
		assert.Equal(t, []string{"due", "in a minute", "in an hour"}, order)
		assert.Zero(t, w.Armed())
	})
}
