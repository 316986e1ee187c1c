package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file hold bugs of other schedulers, whose threads docs/rows.md names, against
// pools. Where a bug was a race, a delay point makes the unlucky order the only one.

// pbSlow has every goroutine yield, or sleep for a moment, wherever a test may hold it up.
func pbSlow() (unset func()) {
	return delay.Set(func(p delay.Point) {
		if rand.IntN(2) == 0 {
			runtime.Gosched()
		} else if !p.Locked() {
			time.Sleep(time.Duration(rand.IntN(3)))
		}
	})
}

// A due task must not wait behind one at the end of the clock, also if the two come at once.
func TestB9_NowAndTheEndOfTimeMayComeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		for round := range 200 {
			far, now := []time.Duration{math.MaxInt64, math.MaxInt64 - 1}[round%2], []time.Duration{0, math.MinInt64}[round/2%2]
			var parties sync.WaitGroup
			ran := make(chan time.Duration, 2)
			start := time.Now()
			for range 2 {
				parties.Go(func() { _, _ = p.Schedule(far, pooltest.Nothing) })
				parties.Go(func() {
					_, _ = p.Schedule(now, func(context.Context) error { ran <- time.Since(start); return nil })
				})
			}
			parties.Wait()
			synctest.Wait()
			require.Len(t, ran, 2)
			require.Zero(t, max(<-ran, <-ran))
			time.Sleep(time.Second)
		}
		assert.Equal(t, 400, p.Stats().Queued)
	})
}

// The first in line gives up just when room is made: the second enters, and does not wait for more.
func TestB8_ASubmitterWhoGivesUpAsRoomIsMadeLetsTheNextEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t)
		ctx, cancel := context.WithCancel(t.Context())
		first, second := s.Waits(t, ctx, "first"), s.Waits(t, t.Context(), "second")
		unset := delaytest.Once(t, delay.SubmitterGivesUp, func() { assert.True(t, s.Waiting.Cancel()) })
		cancel()
		synctest.Wait()
		unset()
		// The room has been given to the first before it could say that it did not want it any
		// more.
		assert.NoError(t, first.Err)
		assert.False(t, second.Returned.Load())
		assert.True(t, first.Future.Cancel())
		synctest.Wait()
		assert.True(t, second.Returned.Load())
		assert.NoError(t, second.Err)
		s.Finish()
		assert.Equal(t, []string{"second 0s"}, s.Trace.Seen())
	})
}

// Cancelled among those to come, and among those that are due and have been moved to the front:
// what is told of them is exact at every step.
func TestB14_WhatWaitsIsCountedOnceWhereverItIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, g.Hold)
		var fs []*executor.ScheduledFuture[struct{}]
		for i := range 2 * n {
			fs = append(fs, pooltest.Schedule(t, p, time.Duration(1+i%n)*time.Second, pooltest.Nothing))
		}
		time.Sleep(n / 2 * time.Second)         // half of them are due
		pooltest.Submit(t, p, pooltest.Nothing) // and have been looked at
		require.Len(t, p.Queued(), 2*n+1)
		rand.Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
		for i, f := range fs {
			require.True(t, f.Cancel())
			require.False(t, f.Cancel())
			require.Equal(t, 2*n-i, p.Stats().Queued)
		}
		g.Open()
		probe.Elapse(time.Hour)
		s := p.Stats()
		assert.Zero(t, s.Queued+s.Busy)
		assert.Equal(t, []uint64{2*n + 2, 2, 2 * n}, []uint64{s.Accepted, s.Completed, s.Cancelled})
	})
}

func TestB14_ATaskThatIsCancelledInItsRunIsCountedOnce(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		g := pooltest.NewGate(t)
		f := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) { return 1, g.Hold(ctx) })
		synctest.Wait()
		assert.True(t, f.Cancel())
		assert.Equal(t, []int{1, 0}, []int{p.Stats().Busy, p.Stats().Queued}, "its body goes on")
		g.Open()
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []int{0, 0}, []int{s.Busy, s.Queued})
		assert.Equal(t, []uint64{1, 0, 1}, []uint64{s.Accepted, s.Completed, s.Cancelled})
	})
}

