package tpe_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestTPE042_SubmittersEnterInTheOrderInWhichTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t, executor.OnRejection(rejection.Block))
		ctx, cancel := context.WithCancel(t.Context())
		var waiters []*pooltest.Waiter
		for i := range 5 {
			if i == 2 {
				waiters = append(waiters, s.Waits(t, ctx, "leaves"))
				continue
			}
			waiters = append(waiters, s.Waits(t, t.Context(), fmt.Sprint("waiter ", i)))
		}
		go func() { assert.NoError(t, s.Execute(s.Trace.Task("by the policy"))) }()
		synctest.Wait()
		time.Sleep(time.Minute)
		cancel()
		synctest.Wait()
		assert.True(t, waiters[2].Returned.Load())
		assert.ErrorIs(t, waiters[2].Err, executor.ErrSaturated)
		assert.ErrorIs(t, waiters[2].Err, context.Canceled)
		s.Gate.Open()
		synctest.Wait()
		assert.Equal(t, []string{"queued 1m0s", "waiter 0 1m0s", "waiter 1 1m0s", "waiter 3 1m0s", "waiter 4 1m0s", "by the policy 1m0s"}, s.Trace.Seen())
		for _, w := range waiters {
			assert.Equal(t, time.Minute, w.After)
		}
		st := s.Stats()
		assert.Equal(t, []uint64{7, 1}, []uint64{st.Accepted, st.Rejected})
	})
}

func TestTPE042_ANewSubmissionDoesNotOvertakeThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t)
		first, second := s.Waits(t, t.Context(), "first"), s.Waits(t, t.Context(), "second")
		assert.True(t, s.Waiting.Cancel())
		assert.Equal(t, executor.ErrSaturated, s.Execute(pooltest.Nothing), "the room is taken already")
		synctest.Wait()
		assert.Equal(t, []bool{true, false}, []bool{first.Returned.Load(), second.Returned.Load()})
	})
}

// What lets one of two submitters enter who wait for room.
func TestTPE042_WhoeverMakesRoomLetsASubmitterEnterAtOnce(t *testing.T) {
	for name, makeRoom := range map[string]func(t *testing.T, s *pooltest.Full){
		"a cancellation":    func(t *testing.T, s *pooltest.Full) { assert.True(t, s.Waiting.Cancel()) },
		"a stop":            func(t *testing.T, s *pooltest.Full) { assert.True(t, s.Waiting.Stop()) },
		"a maximum size":    func(t *testing.T, s *pooltest.Full) { assert.NoError(t, s.SetMaximumSize(2)) },
		"a core size":       func(t *testing.T, s *pooltest.Full) { assert.NoError(t, s.SetCoreSize(2)) },
		"the end of a task": func(t *testing.T, s *pooltest.Full) { s.Gate.Open() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := pooltest.NewFull(t)
				w := s.Waits(t, t.Context(), "waiter")
				time.Sleep(time.Minute)
				makeRoom(t, s)
				synctest.Wait()
				require.True(t, w.Returned.Load())
				assert.NoError(t, w.Err)
				assert.Equal(t, time.Minute, w.After)
			})
		})
	}
}

// They came before the task that is queued in the room of another, but that room is not theirs.
func TestTPE044_DiscardOldestDropsNoneOfThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t, executor.OnRejection(rejection.DiscardOldest))
		a, b := s.Waits(t, t.Context(), "a"), s.Waits(t, t.Context(), "b")
		require.NoError(t, s.Execute(s.Trace.Task("new")))
		synctest.Wait()
		assert.EqualValues(t, 1, s.Stats().Returned)
		assert.Equal(t, []bool{false, false}, []bool{a.Returned.Load(), b.Returned.Load()})
		s.Finish()
		assert.NoError(t, errors.Join(a.Err, b.Err))
		assert.EqualValues(t, 1, s.Stats().Returned)
	})
}

func TestTPE042_AWorkerThatBecomesFreeTakesFromThoseWhoWaitWhereNothingMayQueue(t *testing.T) {
	for _, c := range hookBodies {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &pooltest.Full{Pool: pooltest.NewPool(t, 1, executor.Queue(queue.HandOff())), Trace: pooltest.NewTrace()}
				require.NoError(t, s.Execute(func(ctx context.Context) error {
					time.Sleep(time.Hour)
					return c.body(ctx)
				}))
				synctest.Wait()
				a, b := s.Waits(t, t.Context(), "a"), s.Waits(t, t.Context(), "b")
				probe.Elapse(time.Hour)
				assert.Equal(t, []string{"a 1h0m0s", "b 1h0m0s"}, s.Trace.Seen())
				assert.NoError(t, errors.Join(a.Err, b.Err))
			})
		})
	}
}

