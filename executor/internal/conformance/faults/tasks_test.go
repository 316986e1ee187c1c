package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file are about what tasks do: group B of the fault table.

// faPanics are ways to panic, each with what the error of the future must be good for.
var faPanics = map[string]struct {
	panics func()
	check  func(t *testing.T, err error)
}{
	"value": {func() { panic(42) }, func(t *testing.T, err error) {
		assert.Equal(t, 42, faPanicOf(t, err).Value)
		assert.NoError(t, faPanicOf(t, err).Unwrap())
	}},
	"error": {func() { panic(fmt.Errorf("wrapped: %w", &fs.PathError{Op: "open", Path: "x", Err: pooltest.ErrTask})) }, func(t *testing.T, err error) {
		var path *fs.PathError
		require.ErrorAs(t, err, &path)
		assert.Equal(t, "x", path.Path)
		assert.ErrorIs(t, err, pooltest.ErrTask)
	}},
	"nil map":      {func() { faNilMap()["x"] = 1 }, faRuntimeError("nil map")},
	"index":        {func() { var s []int; _ = s[len(s)] }, faRuntimeError("out of range")},
	"divide":       {func() { zero := 0; _ = 1 / zero }, faRuntimeError("divide by zero")},
	"nil pointer":  {func() { var n *faNote; n.runs++ }, faRuntimeError("nil pointer")},
	"wrong type":   {func() { var v any = 1; _ = v.(string) }, faRuntimeError("interface conversion")},
	"closed twice": {func() { c := make(chan int); close(c); close(c) }, faRuntimeError("close of closed channel")},
}

func faPanicOf(t *testing.T, err error) *future.PanicError {
	t.Helper()
	var p *future.PanicError
	ok := errors.As(err, &p)
	require.True(t, ok, "%v is no panic", err)
	return p
}

func faRuntimeError(text string) func(t *testing.T, err error) {
	return func(t *testing.T, err error) {
		var fault runtime.Error
		require.ErrorAs(t, err, &fault)
		assert.ErrorContains(t, fault, text)
	}
}

func TestB_1_APanicIsTheErrorOfTheFutureWithValueAndStack(t *testing.T) {
	for name, c := range faPanics {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				body := func(context.Context) (int, error) { c.panics(); return 7, nil }
				once, err := executor.Submit(p, body)
				require.NoError(t, err)
				later, err := executor.Schedule(p, time.Second, body)
				require.NoError(t, err)
				for _, f := range []*future.Future[int]{once, later.Future} {
					v, err := f.Get(t.Context())
					assert.Zero(t, v)
					c.check(t, err)
					assert.Contains(t, string(faPanicOf(t, err).Stack), "faults_test.init", "where it came from")
				}
				series := pooltest.AtFixedRate(t, p, 0, time.Second, func(context.Context) error { c.panics(); return nil })
				_, err = series.Get(t.Context())
				c.check(t, err)
				probe.Elapse(time.Minute)
				s := p.Stats()
				assert.Equal(t, []uint64{3, 3, 3}, []uint64{s.Runs, s.Failures, s.Completed})
				assert.Equal(t, []int{1, 1}, []int{s.Workers, s.Largest})
			})
		})
	}
}

func TestB_2_APanicWithNilIsNoSuccessHoweverTheTaskCame(t *testing.T) {
	for name, submit := range pooltest.Submissions(0) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ends []error
				p := pooltest.NewScheduledPool(t, 1, executor.AfterRun(func(_ context.Context, _ executor.Run, err error) { ends = append(ends, err) }))
				require.NoError(t, submit(p, func(context.Context) error { panic(nil) }))
				probe.Elapse(24 * time.Hour)
				require.Len(t, ends, 1)
				var asNil *runtime.PanicNilError
				assert.ErrorAs(t, ends[0], &asNil)
				assert.EqualValues(t, 1, p.Stats().Failures)
			})
		})
	}
}

// faExits are ways to end the goroutine of a task.
var faExits = map[string]func(){
	"Goexit":  runtime.Goexit,
	"FailNow": func() { new(testing.T).FailNow() },
	"SkipNow": func() { new(testing.T).SkipNow() },
	"deep inside": func() {
		defer func() { _ = recover() }() // it is no panic
		func() { defer runtime.Goexit() }()
	},
}