// It is the race detector that looks here.
func TestB19_WhatAPoolTellsMayBeAskedAtAnyTime(t *testing.T) {
	for kind, newPool := range pooltest.Kinds {
		t.Run(kind, func(t *testing.T) {
			p := newPool(t, 2)
			var parties sync.WaitGroup
			futures := make(chan *future.Future[struct{}], 200)
			for i := range 2 {
				parties.Go(func() {
					for range 100 {
						_ = p.Execute(pooltest.Nothing)
						f, err := p.Submit(pooltest.Nothing)
						if err != nil {
							t.Error(err)
							continue
						}
						futures <- f
						_ = p.SetCoreSize(1 + i)
					}
				})
				parties.Go(func() {
					for range 100 {
						f := <-futures
						_, _, _ = f.State(), f.String(), f.Cancel()
						_, _, _ = p.Stats(), p.Queued(), p.Running()
						_, _ = p.String(), f.Done()
					}
				})
			}
			parties.Wait()
		})
	}
	t.Run("scheduled futures", func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		f := pooltest.AtFixedRate(t, p, 0, time.Microsecond, pooltest.Nothing)
		for f.Runs() < 100 {
			_, _, _ = f.Delay(), f.Periodic(), f.String()
			_, _ = f.Next()
		}
	})
}

// A worker gives up for want of work just when a task comes, or the last one is cancelled. Neither
// is a task lost, nor does a worker stay for nothing, and the pool can be ended.
func TestB20_AWorkerThatLeavesMissesNeitherATaskNorACancellation(t *testing.T) {
	for _, core := range []int{0, 1} {
		t.Run(fmt.Sprint("core size ", core), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, core, executor.CoreTimeout(), executor.KeepAlive(time.Second))
				for round := range 200 {
					pooltest.Submit(t, p, pooltest.Nothing)
					synctest.Wait()
					unset := pbSlow()
					var parties sync.WaitGroup
					if round%2 == 0 { // it waits for a task of later, or else for any
						far := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
						parties.Go(func() { time.Sleep(time.Second); far.Cancel() })
					}
					time.Sleep(time.Second - time.Duration(round%3)) // it gives up now, or in an instant
					var f *future.Future[struct{}]
					parties.Go(func() { f, _ = p.Submit(pooltest.Nothing) })
					parties.Wait()
					_, err := f.GetTimeout(time.Millisecond)
					unset()
					require.NoError(t, err, "round %d", round)
					probe.Elapse(2 * time.Second)
					require.Zero(t, p.Stats().Workers, "round %d", round)
				}
				require.NoError(t, p.Close())
			})
		})
	}
}

// pbEnds are the ways a body can end. None of them takes any time.
var pbEnds = map[string]executor.Task{"success": pooltest.Nothing, "error": pooltest.Fail, "panic": pooltest.Panic, "goexit": pooltest.Goexit}

// A run with a timeout has a timer. However the run ends, nothing keeps the timer, and what it
// holds, until the timeout is over.
func TestB24_HoweverARunEndsItsTimeoutIsForgotten(t *testing.T) {
	ends := map[string]func(ctx context.Context, f *future.Future[struct{}]) error{
		"cancelled": func(ctx context.Context, f *future.Future[struct{}]) error { f.Cancel(); <-ctx.Done(); return nil },
		"stopped":   func(_ context.Context, f *future.Future[struct{}]) error { f.Stop(); return nil },
	}
	for name, body := range pbEnds {
		ends[name] = func(ctx context.Context, _ *future.Future[struct{}]) error { return body(ctx) }
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				self := make(chan *future.Future[struct{}], 1)
				var held weak.Pointer[pbLoad]
				f := pooltest.Submit(t, p, func(ctx context.Context) error {
					load := new(pbLoad)
					held = weak.Make(load)
					_, limited := ctx.Deadline() // now there is a context with a timer
					assert.True(t, limited)
					context.AfterFunc(ctx, func() { load[0]++ })
					return end(ctx, <-self)
				}, executor.Timeout(1000*time.Hour))
				self <- f
				synctest.Wait()
				pooltest.Submit(t, p, pooltest.Nothing) // the worker has let go of the first
				synctest.Wait()
				runtime.GC()
				runtime.GC()
				assert.Nil(t, held.Value())
				_, settled := f.Poll()
				assert.True(t, settled)
			})
		})
	}
}

// pbLoad is something large that is to be let go of.
type pbLoad [1 << 16]byte