func TestTPE042_ACancelledTaskOfASerialExecutorMakesRoomToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &pooltest.Full{Pool: pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1))), Gate: pooltest.NewGate(t), Trace: pooltest.NewTrace()}
		serial := serial.New(s)
		require.NoError(t, serial.Execute(s.Gate.Hold))
		synctest.Wait()
		behind, err := serial.Submit(pooltest.Nothing)
		require.NoError(t, err)
		w := s.Waits(t, t.Context(), "waiter")
		assert.True(t, behind.Cancel())
		synctest.Wait()
		assert.True(t, w.Returned.Load(), "there is room, and nobody else is before")
	})
}

func TestTPE042_E4_B28_AShutdownReleasesThoseWhoWait(t *testing.T) {
	for name, stop := range map[string]func(s *pooltest.Full){
		"Shutdown":    func(s *pooltest.Full) { s.Shutdown() },
		"ShutdownNow": func(s *pooltest.Full) { s.ShutdownNow() },
		"Close":       func(s *pooltest.Full) { go s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := pooltest.NewFull(t, executor.OnRejection(rejection.Block))
				a, b := s.Waits(t, t.Context(), "a"), s.Waits(t, t.Context(), "b")
				var blocked error
				go func() { blocked = s.Execute(pooltest.Nothing) }()
				probe.Elapse(time.Minute)
				stop(s)
				synctest.Wait()
				for _, w := range []*pooltest.Waiter{a, b} {
					assert.Nil(t, w.Future)
					assert.Equal(t, executor.ErrShutdown, w.Err)
					assert.Equal(t, time.Minute, w.After)
				}
				assert.Equal(t, executor.ErrShutdown, blocked)
			})
		})
	}
}

func TestTPE042_ThoseWhoWaitInVainAreCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t, executor.OnRejection(rejection.Block))
		w := s.Waits(t, t.Context(), "a")
		go func() { _ = s.Execute(pooltest.Nothing) }()
		synctest.Wait()
		s.Shutdown()
		synctest.Wait()
		assert.Equal(t, executor.ErrShutdown, w.Err)
		assert.EqualValues(t, 2, s.Stats().Rejected)
	})
}

func TestTPE042_A14_AnEndedContextIsRefusedAtOnceEvenIfThereIsRoom(t *testing.T) {
	for name, pool := range map[string]func(t *testing.T) *executor.Pool{
		"room": func(t *testing.T) *executor.Pool { return pooltest.NewPool(t, 1) },
		"full": func(t *testing.T) *executor.Pool { return pooltest.NewFull(t).Pool },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool(t)
				before := p.Stats()
				ctx, cancel := context.WithCancelCause(t.Context())
				cancel(pooltest.ErrTask)
				ran := false
				f, err := p.SubmitContext(ctx, func(context.Context) error { ran = true; return nil })
				assert.Nil(t, f)
				for _, want := range []error{executor.ErrRejected, context.Canceled, pooltest.ErrTask} {
					assert.ErrorIs(t, err, want)
				}
				typed, err := executor.SubmitContext(ctx, p, pooltest.Typed(pooltest.Nothing))
				assert.Nil(t, typed)
				assert.ErrorIs(t, err, executor.ErrRejected)
				after := p.Stats()
				assert.Equal(t, []uint64{before.Accepted, 2}, []uint64{after.Accepted, after.Rejected})
				synctest.Wait()
				assert.False(t, ran)
			})
		})
	}
}

func TestTPE042_A13_ANilContextWaitsAsLongAsItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t)
		w := s.Waits(t, nil, "waiter")
		probe.Elapse(1000 * time.Hour)
		require.False(t, w.Returned.Load())
		s.Gate.Open()
		synctest.Wait()
		require.True(t, w.Returned.Load())
		assert.NoError(t, w.Err)
	})
}

func TestTPE042_TheContextOfTheWaitIsNotThatOfTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t)
		ctx, cancel := context.WithCancel(t.Context())
		var inRun error
		var f *future.Future[struct{}]
		go func() {
			f, _ = s.SubmitContext(ctx, func(ctx context.Context) error {
				time.Sleep(time.Hour)
				inRun = ctx.Err()
				return nil
			})
			cancel()
		}()
		synctest.Wait()
		s.Gate.Open()
		probe.Elapse(2 * time.Hour)
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		assert.NoError(t, pooltest.Outcome(t, f))
		assert.NoError(t, inRun)
	})
}

