package future_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file use real goroutines and the real clock, and are meant for the race
// detector. None of them depends on how long anything takes.

// together calls all functions at once and returns when all have returned.
func together(fs ...func()) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	ready.Add(len(fs))
	for _, f := range fs {
		done.Go(func() {
			ready.Done()
			<-start
			f()
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

func repeat(n int, f func(i int)) []func() {
	fs := make([]func(), n)
	for i := range fs {
		fs[i] = func() { f(i) }
	}
	return fs
}

func TestFT049_OneOfManyConcurrentCancellationsReturnsTrue(t *testing.T) {
	for range 100 {
		f := future.NewTask(seven).Future()
		var won atomic.Int64
		together(repeat(64, func(i int) {
			var ok bool
			switch i % 3 {
			case 0:
				ok = f.Cancel()
			case 1:
				ok = f.CancelCause(errBoom)
			default:
				ok = f.Stop()
			}
			if ok {
				won.Add(1)
			}
			if f.State() != future.Cancelled {
				won.Add(1_000)
			}
		})...)
		require.EqualValues(t, 1, won.Load())
	}
}

func TestFT012_OneOfManyConcurrentEndsOfAPromiseWins(t *testing.T) {
	for range 200 {
		p := future.NewPromise[int]()
		var won atomic.Int64
		var by atomic.Value
		together(repeat(16, func(i int) {
			var ok bool
			var want future.Result[int]
			switch i % 3 {
			case 0:
				ok, want = p.Complete(i), future.Result[int]{Value: i}
			case 1:
				ok, want = p.Fail(errBoom), future.Result[int]{Err: errBoom}
			default:
				ok, want = p.Future().Cancel(), future.Result[int]{Err: future.ErrCancelled}
			}
			if ok {
				won.Add(1)
				by.Store(want)
			}
		})...)
		require.EqualValues(t, 1, won.Load())
		got, ok := p.Future().Poll()
		require.True(t, ok)
		require.Equal(t, by.Load(), got)
		require.True(t, probe.IsClosed(p.Future().Stopped()))
	}
}

func TestRunAgainstCancelEndsOneWayForEverybody(t *testing.T) {
	for range 20_000 {
		ran := 0
		task := future.NewTask(func(context.Context) (int, error) { ran++; return 7, nil })
		f := task.Future()
		var cancelled bool
		var answers [2]future.Result[int]
		together(
			func() { task.Run(context.Background()) },
			func() { cancelled = f.Cancel() },
			func() { answers[0].Value, answers[0].Err = f.Get(context.Background()) },
			func() { answers[1].Value, answers[1].Err = f.GetTimeout(time.Hour) },
		)
		want := future.Result[int]{Value: 7}
		if cancelled {
			want = future.Result[int]{Err: future.ErrCancelled}
			require.LessOrEqual(t, ran, 1)
		} else {
			require.Equal(t, 1, ran)
		}
		final, ok := f.Poll()
		require.True(t, ok)
		require.Equal(t, want, final)
		require.Equal(t, want, answers[0])
		require.Equal(t, want, answers[1])
	}
}

func TestCancelThatReturnsBeforeTheRunKeepsTheBodyFromBeginning(t *testing.T) {
	for range 5_000 {
		var refused atomic.Bool // set once Cancel has returned and no body had begun
		var begun, broken atomic.Bool
		task := future.NewTask(func(context.Context) (int, error) {
			begun.Store(true)
			broken.Store(refused.Load())
			return 7, nil
		})
		together(
			func() { task.Run(context.Background()) },
			func() {
				if f := task.Future(); f.Cancel() && probe.IsClosed(f.Stopped()) && !begun.Load() {
					refused.Store(true)
				}
			},
		)
		require.False(t, broken.Load())
	}
}

func TestCompleteAgainstTimedGet(t *testing.T) {
	for range 5_000 {
		p := future.NewPromise[int]()
		d := time.Duration(rand.N(3_000))
		var v, after int
		var err, afterErr error
		together(
			func() {
				p.Complete(7)
				after, afterErr = p.Future().GetTimeout(0)
			},
			func() { v, err = p.Future().GetTimeout(d) },
		)
		if err != nil {
			require.ErrorIs(t, err, future.ErrTimeout)
			require.Zero(t, v)
		} else {
			require.Equal(t, 7, v)
		}
		require.NoError(t, afterErr, "a completed promise timed out")
		require.Equal(t, 7, after)
	}
}

func TestFT040_OnceSettledIsSeenNoTimedGetExpires(t *testing.T) {
	for range 5_000 {
		task := future.NewTask(seven)
		f := task.Future()
		var v int
		var err error
		together(
			func() { task.Run(context.Background()) },
			func() {
				for !f.State().Settled() {
					runtime.Gosched()
				}
				v, err = f.GetTimeout(-1)
			},
		)
		require.NoError(t, err)
		require.Equal(t, 7, v)
	}
}

func TestThousandWaitersAreReleasedWithTheSameAnswer(t *testing.T) {
	ends := map[string]struct {
		end  func(*future.Promise[int])
		want future.Result[int]
	}{
		"Complete": {func(p *future.Promise[int]) { p.Complete(7) }, future.Result[int]{Value: 7}},
		"Fail":     {func(p *future.Promise[int]) { p.Fail(errBoom) }, future.Result[int]{Err: errBoom}},
		"Cancel":   {func(p *future.Promise[int]) { p.Future().Cancel() }, future.Result[int]{Err: future.ErrCancelled}},
	}
	for name, e := range ends {
		t.Run(name, func(t *testing.T) {
			p := future.NewPromise[int]()
			f := p.Future()
			answers := make([]future.Result[int], 1_000)
			waits := repeat(len(answers), func(i int) {
				a := &answers[i]
				switch i % 4 {
				case 0:
					a.Value, a.Err = f.Get(context.Background())
				case 1:
					a.Value, a.Err = f.GetTimeout(time.Hour)
				case 2:
					<-f.Done()
					*a, _ = f.Poll()
				default:
					for _, r := range future.Completed(context.Background(), f) {
						*a = r
					}
				}
			})
			together(append(waits, func() { e.end(p) })...)
			for _, a := range answers {
				require.Equal(t, e.want, a)
			}
		})
	}
}

func TestDoneAndStoppedAreTheSameChannelsForEverybody(t *testing.T) {
	for range 200 {
		p := future.NewPromise[int]()
		f := p.Future()
		done, stopped := make([]<-chan struct{}, 16), make([]<-chan struct{}, 16)
		together(append(repeat(16, func(i int) {
			done[i], stopped[i] = f.Done(), f.Stopped()
		}), func() { p.Complete(7) })...)
		for i := range done {
			require.True(t, done[i] == f.Done())
			require.True(t, stopped[i] == f.Stopped())
			require.True(t, probe.IsClosed(done[i]))
			require.True(t, probe.IsClosed(stopped[i]))
		}
	}
}

func TestCancelAfterStopEndsTheContextOfTheBody(t *testing.T) {
	for range 1_000 {
		begun, look, looked := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var afterStop, atEnd error
		task := future.NewTask(func(ctx context.Context) (int, error) {
			close(begun)
			<-look
			afterStop = ctx.Err()
			close(looked)
			<-ctx.Done()
			atEnd = context.Cause(ctx)
			return 7, nil
		})
		f := task.Future()
		go task.Run(context.Background())
		<-begun
		require.True(t, f.Stop())
		close(look)
		<-looked
		require.False(t, f.CancelCause(errBoom))
		<-f.Stopped()
		require.NoError(t, afterStop, "Stop ended the context")
		require.Equal(t, errBoom, atEnd)
		_, err := f.Get(context.Background())
		require.Equal(t, future.ErrCancelled, err)
	}
}

func TestStoppedClosesOnlyAfterTheBodyHasReturned(t *testing.T) {
	for name, cancel := range cancellations {
		t.Run(name, func(t *testing.T) {
			for range 2_000 {
				begun := make(chan struct{})
				last := 0 // not synchronized but by Stopped
				task := future.NewTask(func(context.Context) (int, error) {
					close(begun)
					runtime.Gosched()
					last = 1
					return 7, nil
				})
				go task.Run(context.Background())
				<-begun
				cancel(task.Future())
				<-task.Future().Stopped()
				require.Equal(t, 1, last)
			}
		})
	}
}

func TestBodyHappensBeforeGetReturns(t *testing.T) {
	for range 2_000 {
		written := 0 // not synchronized but by Get
		task := future.NewTask(func(context.Context) (int, error) { written = 42; return 7, nil })
		go task.Run(context.Background())
		_, err := task.Future().Get(context.Background())
		require.NoError(t, err)
		require.Equal(t, 42, written)
	}
}

func TestOneOfManyConcurrentRunsEntersTheBody(t *testing.T) {
	for range 500 {
		var inside, most, runs atomic.Int64
		task := future.NewTask(func(context.Context) (int, error) {
			runs.Add(1)
			if n := inside.Add(1); n > most.Load() {
				most.Store(n)
			}
			runtime.Gosched()
			inside.Add(-1)
			return 7, nil
		})
		var reset atomic.Int64
		together(repeat(8, func(i int) {
			if task.RunAndReset(context.Background()) {
				reset.Add(1)
			}
		})...)
		require.EqualValues(t, 1, most.Load())
		require.Equal(t, runs.Load(), reset.Load())
		require.Positive(t, runs.Load())
		require.Equal(t, future.Pending, task.Future().State())
	}
}

func TestSeriesAgainstCancelEndsAndNeverRunsAgain(t *testing.T) {
	for range 2_000 {
		runs := 0
		task := future.NewTask(func(context.Context) (int, error) { runs++; return 7, nil })
		var cancelled bool
		together(
			func() {
				for task.RunAndReset(context.Background()) {
				}
			},
			func() { cancelled = task.Future().Cancel() },
		)
		require.True(t, cancelled)
		require.True(t, probe.IsClosed(task.Future().Stopped()))
		before := runs
		task.Run(context.Background())
		require.Equal(t, before, runs)
	}
}

func TestFT044_B52_LateInterruptMissesTheNextTaskOfTheGoroutine(t *testing.T) {
	for range 10_000 {
		first := future.NewTask(func(ctx context.Context) (int, error) { return 7, ctx.Err() })
		var next error
		second := future.NewTask(func(ctx context.Context) (int, error) {
			_ = ctx.Done()
			runtime.Gosched()
			next = ctx.Err()
			return 7, nil
		})
		together(
			func() {
				first.Run(context.Background())
				second.Run(context.Background())
			},
			func() { first.Future().Cancel() },
		)
		require.NoError(t, next)
	}
}

// growth returns by how much f makes the heap grow.
func growth(f func()) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

func TestTimedOutCompletedLeavesNothingBehind(t *testing.T) {
	f := future.NewPromise[int]().Future()
	over := ended(context.DeadlineExceeded)
	grown := growth(func() {
		for range 100_000 {
			for range future.Completed(over, f) {
				t.Error("a pending future was yielded")
			}
		}
	})
	assert.Less(t, grown, int64(1<<20))
	runtime.KeepAlive(f)
}

func TestCompletedLeftEarlyLeavesNothingBehind(t *testing.T) {
	f, settled := future.NewPromise[int]().Future(), future.Of(7)
	grown := growth(func() {
		for range 100_000 {
			for range future.Completed(context.Background(), f, settled) {
				break
			}
		}
	})
	assert.Less(t, grown, int64(1<<20))
	runtime.KeepAlive(f)
}

func TestTimedOutGetLeavesNothingBehind(t *testing.T) {
	f := future.NewPromise[int]().Future()
	over := ended(context.DeadlineExceeded)
	grown := growth(func() {
		for range 100_000 {
			_, _ = f.Get(over)
			_, _ = f.GetTimeout(1)
		}
	})
	assert.Less(t, grown, int64(1<<20))
	runtime.KeepAlive(f)
}

func TestCancelledDependentsLeaveTheirSource(t *testing.T) {
	f := future.NewPromise[int]().Future()
	grown := growth(func() {
		for range 10_000 {
			future.Then(f, double).Cancel()
		}
	})
	assert.Less(t, grown, int64(1<<20))
	runtime.KeepAlive(f)
}
