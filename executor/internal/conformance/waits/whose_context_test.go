package waits_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/probe"
)

// Contexts travel: into goroutines, other pools, other tasks, past the end of a run. Whoever waits
// is told by the goroutine, so none of that makes a wait hang, breaks a bound, or has it refused
// wrongly.

// capturedFib is a recursion whose waits all use the one context of the outermost task.
func capturedFib(t *testing.T, p *executor.Pool, ctx context.Context, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	sub := func(n int) *future.Future[int] {
		return pooltest.SubmitFunc(t, p, func(context.Context) (int, error) { return capturedFib(t, p, ctx, n) })
	}
	a, b := sub(n-1), sub(n-2)
	x, err := a.Get(ctx)
	if err != nil {
		return 0, err
	}
	y, err := b.Get(ctx)
	return x + y, err
}

func TestC4_AWaitWithTheContextOfAnOuterTaskIsHelped(t *testing.T) {
	for _, size := range []int{1, 2, 4} {
		t.Run(fmt.Sprint("size ", size), func(t *testing.T) {
			pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, size)
				root := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
					return capturedFib(t, p, ctx, 10)
				})
				synctest.Wait()
				v, err := pooltest.Settled(t, root)
				require.NoError(t, err)
				assert.Equal(t, 55, v)
				pooltest.Balanced(t, p)
			})
		})
	}
}

// foreign are contexts that a task of p may come by and that are not its own.
var foreign = map[string]func(t *testing.T, own context.Context, then func(ctx context.Context)){
	"of a run of another pool": func(t *testing.T, _ context.Context, then func(context.Context)) {
		other := pooltest.NewPool(t, 1)
		hold := make(chan struct{})
		ctxs := make(chan context.Context)
		_ = other.Execute(func(ctx context.Context) error { ctxs <- ctx; <-hold; return nil })
		then(<-ctxs)
		close(hold)
	},
	"of a task run by hand": func(t *testing.T, _ context.Context, then func(context.Context)) {
		hold := make(chan struct{})
		ctxs := make(chan context.Context)
		task := future.NewTask(func(ctx context.Context) (int, error) { ctxs <- ctx; <-hold; return 0, nil })
		go task.Run(context.Background())
		then(<-ctxs)
		close(hold)
	},
	"of a run of another pool that has ended, without its end": func(t *testing.T, _ context.Context, then func(context.Context)) {
		other := pooltest.NewPool(t, 1)
		f := pooltest.SubmitFunc(t, other, func(ctx context.Context) (context.Context, error) {
			return context.WithoutCancel(ctx), nil
		})
		ctx, err := f.Get(context.Background())
		assert.NoError(t, err)
		then(ctx)
	},
	"its own, without its end": func(_ *testing.T, own context.Context, then func(context.Context)) {
		then(context.WithoutCancel(own))
	},
}

func TestC4_AWaitForSeveralWithTheContextOfAnotherRunIsHelped(t *testing.T) {
	for name, with := range foreign {
		for wayName, way := range lendWays {
			t.Run(wayName+" with a context "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := pooltest.NewPool(t, 1)
					parent := pooltest.SubmitFunc(t, p, func(own context.Context) (v int, err error) {
						with(t, own, func(ctx context.Context) { v, err = way(t, ctx, p) })
						return v, err
					})
					synctest.Wait()
					v, err := pooltest.Settled(t, parent)
					require.NoError(t, err)
					assert.Equal(t, 7, v)
					pooltest.Balanced(t, p)
				})
			})
		}
	}
}

