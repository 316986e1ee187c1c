package executor_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// The tests of this file are named after the promises in the README, in their order.

func TestPromise1_NeverEarlyAndExactInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		const tasks = 1000
		p := executor.NewScheduledPool(tasks)
		defer p.Close()
		rng := rand.New(rand.NewPCG(1, 2))
		var wrong atomic.Int64
		for range tasks {
			d := time.Duration(rng.Int64N(int64(1000 * time.Hour)))
			_, err := p.Schedule(d, func(context.Context) error {
				if time.Since(start) != d {
					wrong.Add(1)
				}
				return nil
			})
			require.NoError(t, err)
		}
		time.Sleep(1000 * time.Hour)
		synctest.Wait()
		assert.Zero(t, wrong.Load(), "tasks that did not start exactly at their time")
		assert.EqualValues(t, tasks, p.Stats().Completed)
	})
}

// A worker does not sleep for a task that is due in an instant. In virtual time that instant takes
// as long as any other.
func TestPromise1_ExactInVirtualTimeAnInstantFromNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, workers := range []int{1, 3} {
			start := time.Now()
			p := executor.NewScheduledPool(workers)
			var started []time.Duration
			var mu sync.Mutex
			var want []time.Duration
			for d := time.Duration(1); d < 20*time.Microsecond; d = d*5/4 + 1 {
				want = append(want, d)
				_, err := p.Schedule(d, func(context.Context) error {
					mu.Lock()
					defer mu.Unlock()
					started = append(started, time.Since(start))
					return nil
				})
				require.NoError(t, err)
			}
			time.Sleep(time.Millisecond)
			require.NoError(t, p.Close())
			assert.Equal(t, want, started)
		}
	})
}

func TestPromise1_NeverEarlyOnTheRealClock(t *testing.T) {
	p := executor.NewScheduledPool(2)
	defer p.Close()
	var early atomic.Int64
	var last *executor.ScheduledFuture[struct{}]
	for i := range 500 {
		d := time.Duration(i) * 97 * time.Microsecond
		due := time.Now().Add(d)
		f, err := p.Schedule(d, func(context.Context) error {
			if time.Now().Before(due) {
				early.Add(1)
			}
			return nil
		})
		require.NoError(t, err)
		last = f
	}
	_, err := last.Get(t.Context())
	require.NoError(t, err)
	assert.Zero(t, early.Load())
}

func TestPromise2_EarlierTimeFirstThenOrderOfSubmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var order []string
		add := func(name string, d time.Duration) {
			_, err := p.Schedule(d, func(context.Context) error {
				order = append(order, name)
				return nil
			})
			require.NoError(t, err)
		}
		add("2s a", 2*time.Second)
		add("1s a", time.Second)
		add("2s b", 2*time.Second)
		add("1s b", time.Second)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"1s a", "1s b", "2s a", "2s b"}, order)
	})
}

func TestPromise2_ExecuteDoesNotOvertakeAnOverdueTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var order []string
		note := func(name string) executor.Task {
			return func(context.Context) error {
				order = append(order, name)
				return nil
			}
		}
		require.NoError(t, p.Execute(func(context.Context) error {
			time.Sleep(time.Minute)
			return nil
		}))
		for name, d := range map[string]time.Duration{"late 60": 60, "late 20": 20} {
			_, err := p.Schedule(d*time.Millisecond, note(name))
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
		require.NoError(t, p.Execute(note("fresh")))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"late 20", "late 60", "fresh"}, order)
	})
}

func TestPromise3_EverythingAcceptedEndsAndSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2, executor.Logger(slog.New(slog.DiscardHandler)))
		var futures []*future.Future[struct{}]
		keep := func(f *executor.ScheduledFuture[struct{}], err error) *executor.ScheduledFuture[struct{}] {
			require.NoError(t, err)
			futures = append(futures, f.Future)
			return f
		}
		keep(p.Schedule(0, pooltest.Nothing))
		keep(p.Schedule(time.Hour, pooltest.Nothing)).Cancel()
		keep(p.Schedule(time.Hour, pooltest.Nothing))
		keep(p.AtFixedRate(time.Second, time.Second, pooltest.Nothing))
		keep(p.WithFixedDelay(0, time.Hour, func(context.Context) error { panic("end of series") }))
		keep(p.Schedule(0, func(context.Context) error { time.Sleep(time.Minute); return nil }))
		time.Sleep(2500 * time.Millisecond)
		returned := p.ShutdownNow()
		assert.Len(t, returned, 2, "the task an hour away and the series")
		require.NoError(t, p.AwaitTermination(t.Context()))
		for i, f := range futures {
			_, settled := f.Poll()
			assert.True(t, settled, "future %d outlives termination", i)
		}
		s := p.Stats()
		assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned)
		_, err := p.Schedule(0, pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.ErrorIs(t, err, executor.ErrRejected)
		assert.Equal(t, s.Accepted, p.Stats().Accepted, "a refused task is not half accepted")
	})
}

