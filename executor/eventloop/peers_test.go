package eventloop_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
)

// The tests of this file hold bugs of other event loops, whose threads docs/rows.md names, against
// ours. Where a bug was a race, a delay point makes the unlucky order the only one.

// Two tasks come when the loop has said until when it sleeps, and not looked whether somebody has
// come meanwhile.
func TestB5_TwoTasksThatComeAsTheLoopGoesToSleepAreNotOverlooked(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		delaytest.Once(t, delay.LoopSleepsLocked, func() {
			go func() { _ = l.Execute(d.task("now")) }()
			go func() { _, _ = l.Schedule(ms, d.task("soon")) }()
			for range 1000 { // both are in the intake
				runtime.Gosched()
			}
		})
		_, err := l.Schedule(time.Hour, d.task("later"))
		require.NoError(t, err)
		time.Sleep(2 * time.Hour)
		names, times := d.read()
		assert.Equal(t, []string{"now", "soon", "later"}, names)
		assert.Equal(t, []time.Duration{0, ms, time.Hour}, times)
	})
}

// Counted exactly, wherever they are cancelled: in the intake, on the agenda, when they are due
// behind a long body, or in their run.
func TestB14_WhatWaitsIsCountedOnceWhereverItIsCancelled(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		const n = 500
		release := block(t, l)
		var fs []*executor.ScheduledFuture[struct{}]
		for i := range 2 * n {
			f, err := l.Schedule(time.Duration(1+i%n)*time.Second, pooltest.Nothing)
			require.NoError(t, err)
			fs = append(fs, f)
			if i == n {
				time.Sleep(n / 2 * time.Second)         // those are due
				require.Equal(t, n+1, l.Stats().Queued) // and on the agenda
			}
		}
		rand.Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
		for i, f := range fs {
			require.True(t, f.Cancel())
			require.False(t, f.Cancel())
			if i%50 == 0 { // each look empties the intake
				require.Equal(t, len(fs)-1-i, l.Stats().Queued)
			}
		}
		release()
		synctest.Wait()
		s := l.Stats()
		assert.Zero(t, s.Queued+s.Busy)
		assert.Equal(t, []uint64{2*n + 1, 1, 2 * n}, []uint64{s.Accepted, s.Completed, s.Cancelled})
	})
}

// The loop is shut down when a task is on its intake, and the submitter has not made sure that
// somebody looks.
func TestB16_ATaskThatIsOnItsWayAsTheLoopIsShutDownHasOneEnd(t *testing.T) {
	for name, stop := range map[string]func(l *eventloop.Loop){
		"Shutdown":    func(l *eventloop.Loop) { l.Shutdown() },
		"ShutdownNow": func(l *eventloop.Loop) { l.ShutdownNow() },
		"Close":       func(l *eventloop.Loop) { _ = l.Close() },
		"gracefully":  func(l *eventloop.Loop) { _ = l.ShutdownGracefully(0, time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := quiet()
				delaytest.Once(t, delay.LoopPushed, func() { stop(l) })
				ran := false
				f, err := l.Submit(func(context.Context) error { ran = true; return nil })
				require.NoError(t, err)
				require.NoError(t, l.AwaitTermination(t.Context()))
				r, settled := f.Poll()
				require.True(t, settled)
				assert.Equal(t, name != "ShutdownNow", ran)
				assert.Equal(t, !ran, errors.Is(r.Err, executor.ErrShutdown))
				assertBalanced(t, l)
			})
		})
	}
}

// It is the race detector that looks here.
func TestB19_WhatALoopTellsMayBeAskedAtAnyTime(t *testing.T) {
	l := quiet()
	var parties sync.WaitGroup
	futures := make(chan *executor.ScheduledFuture[struct{}], 400)
	for range 2 {
		parties.Go(func() {
			for i := range 200 {
				f, err := l.Schedule(time.Duration(i%3)*time.Microsecond, pooltest.Nothing)
				if err != nil {
					t.Error(err)
					continue
				}
				futures <- f
			}
		})
		parties.Go(func() {
			for range 200 {
				f := <-futures
				_, _, _ = f.Delay(), f.Runs(), f.String()
				_, _ = f.Next()
				_, _ = l.Stats(), l.Running()
				_, _ = l.String(), f.Cancel()
			}
		})
	}
	parties.Wait()
	require.NoError(t, l.Close())
	assertBalanced(t, l)
}

