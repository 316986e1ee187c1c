package faults_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file are about tasks and callbacks that use what runs them: group C of the
// fault table.

func TestC1_WhatATaskGivesItsOwnPoolRunsAfterIt(t *testing.T) {
	for name, submit := range pooltest.Submissions(0) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				tr := pooltest.NewTrace()
				require.NoError(t, submit(p, func(context.Context) error {
					for i := range 3 {
						assert.NoError(t, submit(p, tr.Task(fmt.Sprint("child ", i))))
					}
					time.Sleep(time.Second)
					tr.Mark("parent")
					return pooltest.ErrTask // a series has one run
				}))
				probe.Elapse(time.Minute)
				assert.Equal(t, []string{"parent 1s", "child 0 1s", "child 1 1s", "child 2 1s"}, tr.Seen())
			})
		})
	}
}

func TestC2_WorkersThatAllBlockOnTheirOwnFullPoolGoOn(t *testing.T) {
	for _, size := range []int{1, 2, 5} {
		for name, submit := range map[string]func(p *executor.Pool, ctx context.Context, task executor.Task) error{
			"Execute": func(p *executor.Pool, _ context.Context, task executor.Task) error { return p.Execute(task) },
			"SubmitContext": func(p *executor.Pool, ctx context.Context, task executor.Task) error {
				_, err := p.SubmitContext(ctx, task)
				return err
			},
		} {
			t.Run(fmt.Sprint(name, " on ", size), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := pooltest.NewPool(t, size, executor.Queue(queue.Bounded(1)), executor.OnRejection(rejection.Block))
					var ran atomic.Int64
					child := func(context.Context) error { time.Sleep(time.Second); ran.Add(1); return nil }
					for range 2 * size {
						require.NoError(t, p.Execute(func(ctx context.Context) error {
							for range 10 {
								if err := submit(p, ctx, child); err != nil {
									return err
								}
							}
							return nil
						}))
					}
					probe.Elapse(time.Hour)
					assert.EqualValues(t, 20*size, ran.Load())
					s := p.Stats()
					assert.Zero(t, s.Failures)
					assert.Equal(t, []int{0, 0}, []int{s.Busy, s.Queued})
				})
			})
		}
	}
}

func TestC5_ATaskThatCancelsItselfHasNoFurtherRunAndLeavesNothing(t *testing.T) {
	kinds := map[string]func(p *executor.ScheduledPool, task executor.Task) (*executor.ScheduledFuture[struct{}], error){
		"once": func(p *executor.ScheduledPool, task executor.Task) (*executor.ScheduledFuture[struct{}], error) {
			return p.Schedule(time.Second, task)
		},
		"fixed rate": func(p *executor.ScheduledPool, task executor.Task) (*executor.ScheduledFuture[struct{}], error) {
			return p.AtFixedRate(time.Second, time.Second, task)
		},
		"fixed delay": func(p *executor.ScheduledPool, task executor.Task) (*executor.ScheduledFuture[struct{}], error) {
			return p.WithFixedDelay(time.Second, time.Second, task)
		},
	}
	ways := map[string]func(f *executor.ScheduledFuture[struct{}]) bool{
		"Cancel":      func(f *executor.ScheduledFuture[struct{}]) bool { return f.Cancel() },
		"CancelCause": func(f *executor.ScheduledFuture[struct{}]) bool { return f.CancelCause(pooltest.ErrTask) },
		"Stop":        func(f *executor.ScheduledFuture[struct{}]) bool { return f.Stop() },
	}
	for kind, schedule := range kinds {
		for way, cancel := range ways {
			t.Run(kind+" by "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := pooltest.NewScheduledPool(t, 2)
					selves := make(chan *executor.ScheduledFuture[struct{}], 1)
					f, err := schedule(p, func(ctx context.Context) error {
						self := <-selves
						assert.True(t, cancel(self))
						assert.False(t, cancel(self), "once")
						assert.Equal(t, way != "Stop", ctx.Err() != nil, "the context of the run")
						_, err := self.Get(ctx)
						assert.ErrorIs(t, err, future.ErrCancelled, "settled by now")
						assert.False(t, probe.IsClosed(self.Stopped()), "but running")
						return nil
					})
					require.NoError(t, err)
					selves <- f
					probe.Elapse(time.Hour)
					assert.EqualValues(t, 1, f.Runs())
					assert.Equal(t, future.Cancelled, f.State())
					assert.True(t, probe.IsClosed(f.Stopped()))
					s := p.Stats()
					assert.Equal(t, []int{0, 0}, []int{s.Queued, s.Busy})
					assert.Equal(t, []uint64{1, 0, 0}, []uint64{s.Cancelled, s.Completed, s.Failures})
				})
			})
		}
	}
}

