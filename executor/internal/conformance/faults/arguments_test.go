package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
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
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file are about arguments: group A of the fault table.

// faNote is a task as Java has them: a value with a method.
type faNote struct{ runs int }

func (n *faNote) run(context.Context) error {
	n.runs++
	return nil
}

func TestA2_AMethodOfANilPointerIsATaskWhosePanicIsContained(t *testing.T) {
	for name, submit := range pooltest.Submissions(0) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				var task interface {
					run(ctx context.Context) error
				} = (*faNote)(nil) // an interface that is not nil, of a pointer that is
				require.NoError(t, submit(p, task.run))
				synctest.Wait()
				s := p.Stats()
				assert.Equal(t, []uint64{1, 1, 1}, []uint64{s.Accepted, s.Failures, s.Completed})
				f := pooltest.Submit(t, p, task.run)
				_, err := f.Get(t.Context())
				var fault runtime.Error
				assert.ErrorAs(t, err, &fault)
				good := new(faNote)
				pooltest.Submit(t, p, good.run)
				synctest.Wait()
				assert.Equal(t, 1, good.runs)
				assert.Equal(t, 1, p.Stats().Workers)
			})
		})
	}
}

func TestA3_ASeriesWithANegativeInitialDelayBeginsNowInOrderOfSubmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, 0, tr.Task("a"))
		pooltest.AtFixedRate(t, p, -1, time.Hour, tr.Task("b"))
		pooltest.WithFixedDelay(t, p, shortest, time.Hour, tr.Task("c"))
		pooltest.Schedule(t, p, -time.Hour, tr.Task("d"))
		synctest.Wait()
		assert.Equal(t, []string{"a 0s", "b 0s", "c 0s", "d 0s"}, tr.Seen())
	})
}

// faNanoseconds are the ways to repeat a task every nanosecond, and when a task that is due at 50
// ns gets its turn beside such a series whose runs take 10 ns each.
var faNanoseconds = map[string]struct {
	repeat func(p *executor.ScheduledPool, task executor.Task) (*executor.ScheduledFuture[struct{}], error)
	turn   time.Duration
}{
	// The fifth run ends at 54, and the next is planned for 55.
	"fixed delay": {func(p *executor.ScheduledPool, task executor.Task) (*executor.ScheduledFuture[struct{}], error) {
		return p.WithFixedDelay(0, 1, task)
	}, 54},
	"skip": {faEveryNanosecond(executor.Skip), 50},
	// At 50 the run for 41 and what has passed since is owed; the one after it is planned for 51.
	"coalesce": {faEveryNanosecond(executor.Coalesce), 60},
	// The runs that are owed for 0 to 49 come first, as they were due before.
	"burst": {faEveryNanosecond(executor.Burst), 500},
}

func faEveryNanosecond(policy executor.CatchUpPolicy) func(*executor.ScheduledPool, executor.Task) (*executor.ScheduledFuture[struct{}], error) {
	return func(p *executor.ScheduledPool, task executor.Task) (*executor.ScheduledFuture[struct{}], error) {
		return p.AtFixedRate(0, 1, task, executor.CatchUp(policy))
	}
}

func TestA8_ASeriesOfANanosecondLeavesOthersTheirTurn(t *testing.T) {
	for name, c := range faNanoseconds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				tr := pooltest.NewTrace()
				f, err := c.repeat(p, pooltest.Sleep(10))
				require.NoError(t, err)
				pooltest.Schedule(t, p, 50, tr.Task("other"))
				probe.Elapse(time.Microsecond)
				assert.Equal(t, []string{"other " + c.turn.String()}, tr.Seen())
				assert.True(t, f.Cancel())
			})
		})
	}
}

func TestA8_RunsOfASeriesOfANanosecondDoNotOverlap(t *testing.T) {
	for name, c := range faNanoseconds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 4)
				inside, most := 0, 0 // of runs that follow each other, so without a lock
				f, err := c.repeat(p, func(context.Context) error {
					inside++
					most = max(most, inside)
					time.Sleep(10)
					inside--
					return nil
				})
				require.NoError(t, err)
				probe.Elapse(1095)
				assert.True(t, f.Cancel())
				<-f.Stopped()
				assert.Equal(t, 1, most)
				want := map[string]uint64{"fixed delay": 100}[name] // 11 ns from start to start
				if want == 0 {
					want = 110
				}
				assert.Equal(t, want, f.Runs())
			})
		})
	}
}