// Who waits for room enters as soon as a task has ended, however that was: at once, not with the
// next tick of whoever looks after idle workers.
func TestB29_ASubmitterWhoWaitsEntersHoweverATaskEnds(t *testing.T) {
	for name, end := range pbEnds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block), executor.KeepAlive(time.Hour))
				start := time.Now()
				for n := range 10 {
					_, err := p.Submit(func(ctx context.Context) error {
						time.Sleep(time.Second)
						return end(ctx)
					})
					require.NoError(t, err)
					assert.Equal(t, time.Duration(n)*time.Second, time.Since(start))
				}
			})
		})
	}
}

// pbGauge counts bodies that run.
type pbGauge struct{ now, most atomic.Int32 }

// around returns body with the gauge around it.
func (g *pbGauge) around(body executor.Task) executor.Task {
	return func(ctx context.Context) error {
		pooltest.Raise(&g.most, g.now.Add(1))
		defer g.now.Add(-1)
		time.Sleep(time.Duration(rand.IntN(3)))
		return body(ctx)
	}
}

func TestB30_NoMoreBodiesRunAtOnceThanTheSizeAllows(t *testing.T) {
	const size = 3
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, size)
		defer pbSlow()()
		var g pbGauge
		var parties sync.WaitGroup
		for _, end := range pbEnds {
			parties.Go(func() {
				for range 50 {
					ctx, cancel := context.WithCancel(t.Context())
					f, err := executor.SubmitContext(ctx, p, func(ctx context.Context) (int, error) { return 0, g.around(end)(ctx) })
					if err == nil && rand.IntN(4) == 0 {
						f.Cancel()
					}
					cancel()
					time.Sleep(time.Duration(rand.IntN(3)))
				}
			})
		}
		parties.Wait()
		probe.Elapse(time.Hour)
		assert.LessOrEqual(t, int(g.most.Load()), size)
		assert.Positive(t, g.most.Load())
		assert.Zero(t, g.now.Load())
		pooltest.Balanced(t, p)
	})
}

// The context of a bulk operation ends when n of its functions have been submitted, or begun. It
// returns, and all its futures are settled.
func TestB33_ABulkOperationEndsWithItsContextAtWhateverStep(t *testing.T) {
	const n = 10
	errCause := errors.New("nobody waits any more")
	for kind, newPool := range pooltest.Kinds {
		t.Run(kind, func(t *testing.T) {
			for step := range 2*n + 1 {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					var steps atomic.Int32
					next := func() {
						if int(steps.Add(1)) == step {
							cancel(errCause)
						}
					}
					p := newPool(t, 2, executor.Decorate(func(task executor.Task) executor.Task { next(); return task }))
					fns := make([]future.Func[int], n)
					for i := range fns {
						fns[i] = func(context.Context) (int, error) { next(); time.Sleep(time.Second); return i, nil }
					}
					if step == 0 {
						cancel(errCause)
					}
					fs, err := executor.InvokeAll(ctx, p, fns...)
					assert.ErrorIs(t, err, errCause)
					for _, f := range fs {
						_, settled := f.Poll()
						assert.True(t, settled)
					}
					probe.Elapse(time.Hour)
					pooltest.Balanced(t, p)
				})
			}
		})
	}
}

// Handles, names and functions may be alike: what is done to a task by its future is done to that
// task only, also when it has ended long ago.
func TestB44_TasksThatLookAlikeAreToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		same := tr.Task("same")
		submit := func() *executor.ScheduledFuture[struct{}] {
			return pooltest.Schedule(t, p, time.Second, same, executor.Name("same"))
		}
		over, cancelled := submit(), submit()
		assert.True(t, cancelled.Cancel())
		probe.Elapse(time.Second)
		left, gone := submit(), submit()
		for _, f := range []*executor.ScheduledFuture[struct{}]{over, cancelled} {
			assert.False(t, f.Cancel())
			assert.False(t, f.Stop())
		}
		assert.Equal(t, 2, p.Stats().Queued)
		assert.True(t, gone.Cancel())
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"same 1s", "same 2s"}, tr.Seen())
		assert.Equal(t, future.Succeeded, left.State())
	})
}