// faPlace is where a pool, or a future of its, calls code of the user's that is no task. It returns
// once do has been called there.
type faPlace struct {
	own  bool // the pool does not end before the call does, so that to wait for the end is to wait for oneself
	call func(t *testing.T, do func(p *executor.ScheduledPool))
}

// faOnce makes a pool with an option that calls do, the first time; with it comes what tells that
// do has returned.
func faOnce(t *testing.T, do func(p *executor.ScheduledPool), with func(call func()) executor.Option, opts ...executor.Option) (*executor.ScheduledPool, <-chan struct{}) {
	var p *executor.ScheduledPool
	var called atomic.Bool
	done := make(chan struct{})
	p = pooltest.NewScheduledPool(t, 2, append(opts, with(func() {
		if called.CompareAndSwap(false, true) {
			defer close(done)
			do(p)
		}
	}))...)
	return p, done
}

var faPlaces = map[string]faPlace{
	"before-run hook": {true, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p, done := faOnce(t, do, func(call func()) executor.Option {
			return executor.BeforeRun(func(context.Context, executor.Run) { call() })
		})
		require.NoError(t, p.Execute(pooltest.Nothing))
		<-done
	}},
	"after-run hook": {true, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p, done := faOnce(t, do, func(call func()) executor.Option {
			return executor.AfterRun(func(context.Context, executor.Run, error) { call() })
		})
		pooltest.Submit(t, p, pooltest.Nothing)
		<-done
	}},
	"error handler": {true, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p, done := faOnce(t, do, func(call func()) executor.Option {
			return executor.ErrorHandler(func(context.Context, executor.Run, error) { call() })
		})
		require.NoError(t, p.Execute(pooltest.Fail))
		<-done
	}},
	"error handler of a timeout": {true, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p, done := faOnce(t, do, func(call func()) executor.Option {
			return executor.ErrorHandler(func(context.Context, executor.Run, error) { call() })
		})
		pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(time.Minute), executor.Timeout(time.Second))
		<-done
	}},
	"terminated hook": {true, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p, done := faOnce(t, do, executor.AfterTermination)
		pooltest.Submit(t, p, pooltest.Nothing)
		p.Shutdown()
		<-done
	}},
	"decorator": {false, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p, done := faOnce(t, do, func(call func()) executor.Option {
			return executor.Decorate(func(task executor.Task) executor.Task { call(); return task })
		})
		_ = p.Execute(pooltest.Nothing) // the pool may be closed by now
		<-done
	}},
	"policy": {false, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p, done := faOnce(t, do, func(call func()) executor.Option {
			return executor.OnRejection(func(*rejection.Task) error { call(); return executor.ErrSaturated })
		}, executor.PendingLimit(1))
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrSaturated)
		<-done
	}},
	"function of Then": {false, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p := pooltest.NewScheduledPool(t, 2)
		next := future.Then(pooltest.Submit(t, p, pooltest.Nothing), func(struct{}) (int, error) { do(p); return 7, nil })
		v, err := next.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 7, v)
	}},
	"end of the context of a run": {false, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p, done := pooltest.NewScheduledPool(t, 2), make(chan struct{})
		pooltest.Submit(t, p, func(ctx context.Context) error {
			context.AfterFunc(ctx, func() { defer close(done); do(p) })
			return nil
		})
		<-done
	}},
	"loop over completed futures": {false, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p := pooltest.NewScheduledPool(t, 2)
		for range future.Completed(t.Context(), pooltest.Submit(t, p, pooltest.Nothing)) {
			do(p)
		}
	}},
	"loop over a completion service": {false, func(t *testing.T, do func(p *executor.ScheduledPool)) {
		p := pooltest.NewScheduledPool(t, 2)
		s := bulk.NewCompletionService[int](p)
		_, err := s.Submit(pooltest.Typed(pooltest.Nothing))
		require.NoError(t, err)
		for range s.All(t.Context()) {
			do(p)
		}
	}},
}

// faEverywhere runs a test at each of the places.
func faEverywhere(t *testing.T, do func(t *testing.T, own bool, p *executor.ScheduledPool)) {
	for name, place := range faPlaces {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				called := 0
				place.call(t, func(p *executor.ScheduledPool) {
					called++
					do(t, place.own, p)
				})
				assert.Equal(t, 1, called)
			})
		})
	}
}