func TestA8_ASeriesOfANanosecondIsExactIfItsRunsTakeNoTime(t *testing.T) {
	for name, c := range faNanoseconds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				tr := pooltest.NewTrace()
				f, err := c.repeat(p, pooltest.Nothing)
				require.NoError(t, err)
				pooltest.Schedule(t, p, 50, tr.Task("other"))
				probe.Elapse(100)
				assert.Equal(t, []string{"other 50ns"}, tr.Seen())
				assert.EqualValues(t, 101, f.Runs())
				assert.True(t, f.Cancel())
			})
		})
	}
}

// faRefusedAtConstruction asserts that each of these panics with a text of this package. In a
// bubble, which would not end if any goroutine were left behind.
func faRefusedAtConstruction(t *testing.T, builds map[string]func()) {
	t.Helper()
	for name, build := range builds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer func() {
					text, _ := recover().(string)
					assert.True(t, strings.HasPrefix(text, "executor: "), "panic %q", text)
				}()
				build()
			})
		})
	}
}

func TestA10_ASizeBelowTheLeastPanics(t *testing.T) {
	faRefusedAtConstruction(t, map[string]func(){
		"plain, -1":             func() { executor.NewPool(-1) },
		"plain, least int":      func() { executor.NewPool(math.MinInt) },
		"scheduled, -1":         func() { executor.NewScheduledPool(-1) },
		"scheduled, least int":  func() { executor.NewScheduledPool(math.MinInt) },
		"confined, 0":           func() { executor.NewPool(0, executor.Confined()) },
		"maximum, 0":            func() { executor.NewPool(0, executor.MaximumSize(0)) },
		"maximum, -1":           func() { executor.NewPool(0, executor.MaximumSize(-1)) },
		"maximum, least int":    func() { executor.NewPool(0, executor.MaximumSize(math.MinInt)) },
		"pending limit, 0":      func() { executor.NewPool(1, executor.PendingLimit(0)) },
		"pending limit, -1":     func() { executor.NewScheduledPool(1, executor.PendingLimit(-1)) },
		"keep-alive, -1":        func() { executor.NewPool(1, executor.KeepAlive(-1)) },
		"keep-alive, least int": func() { executor.NewPool(1, executor.KeepAlive(shortest)) },
	})
}

func TestA10_TheLargestPoolIsMadeOfAsMuchAsTheSmallest(t *testing.T) {
	for name, build := range map[string]func(n int){
		"plain":     func(n int) { executor.NewPool(n) },
		"scheduled": func(n int) { executor.NewScheduledPool(n) },
		"maximum":   func(n int) { executor.NewPool(0, executor.Queue(queue.HandOff()), executor.MaximumSize(n)) },
		"pending":   func(n int) { executor.NewPool(1, executor.PendingLimit(n)) },
		"queue":     func(n int) { executor.NewPool(1, executor.Queue(queue.Bounded(n))) },
		"priority":  func(n int) { executor.NewPool(1, executor.Queue(queue.Priority().Bounded(n))) },
	} {
		small := testing.AllocsPerRun(100, func() { build(1) })
		for _, n := range []int{math.MaxInt32, math.MaxInt - 1, math.MaxInt} {
			assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { build(n) }), small, "%s of %d", name, n)
		}
	}
}

func TestA10_APoolOfSizeZeroRunsItsTasksOneAtATime(t *testing.T) {
	pools := map[string]*executor.Pool{}
	synctest.Test(t, func(t *testing.T) {
		scheduled := pooltest.NewScheduledPool(t, 0)
		pools["plain"], pools["scheduled"] = pooltest.NewPool(t, 0), &scheduled.Pool
		for name, p := range pools {
			start := time.Now()
			pooltest.Fill(t, p, 3, pooltest.Pause(time.Second))
			time.Sleep(time.Hour)
			s := p.Stats()
			assert.EqualValues(t, 3, s.Completed, name)
			assert.Equal(t, []int{1, 0}, []int{s.Largest, s.Workers}, name)
			assert.Equal(t, time.Hour, time.Since(start), name)
		}
	})
}