func TestPromise4_RunsOfOneTaskNeitherOverlapNorRace(t *testing.T) {
	p := executor.NewScheduledPool(4)
	var inside atomic.Int32
	var overlaps atomic.Int32
	plain := 0 // unsynchronised on purpose: the race detector watches that run n happens before n+1
	f, err := p.AtFixedRate(0, time.Microsecond, func(context.Context) error {
		if inside.Add(1) > 1 {
			overlaps.Add(1)
		}
		plain++
		inside.Add(-1)
		return nil
	}, executor.MaxRuns(20_000))
	require.NoError(t, err)
	for range 3 { // keeps the workers changing
		_, err := p.WithFixedDelay(0, time.Microsecond, pooltest.Nothing)
		require.NoError(t, err)
	}
	_, err = f.Get(t.Context())
	require.NoError(t, err)
	assert.Zero(t, overlaps.Load())
	assert.Equal(t, 20_000, plain)
	require.NoError(t, p.Close())
}

func TestPromise5_AFailureTouchesOneFuture(t *testing.T) {
	failure := errors.New("returned")
	for name, c := range map[string]struct {
		fail  executor.Task
		check func(t *testing.T, err error)
	}{
		"error": {func(context.Context) error { return failure }, func(t *testing.T, err error) { assert.ErrorIs(t, err, failure) }},
		"panic": {func(context.Context) error { panic("value") }, func(t *testing.T, err error) {
			var p *future.PanicError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, "value", p.Value)
			assert.Contains(t, string(p.Stack), "TestPromise5")
		}},
		"panic nil": {func(context.Context) error { panic(nil) }, func(t *testing.T, err error) {
			var nilPanic *runtime.PanicNilError
			assert.ErrorAs(t, err, &nilPanic)
		}},
		"Goexit": {func(context.Context) error { runtime.Goexit(); return nil }, func(t *testing.T, err error) { assert.ErrorIs(t, err, future.ErrGoexit) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(1)
				defer p.Close()
				for range 10 {
					f, err := p.Submit(c.fail)
					require.NoError(t, err)
					_, err = f.Get(t.Context())
					c.check(t, err)
				}
				v, err := executor.Schedule(p, 0, func(context.Context) (string, error) { return "alive", nil })
				require.NoError(t, err)
				got, err := v.Get(t.Context())
				require.NoError(t, err)
				assert.Equal(t, "alive", got)
				synctest.Wait()
				assert.Equal(t, 1, p.Stats().Workers, "the pool keeps its size")
				assert.EqualValues(t, 10, p.Stats().Failures)
			})
		})
	}
}

func TestPromise5_ASeriesNeverEndsInSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []executor.Run
		var log bytes.Buffer
		p := executor.NewScheduledPool(1,
			executor.Name("prices"),
			executor.Logger(slog.New(slog.NewTextHandler(&log, nil))),
			executor.ErrorHandler(func(_ context.Context, run executor.Run, err error) { told = append(told, run) }))
		defer p.Close()
		broken := errors.New("broken")
		runs := 0
		f, err := p.AtFixedRate(time.Second, time.Second, func(context.Context) error {
			if runs++; runs == 3 {
				panic(broken)
			}
			return nil
		}, executor.Name("fetch"))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, broken)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, 3, runs)
		require.Len(t, told, 1)
		assert.Equal(t, "fetch", told[0].Name)
		assert.EqualValues(t, 3, told[0].Number)
		assert.Equal(t, 1, strings.Count(log.String(), "\n"), "one record:\n%s", log.String())
		assert.Contains(t, log.String(), "broken")
	})
}

func TestPromise5_ASeriesOutlivesAReturnedErrorAndATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		p := executor.NewScheduledPool(1, executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
			told = append(told, err)
		}))
		defer p.Close()
		broken := errors.New("broken")
		f, err := p.AtFixedRate(0, time.Minute, func(ctx context.Context) error {
			switch run, _ := executor.RunFrom(ctx); run.Number {
			case 1:
				return broken
			case 2:
				<-ctx.Done()
			}
			return nil
		}, executor.Timeout(time.Second))
		require.NoError(t, err)
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		assert.EqualValues(t, 61, f.Runs())
		require.Len(t, told, 2)
		assert.ErrorIs(t, told[0], broken)
		assert.ErrorIs(t, told[1], future.ErrTimeout)
	})
}