// C2: a task that waits for room in its own pool could wait for itself.
func TestC2_TPE042_ATaskOfAFullPoolDoesNotWaitForRoomInIt(t *testing.T) {
	submissions := map[string]func(p *executor.Pool, ctx context.Context, task executor.Task) error{
		"Execute": func(p *executor.Pool, _ context.Context, task executor.Task) error { return p.Execute(task) },
		"SubmitContext": func(p *executor.Pool, ctx context.Context, task executor.Task) error {
			_, err := p.SubmitContext(ctx, task)
			return err
		},
		"SubmitContext without its context": func(p *executor.Pool, _ context.Context, task executor.Task) error {
			_, err := executor.SubmitContext(nil, p, pooltest.Typed(task))
			return err
		},
	}
	for name, submit := range submissions {
		for _, place := range []string{"body", "before-run hook", "after-run hook", "error handler"} {
			t.Run(name+" in "+place, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var p *executor.Pool
					been := false // all is on one goroutine
					tr := pooltest.NewTrace()
					at := func(here string, ctx context.Context) {
						if here != place || been {
							return
						}
						been = true
						assert.NoError(t, p.Execute(tr.Task("queued")))
						assert.NoError(t, submit(p, ctx, tr.Task("inner")))
						tr.Mark("returned")
					}
					p = pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)), executor.OnRejection(rejection.Block),
						executor.BeforeRun(func(ctx context.Context, _ executor.Run) { at("before-run hook", ctx) }),
						executor.AfterRun(func(ctx context.Context, _ executor.Run, _ error) {
							at("after-run hook", context.WithoutCancel(ctx)) // the run is over
						}),
						executor.ErrorHandler(func(ctx context.Context, _ executor.Run, _ error) { at("error handler", ctx) }))
					require.NoError(t, p.Execute(func(ctx context.Context) error {
						at("body", ctx)
						return pooltest.ErrTask
					}))
					synctest.Wait()
					assert.Equal(t, []string{"inner 0s", "returned 0s", "queued 0s"}, tr.Seen())
				})
			})
		}
	}
}

func TestTPE042_AThousandSubmittersWithDeadlinesReturnInTimeAndLoseNothing(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const submitters = 1000
				random := rand.New(rand.NewPCG(seed, 0))
				p := pooltest.NewPool(t, 4, executor.Queue(queue.Bounded(4)), executor.OnRejection(rejection.Block))
				var bodies, refused atomic.Int64
				var all sync.WaitGroup
				futures := make([]*future.Future[struct{}], submitters)
				for i := range submitters {
					start := time.Duration(random.IntN(1000)) * time.Millisecond
					patience := time.Duration(1+random.IntN(3000)) * time.Millisecond
					length := time.Duration(random.IntN(50)) * time.Millisecond
					all.Go(func() {
						time.Sleep(start)
						came := time.Now()
						ctx, cancel := context.WithTimeout(t.Context(), patience)
						defer cancel()
						f, err := p.SubmitContext(ctx, func(context.Context) error {
							bodies.Add(1)
							time.Sleep(length)
							return nil
						})
						waited := time.Since(came)
						assert.LessOrEqual(t, waited, patience)
						if futures[i] = f; err == nil {
							return
						}
						refused.Add(1)
						assert.Equal(t, patience, waited)
						assert.True(t, errors.Is(err, executor.ErrSaturated) && errors.Is(err, context.DeadlineExceeded))
					})
				}
				all.Wait()
				require.NoError(t, p.Close())
				succeeded := 0
				for _, f := range futures {
					if f != nil {
						assert.NoError(t, pooltest.Outcome(t, f))
						succeeded++
					}
				}
				s := p.Stats()
				assert.EqualValues(t, succeeded, bodies.Load())
				assert.EqualValues(t, submitters, bodies.Load()+refused.Load())
				assert.Equal(t, []uint64{uint64(succeeded), uint64(succeeded), uint64(refused.Load())},
					[]uint64{s.Accepted, s.Completed, s.Rejected})
				assert.Positive(t, refused.Load())
				assert.Greater(t, succeeded, 100)
			})
		})
	}
}
