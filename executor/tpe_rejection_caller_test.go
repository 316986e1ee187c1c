package executor_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// rejCallers is a pool of one worker under CallerRuns that lets nothing wait.
func rejCallers(t *testing.T, opts ...executor.Option) *executor.Pool {
	return rejPool(t, 1, append([]executor.Option{executor.HandOff(), executor.OnRejection(executor.CallerRuns)}, opts...)...)
}

// rejHeld is rejCallers with its worker held.
func rejHeld(t *testing.T, opts ...executor.Option) (*executor.Pool, *withGate) {
	p := rejCallers(t, opts...)
	gate := withNewGate(t)
	require.NoError(t, p.Execute(gate.hold))
	synctest.Wait()
	return p, gate
}

// rejEndless is a task that submits itself again, a number of times, and notes how deep its stack is.
type rejEndless struct {
	pool       *executor.Pool
	left       int
	inside     int  // bodies in progress, all on one goroutine
	nested     bool // more than the first, of a worker, and one that it runs as a caller
	goroutines map[string]bool
	depths     []int
}

func (e *rejEndless) run(context.Context) error {
	e.inside++
	defer func() { e.inside-- }()
	e.nested = e.nested || e.inside > 2
	e.depths = append(e.depths, runtime.Callers(0, make([]uintptr, 4096)))
	if len(e.depths)%1000 == 0 {
		e.goroutines[theGoroutine()] = true
	}
	if e.left--; e.left < 0 {
		return nil
	}
	return e.pool.Execute(e.run)
}

func TestTPE043_ATaskThatSubmitsItselfForEverDoesNotGrowTheStack(t *testing.T) {
	const again = 10_000
	for name, held := range map[string]bool{"by a caller outside of the pool": true, "by a worker": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := rejCallers(t)
				gate := withNewGate(t)
				if held {
					require.NoError(t, p.Execute(gate.hold))
					synctest.Wait()
				}
				e := &rejEndless{pool: p, left: again, goroutines: map[string]bool{}}
				require.NoError(t, p.Execute(e.run))
				synctest.Wait()
				require.Len(t, e.depths, again+1)
				deepest := 0
				for _, d := range e.depths {
					deepest = max(deepest, d)
				}
				assert.Equal(t, max(e.depths[0], e.depths[1], e.depths[2]), deepest)
				assert.False(t, e.nested)
				assert.Len(t, e.goroutines, 1)
				s := p.Stats()
				assert.EqualValues(t, again+1, s.Completed)
				assert.Zero(t, s.Rejected)
			})
		})
	}
}

func TestTPE043_ATaskGivenToACallerInARunFollowsThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := rejHeld(t)
		tr := withNewTrace()
		var state future.State
		var queued int
		require.NoError(t, p.Execute(func(context.Context) error {
			first, err := p.Submit(tr.task("first"))
			require.NoError(t, err)
			gone, err := p.Submit(tr.task("cancelled"))
			require.NoError(t, err)
			require.NoError(t, p.Execute(tr.task("second")))
			state, queued = first.State(), p.Stats().Queued
			assert.True(t, gone.Cancel())
			assert.Equal(t, 2, len(p.Queued()))
			tr.mark("outer")
			return nil
		}))
		assert.Equal(t, []string{"outer 0s", "first 0s", "second 0s"}, tr.seen())
		assert.Equal(t, future.Pending, state)
		assert.Equal(t, 3, queued)
	})
}

func TestTPE043_AGoexitInACallerRunEndsTheCallerAndLeavesTheRestToTheWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told withErrors
		p, gate := rejHeld(t, executor.ErrorHandler(told.handle))
		tr := withNewTrace()
		var later []*future.Future[struct{}]
		deferred, returned := false, false
		go func() {
			defer func() { deferred = true }()
			_ = p.Execute(func(context.Context) error {
				for _, name := range []string{"a", "b"} {
					f, err := p.Submit(tr.task(name))
					assert.NoError(t, err)
					later = append(later, f)
				}
				runtime.Goexit()
				return nil
			})
			returned = true
		}()
		synctest.Wait()
		assert.True(t, deferred)
		assert.False(t, returned)
		assert.Equal(t, []error{future.ErrGoexit}, told.told())
		assert.Empty(t, tr.seen(), "the only worker is busy")
		time.Sleep(time.Hour)
		gate.open()
		synctest.Wait()
		assert.Equal(t, []string{"a 1h0m0s", "b 1h0m0s"}, tr.seen())
		for _, f := range later {
			assert.NoError(t, withOutcome(t, f))
		}
		assert.Equal(t, 1, p.Stats().Workers)
		assert.Zero(t, p.Stats().Rejected)
	})
}

func TestTPE043_AGoexitInARunByAWorkerEndsBothItsTasksAndKeepsTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := rejCallers(t)
		tr := withNewTrace()
		f, err := p.Submit(func(context.Context) error {
			return p.Execute(func(context.Context) error {
				assert.NoError(t, p.Execute(tr.task("later")))
				runtime.Goexit()
				return nil
			})
		})
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, future.ErrGoexit, withOutcome(t, f), "it was on the same goroutine")
		assert.Equal(t, []string{"later 0s"}, tr.seen())
		s := p.Stats()
		assert.Equal(t, []uint64{3, 3, 2, 0}, []uint64{s.Completed, s.Runs, s.Failures, s.Rejected})
		assert.Len(t, withWorkerGoroutines(t), 1)
	})
}

func TestTPE043_AFailureOfATaskRunByItsCallerIsNotTheCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told withErrors
		p, _ := rejHeld(t, executor.ErrorHandler(told.handle))
		for _, body := range []executor.Task{withFailure, withPanic} {
			assert.NoError(t, p.Execute(body))
			f, err := p.Submit(body)
			require.NoError(t, err)
			assert.Error(t, withOutcome(t, f))
		}
		assert.Len(t, told.told(), 3, "of Execute, and the panic of Submit")
		assert.EqualValues(t, 4, p.Stats().Failures)
	})
}

func TestTPE043_ThePoolEndsAfterTheTasksThatCallersRun(t *testing.T) {
	for name, c := range map[string]struct {
		stop     func(p *executor.Pool) []executor.Pending
		cause    error
		ran      []string
		returned int
	}{
		"Shutdown":    {func(p *executor.Pool) []executor.Pending { p.Shutdown(); return nil }, nil, []string{"later 1h0m0s"}, 0},
		"ShutdownNow": {(*executor.Pool).ShutdownNow, executor.ErrShutdown, []string{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, gate := rejHeld(t)
				tr := withNewTrace()
				var cause, wait error
				var later *future.Future[struct{}]
				go func() {
					assert.NoError(t, p.Execute(func(ctx context.Context) error {
						later, _ = p.Submit(tr.task("later"))
						time.Sleep(time.Hour)
						cause = context.Cause(ctx)
						wait = p.AwaitTermination(context.Background())
						return nil
					}))
				}()
				withPassed(time.Minute)
				assert.Len(t, c.stop(p), c.returned)
				gate.open()
				withPassed(time.Minute)
				assert.False(t, withClosed(p.Terminated()))
				assert.Zero(t, p.Stats().Workers)
				<-p.Terminated()
				assert.Equal(t, time.Hour, time.Since(tr.start))
				assert.Equal(t, c.cause, cause)
				assert.Equal(t, future.ErrSelfWait, wait)
				assert.Equal(t, c.ran, tr.seen())
				assert.Equal(t, c.returned == 0, withOutcome(t, later) == nil)
			})
		})
	}
}