func TestB_3_ATaskThatEndsItsGoroutineCostsThePoolNothing(t *testing.T) {
	for exit, exits := range faExits {
		for name, submit := range pooltest.Submissions(0) {
			t.Run(exit+" by "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var ends []error
					p := pooltest.NewScheduledPool(t, 1, executor.AfterRun(func(_ context.Context, _ executor.Run, err error) { ends = append(ends, err) }))
					require.NoError(t, submit(p, func(context.Context) error { exits(); return nil }))
					next := pooltest.Submit(t, p, pooltest.Nothing)
					synctest.Wait()
					assert.NoError(t, pooltest.Outcome(t, next))
					assert.Equal(t, []error{future.ErrGoexit, nil}, ends)
					s := p.Stats()
					assert.Equal(t, []int{1, 1, 0}, []int{s.Workers, s.Largest, s.Busy})
					assert.Equal(t, []uint64{2, 1}, []uint64{s.Completed, s.Failures})
					require.NoError(t, p.Close())
					assert.Zero(t, p.Stats().Workers)
				})
			})
		}
	}
}

func TestB_4_TasksThatFailTakeAsLongAsThoseThatDoNot(t *testing.T) {
	for name, fault := range map[string]func(){
		"none": func() {}, "panic": func() { panic("no") }, "Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 4)
				start := time.Now()
				for range 2000 {
					require.NoError(t, p.Execute(func(context.Context) error {
						time.Sleep(time.Millisecond)
						fault()
						return nil
					}))
				}
				synctest.Wait()
				assert.Equal(t, 4, pooltest.Goroutines(), "at the beginning")
				time.Sleep(500*time.Millisecond - 1)
				assert.Equal(t, 4, pooltest.Goroutines(), "before the end")
				assert.EqualValues(t, 1996, p.Stats().Completed)
				probe.Elapse(1)
				s := p.Stats()
				assert.EqualValues(t, 2000, s.Completed)
				assert.Equal(t, 500*time.Millisecond, time.Since(start))
				assert.Equal(t, []int{4, 4, 0}, []int{s.Workers, s.Largest, s.Busy})
				assert.Equal(t, 4, pooltest.Goroutines(), "at the end")
			})
		})
	}
}

func TestB_5_AValueWithAnErrorIsDeliveredWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		both := func(context.Context) (int, error) { return 3, pooltest.ErrTask }
		submitted, err := executor.Submit(p, both)
		require.NoError(t, err)
		scheduled, err := executor.Schedule(p, time.Second, both)
		require.NoError(t, err)
		for _, f := range []*future.Future[int]{submitted, scheduled.Future} {
			v, err := f.Get(t.Context())
			assert.Equal(t, 3, v)
			assert.Equal(t, pooltest.ErrTask, err, "the error wins")
			assert.Equal(t, future.StateFailed, f.State())
		}
		_, err = future.All(t.Context(), submitted)
		assert.Equal(t, pooltest.ErrTask, err)
	})
}

func TestB_6_B_7_CloseGivesUpOnTasksThatNeverReturnAndNamesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(3)
		gate := pooltest.NewGate(t)
		start := time.Now()
		for i := range 2 {
			_, err := p.Submit(gate.Hold, executor.Name(fmt.Sprintf("deaf %d", i)))
			require.NoError(t, err)
		}
		for range 1000 {
			require.NoError(t, p.Execute(pooltest.Pause(time.Second)))
		}
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1000, p.Stats().Completed, "the other worker goes on")
		assert.Equal(t, 3, pooltest.Goroutines())

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		report, err := p.CloseContext(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Hour+time.Minute, time.Since(start))
		var names []string
		for _, r := range report.Running {
			names = append(names, r.Name)
			assert.Equal(t, time.Hour+time.Minute, r.For)
		}
		assert.ElementsMatch(t, []string{"deaf 0", "deaf 1"}, names)
		synctest.Wait()
		assert.Equal(t, 2, pooltest.Goroutines(), "all that is left is what cannot be stopped")
		gate.Open()
		<-p.Terminated()
	})
}

