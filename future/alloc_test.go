package future_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/future"
)

// sinks keep what is measured on the heap.
var (
	taskSink    *future.Task[int]
	futureSink  *future.Future[int]
	promiseSink *future.Promise[int]
)

const allocRuns = 1_000

func TestTaskAndItsFutureAreOneAllocation(t *testing.T) {
	n := testing.AllocsPerRun(allocRuns, func() {
		taskSink = future.NewTask(seven)
		futureSink = taskSink.Future()
	})
	assert.Equal(t, 1.0, n)
}

func TestPromiseAndItsFutureAreOneAllocation(t *testing.T) {
	n := testing.AllocsPerRun(allocRuns, func() {
		promiseSink = future.NewPromise[int]()
		futureSink = promiseSink.Future()
	})
	assert.Equal(t, 1.0, n)
}

func TestCompletingAPromiseAllocatesNothing(t *testing.T) {
	n := testing.AllocsPerRun(allocRuns, func() {
		promiseSink = future.NewPromise[int]()
		promiseSink.Complete(7)
	})
	assert.Equal(t, 1.0, n, "the promise itself")
}

func TestRunInTheBackgroundAllocatesNothing(t *testing.T) {
	n := testing.AllocsPerRun(allocRuns, func() {
		taskSink = future.NewTask(seven)
		taskSink.Run(context.Background())
	})
	assert.Equal(t, 1.0, n, "the task itself")
}

func TestCancellingAPendingTaskAllocatesNothing(t *testing.T) {
	n := testing.AllocsPerRun(allocRuns, func() {
		taskSink = future.NewTask(seven)
		taskSink.Future().Cancel()
	})
	assert.Equal(t, 1.0, n, "the task itself")
}

func TestAskingASettledFutureAllocatesNothing(t *testing.T) {
	ctx := t.Context()
	for name, f := range map[string]*future.Future[int]{
		"value": future.Of(7), "failure": future.Failed[int](errBoom), "cancellation": cancelled(nil),
	} {
		asks := map[string]func(){
			"Get":        func() { _, _ = f.Get(ctx) },
			"GetTimeout": func() { _, _ = f.GetTimeout(1) },
			"Poll":       func() { _, _ = f.Poll() },
			"State":      func() { _ = f.State() },
		}
		for ask, call := range asks {
			assert.Zero(t, testing.AllocsPerRun(allocRuns, call), "%s of a %s", ask, name)
		}
	}
}

func TestPollOfAPendingFutureAllocatesNothing(t *testing.T) {
	f := future.NewPromise[int]().Future()
	assert.Zero(t, testing.AllocsPerRun(allocRuns, func() { _, _ = f.Poll() }))
}

func TestPeriodicRunThatIgnoresItsContextAllocatesNothing(t *testing.T) {
	task := future.NewTask(seven)
	ctx := context.Background()
	assert.Zero(t, testing.AllocsPerRun(allocRuns, func() { task.RunAndReset(ctx) }))
}

// Somebody who waits for a series must not make each of its runs dearer.
func TestPeriodicRunWithAWaiterAllocatesNothing(t *testing.T) {
	task := future.NewTask(seven)
	_ = task.Future().Done()
	ctx := context.Background()
	assert.Zero(t, testing.AllocsPerRun(allocRuns, func() { task.RunAndReset(ctx) }))
}

func TestPeriodicRunWithACancellableParentAllocatesNothing(t *testing.T) {
	task := future.NewTask(seven)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	assert.Zero(t, testing.AllocsPerRun(allocRuns, func() { task.RunAndReset(ctx) }))
}