func TestPromise6_CancelledMeansGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		ran := 0
		var fs []*executor.ScheduledFuture[struct{}]
		for i := range 1000 {
			f, err := p.Schedule(time.Duration(i+1)*time.Second, func(context.Context) error { ran++; return nil })
			require.NoError(t, err)
			fs = append(fs, f)
		}
		rand.Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
		for i, f := range fs {
			assert.True(t, f.Cancel())
			assert.Equal(t, len(fs)-i-1, p.Stats().Queued)
			assert.False(t, f.Cancel(), "only one call wins")
		}
		time.Sleep(time.Hour)
		assert.Zero(t, ran)
	})
}

func TestPromise6_B23_ACancelledTaskIsCollected(t *testing.T) {
	p := executor.NewScheduledPool(1)
	defer p.Close()
	collected := make(chan struct{})
	func() {
		big := new([1 << 20]byte)
		runtime.AddCleanup(big, func(c chan struct{}) { close(c) }, collected)
		f, err := p.Schedule(time.Hour, func(context.Context) error { big[0]++; return nil })
		require.NoError(t, err)
		f.Cancel()
	}()
	for {
		runtime.GC()
		select {
		case <-collected:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func TestPromise7_ShutdownEndsFromAnywhereAnyNumberOfTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2)
		f, err := p.Submit(func(context.Context) error {
			p.Shutdown()
			p.Shutdown()
			return nil
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.AwaitTermination(t.Context()))
		p.Shutdown()
		assert.Empty(t, p.ShutdownNow())
		require.NoError(t, p.Close())
	})
}

func TestPromise7_ShutdownReportsWhatNeverStartedAndWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		release := make(chan struct{})
		_, err := p.Submit(func(context.Context) error { <-release; return nil }, executor.Name("stubborn"))
		require.NoError(t, err)
		_, err = p.Submit(pooltest.Nothing, executor.Name("waits its turn"))
		require.NoError(t, err)
		_, err = p.Schedule(time.Hour, pooltest.Nothing, executor.Name("far away"))
		require.NoError(t, err)
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		report, err := p.CloseContext(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, report.Dropped, 2)
		assert.Equal(t, "waits its turn", report.Dropped[0].Name, "dropped when time was up")
		assert.Equal(t, "far away", report.Dropped[1].Name, "dropped at once")
		require.Len(t, report.Running, 1)
		assert.Equal(t, "stubborn", report.Running[0].Name)
		assert.Equal(t, time.Minute, report.Running[0].For)

		close(release)
		<-p.Terminated()
	})
}

func TestPromise9_B21_PendingLimitRefusesWithATypedError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.PendingLimit(2))
		defer p.Close()
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		_, err = p.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		_, err = p.Schedule(time.Hour, pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.ErrorIs(t, err, executor.ErrRejected)
		assert.EqualValues(t, 1, p.Stats().Rejected)
		f.Cancel()
		_, err = p.Schedule(time.Hour, pooltest.Nothing)
		assert.NoError(t, err, "the next good call works")
	})
}

func TestPromise10_APanicIsNeverSilent(t *testing.T) {
	for name, body := range map[string]executor.Task{
		"panic":  func(context.Context) error { panic("ouch") },
		"Goexit": func(context.Context) error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				p := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.NewTextHandler(&log, nil))))
				_, err := p.Schedule(time.Minute, body) // and the future is dropped
				require.NoError(t, err)
				time.Sleep(time.Hour)
				require.NoError(t, p.Close())
				assert.Equal(t, 1, strings.Count(log.String(), "level=ERROR"), log.String())
			})
		})
	}
}

func TestPromise10_ARunThatNeverReturnsIsToldAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var told []time.Duration
		p := executor.NewScheduledPool(1, executor.ErrorHandler(func(context.Context, executor.Run, error) {
			told = append(told, time.Since(start))
		}))
		defer p.Close()
		release := make(chan struct{})
		defer close(release)
		stuck := func(context.Context) error { <-release; return nil }
		_, err := p.AtFixedRate(0, time.Minute, stuck, executor.Timeout(time.Second))
		require.NoError(t, err)
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		assert.Equal(t, []time.Duration{time.Second}, told)
		assert.EqualValues(t, 1, p.Stats().Failures)
	})
}