func TestC10_ATaskOfALoopThatWaitsForOthersOfItIsRefusedWhateverItsContext(t *testing.T) {
	for name, with := range foreign {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := eventloop.New()
				defer l.Close()
				f, err := eventloop.Submit(l, func(own context.Context) (errs []error, _ error) {
					with(t, own, func(ctx context.Context) {
						later, _ := eventloop.Submit(l, pooltest.Seven)
						_, err := later.Get(ctx)
						errs = append(errs, err)
						_, err = future.All(ctx, later)
						errs = append(errs, err)
						_, err = future.Any(ctx, later)
						errs = append(errs, err)
						_, err = later.GetTimeout(time.Hour)
						errs = append(errs, err)
						errs = append(errs, l.AwaitTermination(ctx))
					})
					return errs, nil
				})
				require.NoError(t, err)
				synctest.Wait()
				errs, _ := pooltest.Settled(t, f)
				require.Len(t, errs, 5)
				for _, err := range errs {
					assert.ErrorIs(t, err, future.ErrSelfWait)
				}
			})
		})
	}
}

// crowded submits from 199 goroutines of one task to a pool of two in which one may wait.
func crowded(t *testing.T, submit func(ctx context.Context, p *executor.Pool, body executor.Task) error, opts ...executor.Option) (most int32) {
	p := pooltest.NewPool(t, 2, append([]executor.Option{executor.Queue(queue.Bounded(1))}, opts...)...)
	var active, highest atomic.Int32
	var ran atomic.Int32
	body := func(context.Context) error {
		pooltest.Raise(&highest, active.Add(1))
		defer active.Add(-1)
		time.Sleep(time.Second)
		ran.Add(1)
		return nil
	}
	parent, err := p.Submit(func(ctx context.Context) error {
		var all sync.WaitGroup
		for range 199 {
			all.Go(func() { assert.NoError(t, submit(ctx, p, body)) })
		}
		all.Wait()
		return nil
	})
	require.NoError(t, err)
	probe.Elapse(time.Hour)
	require.NoError(t, pooltest.Outcome(t, parent))
	assert.EqualValues(t, 199, ran.Load())
	pooltest.Balanced(t, p)
	return highest.Load()
}

func TestC4_GoroutinesOfATaskThatWaitForRoomDoNotRunTheirTasksThemselves(t *testing.T) {
	ways := map[string]func(ctx context.Context, p *executor.Pool, body executor.Task) error{
		"SubmitContext": func(ctx context.Context, p *executor.Pool, body executor.Task) error {
			_, err := p.SubmitContext(ctx, body)
			return err
		},
		"Block": func(ctx context.Context, p *executor.Pool, body executor.Task) error {
			_, err := executor.InvokeAll(ctx, p, func(ctx context.Context) (int, error) { return 0, body(ctx) })
			return err
		},
	}
	for name, submit := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				most := crowded(t, submit, executor.OnRejection(rejection.Block))
				assert.LessOrEqual(t, most, int32(3), "two workers, and twice the size in all with the task that submits")
			})
		})
	}
}

func TestC4_AGoroutineOfATaskThatWaitsForRoomGetsItThoughTheTaskWaitsForIt(t *testing.T) {
	kinds := map[string]executor.Option{
		"bounded": executor.Queue(queue.Bounded(1)), "hand-off": executor.Queue(queue.HandOff()), "priority": executor.Queue(queue.Priority().Bounded(1)),
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, kind)
				tr := pooltest.NewTrace()
				parent, err := p.Submit(func(ctx context.Context) error {
					var all sync.WaitGroup
					all.Go(func() {
						for _, name := range []string{"a", "b", "c"} {
							_, err := p.SubmitContext(ctx, tr.Task(name))
							assert.NoError(t, err)
						}
					})
					all.Wait()
					return nil
				})
				require.NoError(t, err)
				probe.Elapse(time.Hour)
				require.NoError(t, pooltest.Outcome(t, parent))
				assert.Len(t, tr.Seen(), 3)
				pooltest.Balanced(t, p)
			})
		})
	}
}