func TestA11_AQueueHoldsAsManyAsItsBoundSays(t *testing.T) {
	kinds := map[string]func(n int) queue.Queue{
		"FIFO":     queue.Bounded,
		"priority": func(n int) queue.Queue { return queue.Priority().Bounded(n) },
		"custom": func(n int) queue.Queue {
			return queue.Custom(queue.FIFO().New).Bounded(n)
		},
	}
	for kind, q := range kinds {
		for _, n := range []int{0, 1, 2, math.MaxInt - 1, math.MaxInt} {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(q(n)))
				gate := pooltest.NewGate(t)
				pooltest.Fill(t, p, 1, gate.Hold)
				waiting := min(n, 1000)
				pooltest.Fill(t, p, waiting, gate.Hold)
				err := p.Execute(gate.Hold)
				if n < 1000 {
					assert.ErrorIs(t, err, executor.ErrSaturated, "%s of %d", kind, n)
				} else {
					assert.NoError(t, err, "%s of %d", kind, n)
					waiting++
				}
				s := p.Stats()
				assert.Equal(t, []int{1, 1, waiting}, []int{s.Workers, s.Busy, s.Queued}, "%s of %d", kind, n)
				gate.Open()
				synctest.Wait()
				assert.EqualValues(t, waiting+1, p.Stats().Completed, "%s of %d", kind, n)
			})
		}
	}
}

func TestA13_NoContextIsOneThatNeverEnds(t *testing.T) {
	one := func(context.Context) (int, error) { return 1, nil }
	for name, call := range map[string]func(p *executor.Pool) error{
		"SubmitContext":       func(p *executor.Pool) error { _, err := p.SubmitContext(noContext, pooltest.Nothing); return err },
		"typed SubmitContext": func(p *executor.Pool) error { _, err := executor.SubmitContext(noContext, p, one); return err },
		"serial SubmitContext": func(p *executor.Pool) error {
			_, err := serial.New(p).SubmitContext(noContext, pooltest.Nothing)
			return err
		},
		"keyed SubmitContext": func(p *executor.Pool) error {
			_, err := serial.NewKeyed[int](p).SubmitContext(noContext, 7, pooltest.Nothing)
			return err
		},
		"InvokeAll": func(p *executor.Pool) error { _, err := executor.InvokeAll(noContext, p, one, one); return err },
		"InvokeAny": func(p *executor.Pool) error { _, err := executor.InvokeAny(noContext, p, one, one); return err },
		"Group": func(p *executor.Pool) error {
			g := bulk.NewGroup(noContext, p)
			return errors.Join(g.Go(pooltest.Nothing), g.Wait())
		},
		"completion service": func(p *executor.Pool) error {
			s := bulk.NewCompletionService[int](p)
			_, err := s.Submit(one)
			_, second := s.Submit(one)
			_, taken := s.Take(noContext)
			left := 0
			for range s.All(noContext) {
				left++
			}
			if left != 1 {
				return fmt.Errorf("%d results are left, not one", left)
			}
			return errors.Join(err, second, taken)
		},
		"Get": func(p *executor.Pool) error {
			f, err := p.Submit(pooltest.Pause(time.Hour))
			if err != nil {
				return err
			}
			_, err = f.Get(noContext)
			return err
		},
		"the futures of package future": func(p *executor.Pool) error {
			f, err := executor.Submit(p, one)
			_, all := future.All(noContext, f, f)
			_, some := future.Any(noContext, f, f)
			return errors.Join(err, all, some)
		},
		"CloseContext":     func(p *executor.Pool) error { _, err := p.CloseContext(noContext); return err },
		"AwaitTermination": func(p *executor.Pool) error { p.Shutdown(); return p.AwaitTermination(noContext) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1)
				pooltest.Fill(t, p, 1, pooltest.Pause(time.Hour)) // so that there is something to wait for
				assert.NoError(t, call(p))
				assert.Zero(t, p.Stats().Failures)
			})
		})
	}
}