// pbWall returns a time whose wall clock is ahead of its monotonic reading by so many seconds, as
// if the clock had been set meanwhile. A test cannot set the clock, so this relies on the first
// word of a time: below its top bit are the seconds of the wall, above thirty bits of nanoseconds.
func pbWall(t *testing.T, at time.Time, ahead int64) time.Time {
	wrong := at
	*(*uint64)(unsafe.Pointer(&wrong)) += uint64(ahead << 30)
	require.Equal(t, time.Duration(ahead)*time.Second, wrong.Round(0).Sub(at.Round(0)), "by the wall clock")
	require.Zero(t, wrong.Sub(at), "by the monotonic one")
	return wrong
}

// On the real clock, as the times of a bubble have no monotonic reading.
func TestB49_AWallClockThatIsSetMovesNoTaskAndWakesNobody(t *testing.T) {
	const year = 365 * 24 * 3600
	p := pooltest.NewScheduledPool(t, 1)
	for _, ahead := range []int64{-50 * year, -3600, 3600, 50 * year} {
		at := pbWall(t, time.Now().Add(time.Hour), ahead)
		f, err := p.ScheduleAt(at, pooltest.Nothing)
		require.NoError(t, err)
		next, ok := f.Next()
		assert.True(t, ok && next.Sub(at) == 0, "to the nanosecond")
		require.True(t, f.Cancel())
		at = pbWall(t, time.Now().Add(2*time.Millisecond), ahead)
		f, err = p.ScheduleAt(at, pooltest.Nothing)
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.GreaterOrEqual(t, time.Since(at), time.Duration(0), "early")
	}
	assert.LessOrEqual(t, p.Stats().Wakeups, uint64(100), "nobody spins")
}

// Tasks must not get lost when processors come and go. The end of the test is that all have run.
func TestB54_NoTaskIsLostWhileGOMAXPROCSChanges(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	p := pooltest.NewScheduledPool(t, 2)
	var ran sync.WaitGroup
	task := func(context.Context) error { ran.Done(); return nil }
	rate := pooltest.AtFixedRate(t, p, 0, 100*time.Microsecond, pooltest.Nothing)
	for i := range 300 {
		runtime.GOMAXPROCS(1 + i%4)
		ran.Add(2)
		pooltest.Schedule(t, p, time.Duration(i%20)*100*time.Microsecond, task)
		require.NoError(t, p.Execute(task))
	}
	ran.Wait()
	for n := rate.Runs(); rate.Runs() == n; {
		runtime.Gosched()
	}
}

// As many tasks as are dealt, linked, or taken from the heap in one go, and one more or less: all
// run, each once, in order.
func TestB55_AnyNumberOfTasksRunsInOrder(t *testing.T) {
	type add = func(i int, task executor.Task) error
	for name, newPool := range map[string]func(t *testing.T) (*executor.Pool, add){
		"Execute": func(t *testing.T) (*executor.Pool, add) {
			p := pooltest.NewPool(t, 1)
			return p, func(_ int, task executor.Task) error { return p.Execute(task) }
		},
		"Submit": func(t *testing.T) (*executor.Pool, add) {
			p := pooltest.NewPool(t, 1)
			return p, func(_ int, task executor.Task) error { _, err := p.Submit(task); return err }
		},
		"due at once": func(t *testing.T) (*executor.Pool, add) {
			p := pooltest.NewScheduledPool(t, 1)
			return &p.Pool, func(_ int, task executor.Task) error { _, err := p.Schedule(time.Second, task); return err }
		},
		"due one after the other": func(t *testing.T) (*executor.Pool, add) {
			p := pooltest.NewScheduledPool(t, 1)
			return &p.Pool, func(i int, task executor.Task) error {
				_, err := p.Schedule(time.Second+time.Duration(i), task)
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, batch := range []int{1, 64, 128, 256, 512, 1024} {
				for n := batch - 1; n <= batch+1; n++ {
					synctest.Test(t, func(t *testing.T) {
						p, add := newPool(t)
						g := pooltest.NewGate(t)
						require.NoError(t, p.Execute(g.Hold))
						synctest.Wait()
						var got, want []int
						for i := range n {
							require.NoError(t, add(i, func(context.Context) error { got = append(got, i); return nil }))
							want = append(want, i)
						}
						require.Equal(t, n, p.Stats().Queued)
						probe.Elapse(time.Minute)
						g.Open()
						synctest.Wait()
						require.True(t, slices.Equal(want, got), "%d of %d, or not in order", len(got), n)
					})
				}
			}
		})
	}
}