// The one who counts the bodies that run and do not wait must never see two, and needs no lock.
func TestAPoolOfOneWithFixedSizesNeverRunsTwoBodies(t *testing.T) {
	newPools := map[string]func() *executor.Pool{
		"plain":     func() *executor.Pool { return executor.NewPool(1, executor.Confined()) },
		"scheduled": func() *executor.Pool { return &executor.NewScheduledPool(1, executor.Confined()).Pool },
	}
	for name, newPool := range newPools {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.Stop(t, newPool())
				confined := 0
				var order []string
				enter := func(name string) { confined++; order = append(order, name); assert.Equal(t, 1, confined) }
				leave := func() { confined-- }
				_, err := p.Submit(func(ctx context.Context) error {
					enter("a")
					defer leave()
					b, _ := p.Submit(func(context.Context) error {
						enter("b")
						defer leave()
						time.Sleep(time.Hour)
						return nil
					})
					_, _ = p.Submit(func(context.Context) error {
						enter("c")
						defer leave()
						return nil
					})
					leave()
					start := time.Now()
					_, err := b.GetTimeout(time.Minute)
					enter("a again")
					assert.NoError(t, err, "it has been settled by then")
					assert.Equal(t, time.Hour, time.Since(start))
					time.Sleep(time.Hour)
					return nil
				})
				require.NoError(t, err)
				probe.Elapse(24 * time.Hour)
				assert.Equal(t, []string{"a", "b", "a again", "c"}, order)
				assert.Zero(t, confined)
			})
		})
	}
}

// A worker that has been asked to come goes, as the pool has become smaller.
func TestC4_AWaitIsHelpedAlsoIfTheWorkerThatWasComingGoes(t *testing.T) {
	for name, with := range map[string]func(ctx context.Context) context.Context{
		"own":        func(ctx context.Context) context.Context { return ctx },
		"background": func(context.Context) context.Context { return context.Background() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 2)
				parent := pooltest.SubmitFunc(t, &p.Pool, func(ctx context.Context) (int, error) {
					child := pooltest.SubmitFunc(t, &p.Pool, pooltest.Seven)
					assert.NoError(t, p.SetCoreSize(1))
					return child.Get(with(ctx))
				})
				synctest.Wait()
				v, err := pooltest.Settled(t, parent)
				require.NoError(t, err)
				assert.Equal(t, 7, v)
			})
		})
	}
}

func TestC4_AGoroutineOfATaskIsHelpedAlsoIfTheWorkerThatWasComingGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		parent := pooltest.SubmitFunc(t, &p.Pool, func(ctx context.Context) (v int, err error) {
			var all sync.WaitGroup
			all.Go(func() {
				child, _ := executor.Schedule(p, time.Minute, pooltest.Seven)
				v, err = child.Get(ctx)
			})
			time.Sleep(time.Second)
			assert.NoError(t, p.SetCoreSize(1))
			all.Wait()
			return v, err
		})
		probe.Elapse(time.Hour)
		v, err := pooltest.Settled(t, parent)
		require.NoError(t, err)
		assert.Equal(t, 7, v)
	})
}

// The wait of A for H is over by its deadline, H goes on, and all below it does everything right.
func TestC4_WhatIsWaitedForBelowAHelperWhoseWaitIsOverIsHelped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		hold := make(chan struct{})
		h := make(chan *future.Future[int], 1)
		pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			helper := pooltest.SubmitFunc(t, p, func(context.Context) (int, error) {
				time.Sleep(time.Minute)
				x := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
					return pooltest.SubmitFunc(t, p, pooltest.Seven).Get(ctx)
				})
				return x.Get(context.Background())
			})
			h <- helper
			_, err := helper.GetTimeout(time.Second)
			assert.ErrorIs(t, err, future.ErrTimeout)
			<-hold // by other means than the pool knows of
			return 0, nil
		})
		probe.Elapse(time.Hour)
		v, err := pooltest.Settled(t, <-h)
		require.NoError(t, err)
		assert.Equal(t, 7, v)
		close(hold)
	})
}