func TestA14_WithAnEndedContextNothingIsQueued(t *testing.T) {
	one := func(context.Context) (int, error) { return 1, nil }
	for name, call := range map[string]func(ctx context.Context, p *executor.Pool) error{
		"SubmitContext": func(ctx context.Context, p *executor.Pool) error {
			_, err := p.SubmitContext(ctx, pooltest.Nothing)
			return err
		},
		"typed SubmitContext": func(ctx context.Context, p *executor.Pool) error {
			_, err := executor.SubmitContext(ctx, p, one)
			return err
		},
		"serial SubmitContext": func(ctx context.Context, p *executor.Pool) error {
			_, err := serial.New(p).SubmitContext(ctx, pooltest.Nothing)
			return err
		},
		"keyed SubmitContext": func(ctx context.Context, p *executor.Pool) error {
			_, err := serial.NewKeyed[int](p).SubmitContext(ctx, 7, pooltest.Nothing)
			return err
		},
		"InvokeAll": func(ctx context.Context, p *executor.Pool) error {
			_, err := executor.InvokeAll(ctx, p, one)
			return err
		},
		"InvokeAny": func(ctx context.Context, p *executor.Pool) error {
			_, err := executor.InvokeAny(ctx, p, one)
			return err
		},
		"Group.Go": func(ctx context.Context, p *executor.Pool) error {
			return bulk.NewGroup(ctx, p).Go(pooltest.Nothing)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1)
				cancelled, cancel := context.WithCancelCause(t.Context())
				cancel(pooltest.ErrTask)
				overdue, release := context.WithDeadline(t.Context(), time.Now())
				defer release()
				assert.ErrorIs(t, call(cancelled, p), context.Canceled)
				assert.ErrorIs(t, call(cancelled, p), pooltest.ErrTask)
				assert.ErrorIs(t, call(overdue, p), context.DeadlineExceeded)
				synctest.Wait()
				s := p.Stats()
				assert.Equal(t, []uint64{0, 0}, []uint64{s.Accepted, s.Runs})
				assert.Zero(t, s.Workers)
				assert.NoError(t, call(t.Context(), p), "the next good one works")
			})
		})
	}
}

func TestA19_ANameIsTakenAsItIs(t *testing.T) {
	for what, name := range map[string]string{
		"empty": "", "a mebibyte": strings.Repeat("x", 1<<20), "not UTF-8": "a\xff\xfe\nb\x00\"",
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer // of one worker
				p := executor.NewScheduledPool(1, executor.Name(name), executor.Logger(slog.New(slog.NewTextHandler(&log, nil))))
				series := pooltest.AtFixedRate(t, p, time.Second, time.Hour, func(ctx context.Context) error {
					run, _ := executor.RunFrom(ctx)
					assert.Equal(t, name, run.Name)
					assert.Equal(t, name, p.Running()[0].Name)
					for _, label := range []string{"pool", "task"} {
						got, ok := pprof.Label(ctx, label)
						assert.Equal(t, name, got)
						assert.Equal(t, name != "", ok)
					}
					return pooltest.ErrTask
				}, executor.Name(name), executor.FailurePolicy(executor.StopSeries))
				assert.Equal(t, []string{name}, pooltest.Names(p.Queued()))
				probe.Elapse(time.Second)
				assert.ErrorIs(t, pooltest.Outcome(t, series.Future), pooltest.ErrTask)
				assert.Equal(t, name, p.Stats().Name)
				assert.Contains(t, p.String(), strconv.Quote(name))
				assert.Equal(t, 1, strings.Count(log.String(), "\n"), "one record is one line, whatever is in the name")
				pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name(name))
				assert.Equal(t, []string{name}, pooltest.Names(p.ShutdownNow()))
				require.NoError(t, p.Close())
			})
		})
	}
}

