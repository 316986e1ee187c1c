package executor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// laneKinds are the kinds of pools. What there is no room for is refused, whatever the policy.
var laneKinds = map[string]lendMake{
	"plain":     lendPlain,
	"bounded":   lendPlainWith(executor.BoundedFIFO(2), executor.OnRejection(executor.CallerRuns)),
	"hand-off":  lendPlainWith(executor.HandOff(), executor.OnRejection(executor.DiscardOldest)),
	"priority":  lendPlainWith(executor.PriorityFIFO()),
	"scheduled": lendScheduled,
}

func laneEach(t *testing.T, test func(t *testing.T, newPool lendMake)) {
	for kind, newPool := range laneKinds {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newPool) })
		})
	}
}

// laneUnbounded is laneEach for the kinds that have room for all.
func laneUnbounded(t *testing.T, test func(t *testing.T, newPool lendMake)) {
	for _, kind := range []string{"plain", "priority", "scheduled"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, laneKinds[kind]) })
		})
	}
}

// laneTask is a body that takes a while and notes its end.
func laneTask(tr *withTrace, name string, length time.Duration) executor.Task {
	return func(context.Context) error {
		time.Sleep(length)
		tr.mark(name)
		return nil
	}
}

func laneSubmit(t *testing.T, s *executor.Serial, task executor.Task, opts ...executor.TaskOption) *future.Future[struct{}] {
	t.Helper()
	f, err := s.Submit(task, opts...)
	require.NoError(t, err)
	return f
}

func laneRandom() time.Duration { return time.Duration(rand.IntN(1000)) * time.Millisecond }

// The slice is not synchronised: an overlap, or a task that does not see what the last has done, would
// be a data race.
func TestSerialRunsItsTasksInOrderOneAtATime(t *testing.T) {
	const n = 100
	laneEach(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 4)
		s := executor.NewSerial(p)
		var seen, want []int
		for i := range n {
			_, err := s.SubmitContext(t.Context(), func(context.Context) error {
				seen = append(seen, i)
				before := len(seen)
				time.Sleep(laneRandom())
				assert.Len(t, seen, before)
				return nil
			})
			require.NoError(t, err)
			want = append(want, i)
		}
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, want, seen)
		lendAccounted(t, p)
	})
}

func TestSerialKeepsTheOrderOfEachOfManySubmitters(t *testing.T) {
	const submitters, n = 8, 50
	laneEach(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 4)
		s := executor.NewSerial(p)
		seen := make([][]int, submitters)
		total := 0 // not synchronised
		var all sync.WaitGroup
		for who := range submitters {
			all.Go(func() {
				for i := range n {
					_, err := s.SubmitContext(t.Context(), func(context.Context) error {
						seen[who] = append(seen[who], i)
						total++
						return nil
					})
					assert.NoError(t, err)
					time.Sleep(laneRandom())
				}
			})
		}
		all.Wait()
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, submitters*n, total)
		for _, order := range seen {
			assert.Equal(t, laneCountTo(n), order)
		}
	})
}

func laneCountTo(n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, i)
	}
	return numbers
}

func TestSerialRunsExecuteAndSubmitInOneOrder(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		s := executor.NewSerial(newPool(t, 4))
		tr := withNewTrace()
		require.NoError(t, s.Execute(laneTask(tr, "a", time.Second)))
		laneSubmit(t, s, laneTask(tr, "b", time.Second), executor.Name("b"), executor.Priority(1))
		f := lendSubmit(t, s, func(ctx context.Context) (int, error) { return 3, laneTask(tr, "c", time.Second)(ctx) })
		require.NoError(t, s.Execute(laneTask(tr, "d", 0)))
		withPassed(time.Minute)
		assert.Equal(t, []string{"a 1s", "b 2s", "c 3s", "d 3s"}, tr.seen())
		v, err := lendSettled(t, f)
		require.NoError(t, err)
		assert.Equal(t, 3, v)
	})
}

func TestSerialTakesOneWorkerAtATime(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 4)
		s := executor.NewSerial(p)
		for range 10 {
			require.NoError(t, s.Execute(withSleep(time.Second)))
		}
		synctest.Wait()
		stats := p.Stats()
		assert.Equal(t, []int{1, 9}, []int{stats.Busy, stats.Queued})
		start := time.Now()
		_, err := lendSubmit(t, p, lendSeven).Get(t.Context())
		require.NoError(t, err)
		assert.Zero(t, time.Since(start))
	})
}

func TestSerialsTakeTurnsOnAPoolOfOne(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 1)
		tr := withNewTrace()
		a, b := executor.NewSerial(p), executor.NewSerial(p)
		hold := withNewGate(t)
		require.NoError(t, p.Execute(hold.hold))
		for i := range 3 {
			require.NoError(t, a.Execute(tr.task(fmt.Sprint("a", i))))
		}
		for i := range 3 {
			require.NoError(t, b.Execute(tr.task(fmt.Sprint("b", i))))
		}
		require.NoError(t, p.Execute(tr.task("plain")))
		hold.open()
		synctest.Wait()
		assert.Equal(t, []string{"a0 0s", "b0 0s", "plain 0s", "a1 0s", "b1 0s", "a2 0s", "b2 0s"}, tr.seen())
	})
}

func TestSerialGoesOnWithoutACancelledTaskThatWaitsForItsTurn(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 2)
		s := executor.NewSerial(p)
		tr := withNewTrace()
		laneSubmit(t, s, laneTask(tr, "a", time.Second))
		b := laneSubmit(t, s, laneTask(tr, "b", time.Second))
		laneSubmit(t, s, laneTask(tr, "c", time.Second))
		synctest.Wait()
		assert.True(t, b.Cancel())
		assert.Equal(t, 1, p.Stats().Queued)
		withPassed(time.Minute)
		assert.Equal(t, []string{"a 1s", "c 2s"}, tr.seen())
		lendAccounted(t, p)
	})
}