func TestB_7_CancelDoesNotWaitForABodyThatIgnoresIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		deaf := pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Sleep(time.Hour))
		synctest.Wait()
		start := time.Now()
		assert.True(t, deaf.Cancel())
		assert.False(t, deaf.Cancel())
		_, err := deaf.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrCancelled)
		assert.Zero(t, time.Since(start))
		assert.Equal(t, 1, p.Stats().Busy)
		<-deaf.Stopped()
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestB_8_WhileAllWorkersAreBlockedTasksWaitAndThePoolTellsSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		gate := pooltest.NewGate(t)
		for range 2 {
			pooltest.Submit(t, p, gate.Hold, executor.Name("blocked"))
		}
		synctest.Wait()
		tr := pooltest.NewTrace()
		for i := range 5 {
			pooltest.Schedule(t, p, time.Duration(5-i)*time.Second, tr.Task(fmt.Sprint(5-i)))
		}
		series := pooltest.AtFixedRate(t, p, 0, time.Minute, pooltest.Nothing, executor.CatchUp(executor.Skip))
		probe.Elapse(time.Hour - 1)
		s := p.Stats()
		assert.Equal(t, []int{2, 2, 6}, []int{s.Workers, s.Busy, s.Queued})
		require.Len(t, p.Running(), 2)
		for _, r := range p.Running() {
			assert.Equal(t, "blocked", r.Name)
			assert.Equal(t, time.Hour-1, r.For)
		}
		assert.Empty(t, tr.Seen())
		assert.Equal(t, -time.Hour+1, series.Delay(), "overdue")
		time.Sleep(1)
		require.NoError(t, p.SetCoreSize(3)) // a way out
		synctest.Wait()
		assert.Equal(t, []string{"1 1h0m0s", "2 1h0m0s", "3 1h0m0s", "4 1h0m0s", "5 1h0m0s"}, tr.Seen(), "late, and none lost")
		assert.EqualValues(t, 1, series.Runs())
	})
}

func TestB_8_WhileAllWorkersAreBlockedABoundedPoolRefusesAsItsPolicySays(t *testing.T) {
	for name, policy := range map[string]rejection.Policy{
		"abort": rejection.Abort, "discard": rejection.Discard, "discard oldest": rejection.DiscardOldest,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := pooltest.NewFull(t, executor.OnRejection(policy))
				for range 1000 {
					err := s.Execute(pooltest.Nothing)
					assert.Equal(t, name == "abort", errors.Is(err, executor.ErrSaturated))
				}
				st := s.Stats()
				assert.Equal(t, []int{1, 1, 1}, []int{st.Workers, st.Busy, st.Queued}, "nothing grows")
				assert.EqualValues(t, 1000, st.Rejected+st.Returned)
			})
		})
	}
}

func TestB_9_OfATaskThatLeavesAGoroutineBehindOnlyThatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, p := range []*executor.Pool{executor.NewPool(2), &executor.NewScheduledPool(2).Pool} {
			left := make(chan struct{})
			ended := make(chan error, 1)
			f, err := p.Submit(func(ctx context.Context) error {
				go func() {
					<-left
					ended <- context.Cause(ctx) // asked for the first time after the run
				}()
				return nil
			}, executor.Timeout(time.Hour))
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
			require.NoError(t, p.Close())
			synctest.Wait()
			assert.Zero(t, pooltest.Goroutines(), "no goroutine of the pool is left")
			close(left)
			assert.ErrorIs(t, <-ended, context.Canceled)
		}
	})
}

func TestB_10_APanicThatATaskRecoversItselfIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(told.Handle))
		recovers := func(context.Context) (v int, err error) {
			defer func() { v = recover().(int) }()
			panic(7)
		}
		f, err := executor.Submit(p, recovers)
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 7, v)
		series := pooltest.AtFixedRate(t, p, 0, time.Second, func(ctx context.Context) error { _, err := recovers(ctx); return err }, executor.MaxRuns(3))
		_, err = series.Get(t.Context())
		assert.NoError(t, err)
		assert.EqualValues(t, 3, series.Runs())
		require.NoError(t, p.Execute(func(ctx context.Context) error { _, err := recovers(ctx); return err }))
		synctest.Wait()
		assert.Zero(t, p.Stats().Failures)
		assert.Empty(t, told.Told())
	})
}