// faGiven asserts that a submission from a callback was accepted, or refused for a reason that
// there is at such a place.
func faGiven(t *testing.T, err error) bool {
	assert.True(t, err == nil || errors.Is(err, executor.ErrRejected), "%v", err)
	return err == nil
}

func TestC7_ACallbackMaySubmitAndGet(t *testing.T) {
	faEverywhere(t, func(t *testing.T, _ bool, p *executor.ScheduledPool) {
		start := time.Now()
		f, err := executor.Submit(p, func(context.Context) (int, error) { return 7, nil })
		if faGiven(t, err) {
			v, err := f.Get(context.Background())
			assert.NoError(t, err)
			assert.Equal(t, 7, v)
		}
		g, err := p.Schedule(time.Second, pooltest.Nothing)
		if faGiven(t, err) {
			_, err := g.GetTimeout(time.Hour)
			assert.NoError(t, err)
			assert.Equal(t, time.Second, time.Since(start))
		}
	})
}

func TestC7_ACallbackMayCancel(t *testing.T) {
	faEverywhere(t, func(t *testing.T, _ bool, p *executor.ScheduledPool) {
		for _, submit := range []func() (*executor.ScheduledFuture[struct{}], error){
			func() (*executor.ScheduledFuture[struct{}], error) { return p.Schedule(time.Hour, pooltest.Nothing) },
			func() (*executor.ScheduledFuture[struct{}], error) {
				return p.AtFixedRate(0, time.Hour, pooltest.Sleep(time.Second))
			},
		} {
			f, err := submit()
			if faGiven(t, err) {
				assert.True(t, f.Cancel())
				<-f.Stopped()
			}
		}
	})
}

func TestC7_ACallbackMayCloseThePool(t *testing.T) {
	faEverywhere(t, func(t *testing.T, own bool, p *executor.ScheduledPool) {
		for _, end := range []func() error{
			p.Close,
			func() error { return p.AwaitTermination(context.Background()) },
			func() error { _, err := p.CloseContext(context.Background()); return err },
		} {
			if err := end(); own {
				assert.ErrorIs(t, err, future.ErrSelfWait)
			} else {
				assert.NoError(t, err)
			}
		}
		assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrShutdown)
	})
}

func TestC7_ACallbackMayStopThePoolAndChangeIt(t *testing.T) {
	faEverywhere(t, func(t *testing.T, own bool, p *executor.ScheduledPool) {
		assert.NoError(t, p.SetCoreSize(5))
		assert.NoError(t, p.SetMaximumSize(7))
		assert.NoError(t, p.SetKeepAlive(time.Second))
		assert.NoError(t, p.SetCoreTimeout(true))
		assert.NoError(t, p.SetRejectionPolicy(rejection.Discard))
		p.SetExecuteDelayedAfterShutdown(false)
		p.SetContinuePeriodicAfterShutdown(true)
		p.PrestartWorkers()
		p.Shutdown()
		p.ShutdownNow()
		assert.Equal(t, own, !faEndsSoon(p))
	})
}

// faEndsSoon reports whether the pool ends without the caller's doing anything more.
func faEndsSoon(p *executor.ScheduledPool) bool {
	select {
	case <-p.Terminated():
		return true
	case <-time.After(time.Hour):
		return false
	}
}

func TestC12_ACallbackMayReadAllThatAPoolTellsOfItself(t *testing.T) {
	faEverywhere(t, func(t *testing.T, own bool, p *executor.ScheduledPool) {
		f, err := p.Schedule(time.Hour, pooltest.Nothing, executor.Name("far"))
		if faGiven(t, err) {
			assert.Equal(t, []string{"far"}, pooltest.Names(p.Queued()))
			next, planned := f.Next()
			assert.True(t, planned)
			assert.Equal(t, time.Hour, time.Until(next))
			assert.Equal(t, time.Hour, f.Delay())
			assert.False(t, f.Periodic())
			assert.Zero(t, f.Runs())
			assert.Equal(t, "future(pending)", f.String())
		}
		s := p.Stats()
		assert.Equal(t, len(p.Running()), s.Busy)
		assert.Equal(t, len(p.Queued()), s.Queued)
		assert.Contains(t, p.String(), s.State)
		assert.True(t, p.ExecuteDelayedAfterShutdown())
		assert.False(t, p.ContinuePeriodicAfterShutdown())
	})
}
