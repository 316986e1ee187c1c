package timer_test

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
)

// Every other task is cancelled just as the timer, which has run the one before, comes to it.
func TestATaskThatIsCancelledInTheLastMomentDoesNotRun(t *testing.T) {
	const pairs = 20_000
	tm := timer.New("")
	defer tm.Cancel()
	var reached, spun atomic.Int64
	goOn := make(chan struct{})
	tm.AfterFunc(0, func() { <-goOn })
	ran := make([]atomic.Bool, pairs)
	victims := make([]*timer.Task, pairs)
	for i := range int64(pairs) {
		require.NoError(t, tm.Schedule(timer.NewTask(func() { reached.Store(i + 1) }), 0))
		victims[i] = timer.NewTask(func() { ran[i].Store(true) })
		require.NoError(t, tm.Schedule(victims[i], 0))
	}
	over := make(chan struct{})
	require.NoError(t, tm.Schedule(timer.NewTask(func() { close(over) }), 0))

	close(goOn)
	cancelled := make([]bool, pairs)
	for i := range int64(pairs) {
		for reached.Load() <= i {
			runtime.Gosched()
		}
		for range rand.IntN(50) {
			spun.Add(1)
		}
		cancelled[i] = victims[i].Cancel()
	}
	<-over
	for i := range pairs {
		require.NotEqual(t, cancelled[i], ran[i].Load(), "task %d: it was cancelled, and ran, or neither", i)
	}
}