func TestB_12_ASeriesThatFailsAtARunEndsThereAndTellsItOnce(t *testing.T) {
	stop := map[string][]executor.TaskOption{"error": {executor.FailurePolicy(executor.StopSeries)}}
	for name, fail := range map[string]executor.Task{"error": pooltest.Fail, "panic": pooltest.Panic, "goexit": pooltest.Goexit} {
		for kind, repeat := range map[string]func(*testing.T, *executor.ScheduledPool, time.Duration, time.Duration, executor.Task, ...executor.TaskOption) *executor.ScheduledFuture[struct{}]{
			"fixed rate": pooltest.AtFixedRate, "fixed delay": pooltest.WithFixedDelay,
		} {
			t.Run(name+" at "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var log bytes.Buffer
					var told pooltest.Errors
					p := executor.NewScheduledPool(2, executor.ErrorHandler(told.Handle), executor.Logger(slog.New(slog.NewTextHandler(&log, nil))))
					other := pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Nothing)
					f := repeat(t, p, 0, time.Second, func(ctx context.Context) error {
						if run, _ := executor.RunFrom(ctx); run.Number == 5 {
							return fail(ctx)
						}
						return nil
					}, append(stop[name], executor.Name("series"))...)
					_, err := f.Get(t.Context())
					assert.Error(t, err)
					probe.Elapse(time.Minute)
					assert.EqualValues(t, 5, f.Runs())
					assert.Equal(t, []error{err}, told.Told(), "the handler is called once, with the cause")
					assert.EqualValues(t, 5, told.Runs[0].Number)
					assert.Equal(t, 1, strings.Count(log.String(), "\n"), "one record")
					assert.Contains(t, log.String(), "task=series run=5")
					_, planned := f.Next()
					assert.False(t, planned)
					assert.Equal(t, 1, p.Stats().Queued, "the other series only")
					assert.True(t, other.Cancel())
					require.NoError(t, p.Close())
				})
			})
		}
	}
}

func TestB_14_ADecoratorThatFailsIsTheFaultOfItsSubmitter(t *testing.T) {
	for _, fault := range pooltest.Faults {
		for name, submit := range pooltest.Submissions(0) {
			t.Run(fault.Name+" in "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					bad := true
					p := pooltest.NewScheduledPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
						if bad {
							fault.Do()
						}
						return task
					}))
					returned := faAside(func() { assert.NoError(t, submit(p, pooltest.Nothing)) })
					assert.Equal(t, fault.Name == "fine", returned)
					bad = false
					synctest.Wait()
					accepted := map[bool]uint64{true: 1}[returned]
					assert.Equal(t, accepted, p.Stats().Accepted, "nothing is half accepted")
					pooltest.Submit(t, p, pooltest.Nothing)
					synctest.Wait()
					assert.EqualValues(t, accepted+1, p.Stats().Runs)
				})
			})
		}
	}
}

func TestB_14_APolicyThatFailsIsTheFaultOfItsSubmitterAndHasRefused(t *testing.T) {
	for _, fault := range pooltest.Faults {
		for name, submit := range map[string]func(p *executor.Pool) error{
			"Execute": func(p *executor.Pool) error { return p.Execute(pooltest.Nothing) },
			"Submit":  func(p *executor.Pool) error { _, err := p.Submit(pooltest.Nothing); return err },
			"InvokeAll": func(p *executor.Pool) error {
				_, err := executor.InvokeAll(context.Background(), p, pooltest.Typed(pooltest.Nothing))
				return err
			},
			"completion": func(p *executor.Pool) error {
				_, err := bulk.NewCompletionService[int](p).Submit(pooltest.Typed(pooltest.Nothing))
				return err
			},
			"group": func(p *executor.Pool) error { return bulk.NewGroup(context.Background(), p).Go(pooltest.Nothing) },
		} {
			t.Run(fault.Name+" in "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := pooltest.NewFull(t, executor.OnRejection(func(*rejection.Task) error {
						fault.Do()
						return executor.ErrSaturated
					}))
					returned := faAside(func() { assert.ErrorIs(t, submit(s.Pool), executor.ErrSaturated) })
					assert.Equal(t, fault.Name == "fine", returned)
					assert.EqualValues(t, 1, s.Stats().Rejected)
					s.Gate.Open()
					synctest.Wait()
					assert.EqualValues(t, 2, s.Stats().Completed, "the others are not touched")
					assert.NoError(t, s.Execute(pooltest.Nothing), "and there is room")
				})
			})
		}
	}
}

