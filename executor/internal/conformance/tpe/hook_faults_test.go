package tpe_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// hookFaults are the combinations of what can go wrong.
type hookFaults struct{ before, after, terminated, handler pooltest.Fault }

func hookCombinations(yield func(hookFaults) bool) {
	var some []pooltest.Fault
	for _, f := range pooltest.Faults {
		if f.Name != "nil panic" { // as panic; the body has it
			some = append(some, f)
		}
	}
	for _, before := range some {
		for _, after := range some {
			for _, terminated := range some {
				for _, handler := range some {
					if !yield(hookFaults{before, after, terminated, handler}) {
						return
					}
				}
			}
		}
	}
}

func TestTPE079_TPE080_TPE082_B_14_WhateverFailsInBodyHooksAndHandlerThePoolGoesOn(t *testing.T) {
	for i, body := range hookBodies {
		for _, withFuture := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s with future %v", body.name, withFuture), func(t *testing.T) {
				for f := range hookCombinations {
					if !t.Run(fmt.Sprintf("before %s, after %s, terminated %s, handler %s", f.before.Name, f.after.Name, f.terminated.Name, f.handler.Name),
						func(t *testing.T) { synctest.Test(t, func(t *testing.T) { hookAllFail(t, i, withFuture, f) }) }) {
						return // one is enough
					}
				}
			})
		}
	}
}

func hookAllFail(t *testing.T, body int, withFuture bool, f hookFaults) {
	const workers, tasks = 2, 6
	var before, bodies, after, handled, terminated atomic.Int64
	fine := hookBodies[body].name == "fine"
	ended := hookBodies[body].check
	p := pooltest.NewPool(t, workers,
		executor.BeforeRun(func(context.Context, executor.Run) { before.Add(1); f.before.Do() }),
		executor.AfterRun(func(_ context.Context, _ executor.Run, err error) {
			after.Add(1)
			assert.True(t, ended(err), "%v", err)
			f.after.Do()
		}),
		executor.AfterTermination(func() { terminated.Add(1); f.terminated.Do() }),
		executor.ErrorHandler(func(context.Context, executor.Run, error) { handled.Add(1); f.handler.Do() }))
	require.Equal(t, workers, p.PrestartWorkers())
	task := func(ctx context.Context) error { bodies.Add(1); return hookBodies[body].body(ctx) }
	for range tasks {
		if !withFuture {
			require.NoError(t, p.Execute(task))
			continue
		}
		fut, err := p.Submit(task)
		require.NoError(t, err)
		defer func() { assert.True(t, ended(pooltest.Outcome(t, fut)), "%v", fut) }()
	}
	synctest.Wait()
	s := p.Stats()
	assert.Equal(t, []int{workers, workers, 0}, []int{s.Workers, s.Largest, s.Busy})
	assert.Len(t, pooltest.Workers(t), workers)
	require.NoError(t, p.Close())

	count := func(each bool) int64 {
		if each {
			return tasks
		}
		return 0
	}
	failed := count(!fine)
	told := count(f.before.Name != "fine") + count(f.after.Name != "fine")
	if !withFuture || hookBodies[body].abrupt() {
		told += failed
	}
	if f.terminated.Name != "fine" {
		told++
	}
	assert.Equal(t, []int64{tasks, tasks, tasks, told, 1},
		[]int64{before.Load(), bodies.Load(), after.Load(), handled.Load(), terminated.Load()})
	s = p.Stats()
	assert.Equal(t, []uint64{tasks, tasks, uint64(failed)}, []uint64{s.Completed, s.Runs, s.Failures})
}

// Without hooks the pool keeps such a task without a cell of its own.
func TestTPE080_WithoutHooksAFailedExecutedTaskIsToldOnceWhateverTheHandlerDoes(t *testing.T) {
	for _, body := range hookBodies {
		for _, handler := range pooltest.Faults {
			t.Run(body.name+", handler "+handler.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told []error
					p := pooltest.NewPool(t, 1, executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
						told = append(told, err)
						handler.Do()
					}))
					for range 5 {
						require.NoError(t, p.Execute(body.body))
					}
					synctest.Wait()
					s := p.Stats()
					assert.Equal(t, []uint64{5, 5, uint64(len(told))}, []uint64{s.Completed, s.Runs, s.Failures})
					assert.Len(t, told, map[bool]int{true: 0, false: 5}[body.name == "fine"])
					for _, err := range told {
						assert.True(t, body.check(err), "%v", err)
					}
					assert.Len(t, pooltest.Workers(t), 1)
				})
			})
		}
	}
}