func TestSerialGoesOnWithoutACancelledTaskWhoseTurnItIs(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 1)
		s := executor.NewSerial(p)
		tr := withNewTrace()
		hold := withNewGate(t)
		require.NoError(t, p.Execute(hold.hold))
		a := laneSubmit(t, s, tr.task("a"))
		laneSubmit(t, s, tr.task("b"))
		synctest.Wait()
		assert.True(t, a.Cancel())
		assert.Equal(t, 1, p.Stats().Queued)
		hold.open()
		synctest.Wait()
		assert.Equal(t, []string{"b 0s"}, tr.seen())
		lendAccounted(t, p)
	})
}

// A body that runs on after its future is settled holds up the next task of its serial executor.
func TestSerialRunsTheNextTaskWhenTheBodyOfTheLastHasReturned(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 4)
		s := executor.NewSerial(p)
		tr := withNewTrace()
		cancelled := laneSubmit(t, s, laneTask(tr, "cancelled", time.Minute))
		late := laneSubmit(t, s, laneTask(tr, "late", time.Minute), executor.Timeout(time.Second))
		laneSubmit(t, s, tr.task("next"))
		synctest.Wait()
		assert.True(t, cancelled.Cancel())
		withPassed(time.Minute + time.Second)
		assert.EqualError(t, withOutcome(t, late), "executor: timed out after 1s")
		assert.False(t, withClosed(late.Stopped()))
		withPassed(time.Hour)
		assert.Equal(t, []string{"cancelled 1m0s", "late 2m0s", "next 2m0s"}, tr.seen())
		lendAccounted(t, p)
	})
}

func TestB42_SerialGoesOnAfterAFailureWhichTouchesOneFuture(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		var told withErrors
		p := newPool(t, 1, executor.ErrorHandler(told.handle))
		s := executor.NewSerial(p)
		before := laneSubmit(t, s, withNothing)
		failed, gone, broken := laneSubmit(t, s, withFailure), laneSubmit(t, s, withGoexit), laneSubmit(t, s, withPanic)
		for _, task := range []executor.Task{withFailure, withGoexit, withPanic} {
			require.NoError(t, s.Execute(task))
		}
		after := laneSubmit(t, s, withNothing)
		synctest.Wait()
		assert.NoError(t, withOutcome(t, before))
		assert.Equal(t, errWith, withOutcome(t, failed))
		assert.Equal(t, future.ErrGoexit, withOutcome(t, gone))
		_, ok := errors.AsType[*future.PanicError](withOutcome(t, broken))
		assert.True(t, ok)
		assert.NoError(t, withOutcome(t, after))
		assert.Len(t, told.told(), 5, "failures without a future, and a panic and a Goexit with one")
		assert.Equal(t, 1, p.Stats().Workers)
		lendAccounted(t, p)
	})
}

func TestSerialTasksHaveTheHooksOfThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := withNewTrace()
		p := lendPlain(t, 2,
			executor.BeforeRun(func(_ context.Context, run executor.Run) { tr.mark("before " + run.Name) }),
			executor.AfterRun(func(_ context.Context, run executor.Run, _ error) { tr.mark("after " + run.Name) }))
		s := executor.NewSerial(p)
		for _, name := range []string{"a", "b"} {
			laneSubmit(t, s, withSleep(time.Second), executor.Name(name))
		}
		withPassed(time.Minute)
		assert.Equal(t, []string{"before a 0s", "after a 1s", "before b 1s", "after b 2s"}, tr.seen())
	})
}

func TestSerialRunsWhatATaskGivesItAfterWhatIsThereAlready(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		s := executor.NewSerial(newPool(t, 4))
		tr := withNewTrace()
		require.NoError(t, s.Execute(func(context.Context) error {
			time.Sleep(time.Second)
			assert.NoError(t, s.Execute(tr.task("inner")))
			return nil
		}))
		require.NoError(t, s.Execute(tr.task("outer")))
		withPassed(time.Minute)
		assert.Equal(t, []string{"outer 1s", "inner 1s"}, tr.seen())
	})
}

func TestSerialOverASerialHasAnOrderOfItsOwn(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		inner := executor.NewSerial(newPool(t, 2))
		outer := executor.NewSerial(inner)
		tr := withNewTrace()
		require.NoError(t, inner.Execute(laneTask(tr, "inner", time.Hour)))
		for i := range 3 {
			require.NoError(t, outer.Execute(laneTask(tr, fmt.Sprint("outer", i), time.Second)))
		}
		withPassed(time.Hour)
		assert.Equal(t, []string{"outer0 1s", "outer1 2s", "outer2 3s", "inner 1h0m0s"}, tr.seen())
	})
}

func TestSerialRefusesBadArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		s := executor.NewSerial(p)
		assert.ErrorIs(t, s.Execute(nil), executor.ErrNilTask)
		_, err := s.Submit(nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = executor.Submit[int](s, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = s.Submit(withNothing, executor.Timeout(-1))
		assert.ErrorIs(t, err, executor.ErrInvalid)
		assert.Zero(t, p.Stats().Accepted)
		assert.PanicsWithValue(t, "executor: nil pool", func() { executor.NewSerial(nil) })
		assert.PanicsWithValue(t, "executor: nil pool", func() { executor.NewKeyedSerial[int](nil) })
	})
}