// faAside calls f on a goroutine of its own and reports whether it has returned. A panic of it is
// swallowed.
func faAside(f func()) (returned bool) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer func() { _ = recover() }()
		f()
		returned = true
	}()
	wg.Wait()
	return returned
}

// faDeaths are faults that Go lets nobody recover, and what is to be seen of them from outside.
var faDeaths = map[string]struct {
	die  func()
	want string
	code int
}{
	"a fatal error of the runtime": {func() { new(sync.Mutex).Unlock() }, "fatal error: sync: unlock of unlocked mutex", 2},
	"a stack overflow": {func() {
		debug.SetMaxStack(1 << 16)
		faSink = faDescend(1 << 30)
	}, "stack overflow", 2},
	"a panic of a goroutine of its own": {func() { go panic("on its own"); select {} }, "panic: on its own", 2},
	"the end of the process":            {func() { os.Exit(7) }, "", 7},
}

var faSink int

func faDescend(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + faDescend(n-1)
}

// What nobody can recover from ends the process, and a pool does not hide that. So this test runs
// itself in other processes.
func TestB_15_WhatCannotBeRecoveredEndsTheProcess(t *testing.T) {
	const child = "PUNCTUAL_TEST_OF_A_DEATH"
	if death, ok := faDeaths[os.Getenv(child)]; ok {
		p := pooltest.NewScheduledPool(t, 1)
		_, _ = p.Submit(func(context.Context) error { death.die(); return nil })
		_ = p.Close()
		return
	}
	for name, death := range faDeaths {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=1m")
		cmd.Env = append(os.Environ(), child+"="+name)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%s: %s", name, out)
		assert.Equal(t, death.code, exit.ExitCode(), "%s: %s", name, out)
		assert.Contains(t, string(out), death.want, name)
	}
}

func TestB_16_WhatABodyHoldsIsFreedWhenItsFutureHasEnded(t *testing.T) {
	for name, submit := range pooltest.Submissions(0) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				var held weak.Pointer[[100 << 20]byte]
				func() {
					load := new([100 << 20]byte) // never written to, so it takes no memory of the machine
					held = weak.Make(load)
					require.NoError(t, submit(p, func(context.Context) error { runtime.KeepAlive(load); panic(pooltest.ErrTask) }))
				}()
				synctest.Wait()
				runtime.GC()
				runtime.GC()
				assert.True(t, held.Value() == nil, "an idle pool holds the memory of its last task")
				assert.EqualValues(t, 1, p.Stats().Completed)
			})
		})
	}
}

func TestB_17_WhatATaskHasWrittenIsSeenAfterItsEnd(t *testing.T) {
	p := pooltest.NewScheduledPool(t, 2) // on the real clock, where the race detector sees all that happens
	defer p.Close()
	for name, wait := range map[string]func(f *future.Future[struct{}]) error{
		"Get":        func(f *future.Future[struct{}]) error { _, err := f.Get(context.Background()); return err },
		"GetTimeout": func(f *future.Future[struct{}]) error { _, err := f.GetTimeout(time.Hour); return err },
		"Done":       func(f *future.Future[struct{}]) error { <-f.Done(); return nil },
		"Stopped":    func(f *future.Future[struct{}]) error { <-f.Stopped(); return nil },
		"Poll": func(f *future.Future[struct{}]) error {
			for {
				if r, ok := f.Poll(); ok {
					return r.Err
				}
				runtime.Gosched()
			}
		},
		"State": func(f *future.Future[struct{}]) error {
			for !f.State().Settled() {
				runtime.Gosched()
			}
			return nil
		},
		"Then": func(f *future.Future[struct{}]) error {
			_, err := future.Then(f, func(struct{}) (int, error) { return 1, nil }).Get(context.Background())
			return err
		},
		"All": func(f *future.Future[struct{}]) error { _, err := future.All(context.Background(), f); return err },
	} {
		for i := range 100 {
			plain := 0
			f, err := p.Submit(func(context.Context) error { plain = i + 1; return nil })
			require.NoError(t, err)
			require.NoError(t, wait(f), name)
			require.Equal(t, i+1, plain, name)
		}
	}
}

func faNilMap() map[string]int { return nil }