// A member that is cancelled goes on, and waits for a task of the pool.
func TestC4_GroupWaitLendsItsPlaceAlsoToWhatACancelledMemberWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		parent := pooltest.SubmitFunc(t, p, func(context.Context) (int, error) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			g := bulk.NewGroup(ctx, p)
			assert.NoError(t, g.Go(func(context.Context) error {
				time.Sleep(time.Minute)
				v, err := pooltest.SubmitFunc(t, p, pooltest.Seven).Get(context.Background())
				assert.Equal(t, 7, v)
				return err
			}))
			return 7, g.Wait()
		})
		probe.Elapse(time.Hour)
		_, err := pooltest.Settled(t, parent)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		pooltest.Balanced(t, p)
	})
}

// The JDK finishes the same program.
func TestTPE043_ForkAndJoinByOtherMeansThanThePoolKnowsEndsWhereCallersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
		var sum atomic.Int32
		var fork func(n int) executor.Task
		fork = func(n int) executor.Task {
			return func(context.Context) error {
				if n == 0 {
					sum.Add(1)
					return nil
				}
				var both sync.WaitGroup
				for range 2 {
					both.Add(1)
					assert.NoError(t, p.Execute(func(ctx context.Context) error {
						defer both.Done()
						return fork(n - 1)(ctx)
					}))
				}
				both.Wait()
				return nil
			}
		}
		require.NoError(t, p.Execute(fork(8)))
		synctest.Wait()
		assert.EqualValues(t, 256, sum.Load())
		pooltest.Balanced(t, p)
	})
}

// The function that iter.Pull runs has a goroutine of its own, for which the task waits.
func TestC4_AWaitInsideOfAnIteratorThatIsPulledIsHelpedInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		parent := pooltest.Wait(t, p, func(ctx context.Context) (v int, err error) {
			next, stop := iter.Pull2(func(yield func(int, error) bool) {
				yield(pooltest.SubmitFunc(t, p, pooltest.Seven).Get(ctx))
			})
			defer stop()
			v, err, _ = next()
			assert.Equal(t, 7, v)
			return v, err
		})
		probe.Elapse(time.Hour)
		assert.Equal(t, pooltest.Waited{Took: pooltest.Patience}, pooltest.Took(t, parent))
	})
}

// A task that its caller runs would wait for the caller's own, which waits for it.
func TestC10_ATaskRunByItsCallerIsRefusedAWaitForThatOneWhateverTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
		var outer *future.Future[int]
		known := make(chan struct{})
		outer = pooltest.SubmitFunc(t, p, func(context.Context) (int, error) {
			<-known
			inner := pooltest.SubmitFunc(t, p, func(context.Context) (int, error) {
				return outer.Get(context.Background())
			})
			_, err := pooltest.Settled(t, inner)
			assert.ErrorIs(t, err, future.ErrSelfWait)
			return 7, nil
		})
		close(known)
		synctest.Wait()
		v, _ := pooltest.Settled(t, outer)
		assert.Equal(t, 7, v)
	})
}

// broken is a context that breaks its contract: its channel is closed, and Err is nil.
type broken struct{ context.Context }

func (broken) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}
func (broken) Err() error { return nil }

func TestAContextThatBreaksItsContractEndsAWaitWithAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		ctx := broken{context.Background()}
		body := pooltest.Sleep(time.Hour)
		f, err := p.Submit(body)
		require.NoError(t, err)
		typed := func(ctx context.Context) (int, error) { return 7, body(ctx) }

		_, err = f.Get(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		_, err = future.All(ctx, f)
		assert.ErrorIs(t, err, context.Canceled)
		_, err = future.Any(ctx, f)
		assert.ErrorIs(t, err, context.Canceled)
		_, err = executor.InvokeAny(ctx, p, typed)
		assert.ErrorIs(t, err, context.Canceled)
		_, err = executor.InvokeAll(ctx, p, typed)
		assert.ErrorIs(t, err, context.Canceled)
		_, err = p.SubmitContext(ctx, body)
		assert.ErrorIs(t, err, executor.ErrRejected)
		s := bulk.NewCompletionService[int](p)
		_, _ = s.Submit(typed)
		_, err = s.Take(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, p.AwaitTermination(ctx), context.Canceled)
		_, err = p.CloseContext(ctx)
		assert.ErrorIs(t, err, context.Canceled)
	})
}