func TestA20_OfAPoolOptionGivenTwiceTheLastCountsButFunctionsAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := pooltest.NewTrace()
		hook := func(name string) func(context.Context, executor.Run) {
			return func(context.Context, executor.Run) { tr.Mark(name) }
		}
		after := func(name string) func(context.Context, executor.Run, error) {
			return func(context.Context, executor.Run, error) { tr.Mark(name) }
		}
		decorate := func(name string) func(executor.Task) executor.Task {
			return func(task executor.Task) executor.Task { tr.Mark(name); return task }
		}
		p := executor.NewPool(1,
			executor.Name("first"), executor.Name("last"),
			executor.MaximumSize(7), executor.MaximumSize(1),
			executor.KeepAlive(time.Hour), executor.KeepAlive(time.Minute),
			executor.Queue(queue.Priority()), executor.Queue(queue.Bounded(5)), executor.Queue(queue.Bounded(1)),
			executor.OnRejection(rejection.CallerRuns), executor.OnRejection(rejection.Abort),
			executor.BeforeRun(hook("first")), executor.BeforeRun(hook("before")),
			executor.AfterRun(after("first")), executor.AfterRun(nil),
			executor.ErrorHandler(after("first")), executor.ErrorHandler(after("told")),
			executor.Decorate(decorate("first")), executor.Decorate(decorate("decorated")),
			executor.AfterTermination(func() { tr.Mark("first") }), executor.AfterTermination(func() { tr.Mark("terminated") }),
			executor.BaseContext(context.WithValue(t.Context(), faKey{}, "first")), executor.BaseContext(context.WithValue(t.Context(), faKey{}, "last")),
		)
		require.NoError(t, p.Execute(func(ctx context.Context) error {
			time.Sleep(time.Second)
			tr.Mark(ctx.Value(faKey{}).(string))
			return pooltest.ErrTask
		}))
		synctest.Wait()
		require.NoError(t, p.Execute(pooltest.Nothing))
		assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrSaturated)
		s := p.Stats()
		assert.Equal(t, "last", s.Name)
		assert.Equal(t, 1, s.Maximum)
		assert.Equal(t, time.Minute, s.KeepAlive)
		require.NoError(t, p.Close())
		assert.Equal(t, []string{
			"first 0s", "decorated 0s", "first 0s", "before 0s",
			"first 0s", "decorated 0s", "first 0s", "decorated 0s",
			"last 1s", "first 1s", "told 1s", "first 1s",
			"first 1s", "before 1s", "first 1s",
			"first 1s", "terminated 1s",
		}, tr.Seen())
	})
}

// faKey is the key of a value in a context.
type faKey struct{}

func TestA20_OfATaskOptionGivenTwiceTheLastCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Second, func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			limit, _ := ctx.Deadline()
			assert.Equal(t, "last", run.Name)
			assert.Equal(t, time.Now().Add(time.Minute), limit)
			return pooltest.ErrTask
		}, executor.Name("first"), executor.Name("last"), executor.MaxRuns(9), executor.MaxRuns(3),
			executor.Timeout(time.Hour), executor.Timeout(time.Minute), executor.Jitter(time.Second), executor.Jitter(0),
			executor.FailurePolicy(executor.StopSeries), executor.FailurePolicy(executor.Continue))
		probe.Elapse(time.Hour)
		assert.EqualValues(t, 3, f.Runs())
		assert.Equal(t, future.Succeeded, f.State())
		_, err := p.Submit(pooltest.Nothing, executor.MaxRuns(0), executor.MaxRuns(1))
		assert.ErrorIs(t, err, executor.ErrInvalid, "a bad one is not made good")
	})
}

func TestA20_PoolOptionsThatContradictEachOtherPanicAndLeaveNothing(t *testing.T) {
	faRefusedAtConstruction(t, map[string]func(){
		"core above maximum":               func() { executor.NewPool(3, executor.MaximumSize(2)) },
		"core above the last maximum":      func() { executor.NewScheduledPool(3, executor.MaximumSize(4), executor.MaximumSize(2)) },
		"core timeout without keep-alive":  func() { executor.NewPool(1, executor.CoreTimeout(), executor.KeepAlive(0)) },
		"keep-alive 0 before core timeout": func() { executor.NewScheduledPool(1, executor.KeepAlive(0), executor.CoreTimeout()) },
		"a queue for a scheduled pool":     func() { executor.NewScheduledPool(1, executor.Queue(queue.FIFO())) },
		"a queue that nothing makes":       func() { executor.NewPool(1, executor.Queue(queue.Queue{})) },
		"a queue made of nothing":          func() { executor.NewPool(1, executor.Queue(queue.Custom(func() queue.WorkQueue { return nil }))) },
		"a good option and none":           func() { executor.NewPool(1, executor.AfterTermination(func() {}), nil) },
	})
}

func TestA20_AJitterAboveThePeriodIsRefusedWhateverTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		refused(t, p, executor.ErrInvalid, func() error {
			_, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.Jitter(time.Second+1), executor.CatchUp(executor.Skip))
			return err
		})
		f := pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Nothing, executor.Jitter(time.Second))
		assert.True(t, f.Cancel(), "up to the period it may be")
	})
}