func TestB26_NothingOutlivesALoopThatIsClosed(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	require.NoError(t, quiet().Close())
	l := quiet()
	for _, body := range []executor.Task{
		pooltest.Nothing,
		func(context.Context) error { return pooltest.ErrTask },
		func(context.Context) error { panic("in a task") },
		func(context.Context) error { runtime.Goexit(); return nil },
		func(ctx context.Context) error { <-ctx.Done(); return nil },
	} {
		f, err := l.Submit(body, executor.Timeout(time.Millisecond))
		require.NoError(t, err)
		<-f.Stopped()
	}
	_, err := l.Schedule(time.Hour, pooltest.Nothing)
	require.NoError(t, err)
	require.NoError(t, l.Close())
}

// When the end of a loop is known, its body does not run any more.
func TestB38_AtTheEndOfALoopNoBodyRuns(t *testing.T) {
	for name, stop := range map[string]func(l *eventloop.Loop){
		"Shutdown":    func(l *eventloop.Loop) { l.Shutdown() },
		"ShutdownNow": func(l *eventloop.Loop) { l.ShutdownNow() },
		"Close":       func(l *eventloop.Loop) { _ = l.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := quiet()
				start, over := time.Now(), false
				f, err := l.Submit(func(context.Context) error {
					time.Sleep(time.Hour) // whatever its context says
					over = true
					return nil
				})
				require.NoError(t, err)
				synctest.Wait()
				stop(l)
				require.NoError(t, l.AwaitTermination(t.Context()))
				assert.True(t, over)
				assert.Equal(t, time.Hour, time.Since(start))
				assert.True(t, f.State().Settled())
			})
		})
	}
}

func TestB44_TasksThatLookAlikeAreToldApart(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		same := d.task("same")
		submit := func() *executor.ScheduledFuture[struct{}] {
			f, err := l.Schedule(time.Second, same, executor.Name("same"))
			require.NoError(t, err)
			return f
		}
		over, cancelled := submit(), submit()
		assert.True(t, cancelled.Cancel())
		time.Sleep(time.Second)
		synctest.Wait()
		left, gone := submit(), submit()
		assert.False(t, over.Cancel() || cancelled.Cancel())
		assert.True(t, gone.Cancel())
		time.Sleep(time.Minute)
		assert.Equal(t, inMs(1000, 2000), d.readTimes())
		assert.Equal(t, future.Succeeded, left.State())
	})
}

// Tasks must not get lost when processors come and go. The end of the test is that all have run.
func TestB54_NoTaskIsLostWhileGOMAXPROCSChanges(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	l := quiet()
	var ran sync.WaitGroup
	task := func(context.Context) error { ran.Done(); return nil }
	for i := range 300 {
		runtime.GOMAXPROCS(1 + i%4)
		ran.Add(2)
		_, err := l.Schedule(time.Duration(i%20)*100*time.Microsecond, task)
		require.NoError(t, err)
		require.NoError(t, l.Execute(task))
	}
	ran.Wait()
	require.NoError(t, l.Close())
}

// As many cancelled tasks as the loop leaves where they are, and one more or less: what remains
// runs in order.
func TestB55_AnyNumberOfTasksRunsInOrder(t *testing.T) {
	for _, batch := range []int{1, 64, 128, 512, 1024} {
		for n := batch - 1; n <= batch+1; n++ {
			withLoop(t, func(t *testing.T, l *eventloop.Loop) {
				release := block(t, l)
				var got, want []int
				for i := range n {
					gone, err := l.Schedule(time.Hour, pooltest.Nothing)
					require.NoError(t, err)
					_, err = l.Schedule(time.Second, func(context.Context) error { got = append(got, i); return nil })
					require.NoError(t, err)
					assert.True(t, gone.Cancel())
					want = append(want, i)
				}
				release()
				time.Sleep(time.Minute)
				synctest.Wait()
				assert.Equal(t, want, got)
				assert.Zero(t, l.Stats().Queued)
			})
		}
	}
}
