package tpe_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/goid"
	"github.com/punctual-go/punctual/internal/probe"
)

// rejCallers is a pool of one worker under CallerRuns that lets nothing wait.
func rejCallers(t *testing.T, opts ...executor.Option) *executor.Pool {
	return pooltest.NewPool(t, 1, append([]executor.Option{executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns)}, opts...)...)
}

// rejHeld is rejCallers with its worker held.
func rejHeld(t *testing.T, opts ...executor.Option) (*executor.Pool, *pooltest.Gate) {
	p := rejCallers(t, opts...)
	gate := pooltest.NewGate(t)
	require.NoError(t, p.Execute(gate.Hold))
	synctest.Wait()
	return p, gate
}

// rejEndless is a task that submits itself again, a number of times, and notes how many bodies of
// it are in progress on one goroutine.
type rejEndless struct {
	pool *executor.Pool

	mu      sync.Mutex
	left    int
	ran     int
	inside  map[uint64]int // by goroutine
	deepest int
}

func (e *rejEndless) run(context.Context) error {
	e.mu.Lock()
	who := goid.Current()
	e.ran++
	e.inside[who]++
	e.deepest = max(e.deepest, e.inside[who])
	again := e.left > 0
	e.left--
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.inside[who]--
	}()
	if !again {
		return nil
	}
	return e.pool.Execute(e.run)
}

func TestTPE043_ATaskThatSubmitsItselfForEverDoesNotGrowTheStack(t *testing.T) {
	const again, nested = 5_000, 1_000
	for name, held := range map[string]bool{"by a caller outside of the pool": true, "by a worker": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := rejCallers(t)
				gate := pooltest.NewGate(t)
				if held {
					require.NoError(t, p.Execute(gate.Hold))
					synctest.Wait()
				}
				e := &rejEndless{pool: p, left: again, inside: map[uint64]int{}}
				require.NoError(t, p.Execute(e.run))
				synctest.Wait()
				assert.Equal(t, nested+1, e.ran)
				assert.Equal(t, nested+1, e.deepest)
				s := p.Stats()
				assert.EqualValues(t, nested+1, s.Completed)
				assert.EqualValues(t, 1, s.Rejected, "the last was too deep")
			})
		})
	}
}

func TestTPE043_ATaskGivenToACallerInARunRunsInsideOfThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := rejHeld(t)
		tr := pooltest.NewTrace()
		require.NoError(t, p.Execute(func(context.Context) error {
			first, err := p.Submit(tr.Task("first"))
			require.NoError(t, err)
			assert.Equal(t, future.Succeeded, first.State())
			require.NoError(t, p.Execute(tr.Task("second")))
			assert.Equal(t, []int{2, 0}, []int{p.Stats().Busy, p.Stats().Queued})
			tr.Mark("outer")
			return nil
		}))
		assert.Equal(t, []string{"first 0s", "second 0s", "outer 0s"}, tr.Seen())
	})
}

// rejDeep calls then inside of as many runs by their caller as there may be.
func rejDeep(p *executor.Pool, left int, then func()) executor.Task {
	return func(context.Context) error {
		if left == 0 {
			then()
			return nil
		}
		return p.Execute(rejDeep(p, left-1, then))
	}
}

func TestTPE043_WhatIsTooDeepForTheCallerIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := rejHeld(t)
		tr := pooltest.NewTrace()
		require.NoError(t, p.Execute(rejDeep(p, 999, func() {
			require.NoError(t, p.Execute(tr.Task("deepest")))
		})))
		require.NoError(t, p.Execute(rejDeep(p, 1000, func() {
			err := p.Execute(tr.Task("too deep"))
			assert.ErrorIs(t, err, executor.ErrSaturated)
			_, err = p.Submit(tr.Task("too deep"))
			assert.ErrorIs(t, err, executor.ErrSaturated)
			assert.Zero(t, p.Stats().Queued)
		})))
		assert.Equal(t, []string{"deepest 0s"}, tr.Seen())
		assert.EqualValues(t, 2, p.Stats().Rejected)
	})
}

func TestTPE043_AGoexitInACallerRunEndsTheCallerAndAllItsRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		p, gate := rejHeld(t, executor.ErrorHandler(told.Handle))
		returned := false
		go func() {
			_ = p.Execute(rejDeep(p, 100, runtime.Goexit))
			returned = true
		}()
		synctest.Wait()
		assert.False(t, returned)
		assert.Len(t, told.Told(), 101, "each run that it was inside of")
		gate.Open()
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
		assert.Zero(t, p.Stats().Busy)
		assert.Zero(t, p.Stats().Rejected)
	})
}

func TestTPE043_AGoexitInARunByAWorkerEndsBothItsTasksAndKeepsTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := rejCallers(t)
		tr := pooltest.NewTrace()
		f, err := p.Submit(func(context.Context) error {
			return p.Execute(func(context.Context) error {
				assert.NoError(t, p.Execute(tr.Task("later")))
				runtime.Goexit()
				return nil
			})
		})
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, future.ErrGoexit, pooltest.Outcome(t, f), "it was on the same goroutine")
		assert.Equal(t, []string{"later 0s"}, tr.Seen())
		s := p.Stats()
		assert.Equal(t, []uint64{3, 3, 2, 0}, []uint64{s.Completed, s.Runs, s.Failures, s.Rejected})
		assert.Len(t, pooltest.Workers(t), 1)
	})
}

func TestTPE043_AFailureOfATaskRunByItsCallerIsNotTheCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		p, _ := rejHeld(t, executor.ErrorHandler(told.Handle))
		for _, body := range []executor.Task{pooltest.Fail, pooltest.Panic} {
			assert.NoError(t, p.Execute(body))
			f, err := p.Submit(body)
			require.NoError(t, err)
			assert.Error(t, pooltest.Outcome(t, f))
		}
		assert.Len(t, told.Told(), 3, "of Execute, and the panic of Submit")
		assert.EqualValues(t, 4, p.Stats().Failures)
	})
}

func TestTPE043_ThePoolEndsAfterTheTasksThatCallersRun(t *testing.T) {
	for name, c := range map[string]struct {
		stop  func(p *executor.Pool) []executor.Pending
		cause error
	}{
		"Shutdown":    {func(p *executor.Pool) []executor.Pending { p.Shutdown(); return nil }, nil},
		"ShutdownNow": {(*executor.Pool).ShutdownNow, executor.ErrShutdown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, gate := rejHeld(t)
				tr := pooltest.NewTrace()
				var cause, wait error
				go func() {
					assert.NoError(t, p.Execute(func(ctx context.Context) error {
						time.Sleep(time.Hour)
						cause = context.Cause(ctx)
						wait = p.AwaitTermination(context.Background())
						return nil
					}))
				}()
				probe.Elapse(time.Minute)
				assert.Empty(t, c.stop(p))
				gate.Open()
				probe.Elapse(time.Minute)
				assert.False(t, probe.IsClosed(p.Terminated()))
				assert.Zero(t, p.Stats().Workers)
				<-p.Terminated()
				assert.Equal(t, time.Hour, time.Since(tr.Start))
				assert.Equal(t, c.cause, cause)
				assert.Equal(t, future.ErrSelfWait, wait)
			})
		})
	}
}