// The place of a run that waits is its own again as soon as what it waits for has ended, though its
// goroutine may take a moment to go on: nobody else gets it meanwhile.
func TestC4_ThePlaceOfARunThatWaitsIsNotGivenAwayAtTheEndOfWhatItWaitsFor(t *testing.T) {
	for _, kind := range []string{"plain", "priority", "scheduled"} { // where nobody runs a task at once
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.Kinds[kind](t, 1)
			var active, most atomic.Int32
			enter := func() { pooltest.Raise(&most, active.Add(1)) }
			waits := func(wait func() error) error {
				active.Add(-1)
				defer enter()
				return wait()
			}
			body := func(within func(ctx context.Context) error) future.Func[int] {
				return func(ctx context.Context) (int, error) {
					enter()
					defer active.Add(-1)
					time.Sleep(time.Millisecond)
					return 0, within(ctx)
				}
			}
			sleeps := func(context.Context) error { return nil }
			waitsForOne := func(ctx context.Context) error {
				f := pooltest.SubmitFunc(t, p, body(sleeps))
				err := waits(func() error { _, err := f.Get(ctx); return err })
				time.Sleep(time.Millisecond)
				return err
			}
			root := pooltest.SubmitFunc(t, p, body(func(ctx context.Context) error {
				var fs []*future.Future[int]
				for range 3 {
					fs = append(fs, pooltest.SubmitFunc(t, p, body(waitsForOne)))
				}
				return waits(func() error { _, err := future.All(ctx, fs...); return err })
			}))
			probe.Elapse(time.Hour)
			_, err := pooltest.Settled(t, root)
			assert.NoError(t, err)
			assert.EqualValues(t, 1, most.Load(), kind)
		})
	}
}

// A worker is held up that has settled a future, and has not told of it.
func TestECS_TakeWaitsForWhatHasEndedAndIsAboutToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		s := bulk.NewCompletionService[int](p)
		var armed atomic.Bool
		defer holdUpOnce(&armed)()
		parent := pooltest.Wait(t, p, func(ctx context.Context) (int, error) {
			submitted := make(chan struct{}) // what ends before is settled for the service inside Submit
			_, err := s.Submit(func(context.Context) (int, error) {
				<-submitted
				armed.Store(true)
				return 7, nil
			})
			assert.NoError(t, err)
			close(submitted)
			time.Sleep(time.Second)
			f, err := s.Take(ctx)
			if err != nil {
				return 0, err
			}
			return f.Get(ctx)
		})
		probe.Elapse(time.Hour)
		assert.Equal(t, pooltest.Waited{Took: time.Minute}, pooltest.Took(t, parent))
	})
}

// As above, with the future of the very task that waits.
func TestECS_TakeByACancelledTaskWaitsForItsOwnFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		s := bulk.NewCompletionService[int](p)
		var armed atomic.Bool
		defer holdUpOnce(&armed)()
		var waited pooltest.Waited
		f, err := s.Submit(func(ctx context.Context) (int, error) {
			start := time.Now()
			time.Sleep(2 * time.Second)
			taken, err := s.Take(ctx)
			waited = pooltest.Waited{Took: time.Since(start), Err: err}
			if assert.NoError(t, err) {
				assert.Equal(t, future.Cancelled, taken.State())
			}
			return 7, nil
		})
		require.NoError(t, err)
		time.Sleep(time.Second)
		armed.Store(true)
		go f.Stop()
		probe.Elapse(time.Hour)
		assert.Equal(t, pooltest.Waited{Took: time.Minute + time.Second}, waited)
	})
}

// holdUpOnce holds up for a minute the first that has settled a future, and has not told of it,
// once it is armed.
func holdUpOnce(armed *atomic.Bool) (unset func()) {
	return delay.Set(func(at delay.Point) {
		if at == delay.CellSettled && armed.CompareAndSwap(true, false) {
			time.Sleep(time.Minute)
		}
	})
}
