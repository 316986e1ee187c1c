package serial_test

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
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// laneKinds are the kinds of pools. What there is no room for is refused, whatever the policy.
var laneKinds = map[string]pooltest.Maker{
	"plain":     pooltest.NewPool,
	"bounded":   pooltest.Plain(executor.Queue(queue.Bounded(2)), executor.OnRejection(rejection.CallerRuns)),
	"hand-off":  pooltest.Plain(executor.Queue(queue.HandOff()), executor.OnRejection(rejection.DiscardOldest)),
	"priority":  pooltest.Plain(executor.Queue(queue.Priority())),
	"scheduled": pooltest.Scheduled,
}

func laneEach(t *testing.T, test func(t *testing.T, newPool pooltest.Maker)) {
	pooltest.EachOf(t, laneKinds, test)
}

func laneRandom() time.Duration { return time.Duration(rand.IntN(1000)) * time.Millisecond }

// The slice is not synchronised: an overlap, or a task that does not see what the last has done,
// would be a data race.
func TestSerialRunsItsTasksInOrderOneAtATime(t *testing.T) {
	const n = 100
	laneEach(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 4)
		s := serial.New(p)
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
		pooltest.Balanced(t, p)
	})
}

func TestSerialKeepsTheOrderOfEachOfManySubmitters(t *testing.T) {
	const submitters, n = 8, 50
	laneEach(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 4)
		s := serial.New(p)
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
			assert.Equal(t, pooltest.CountTo(n), order)
		}
	})
}

func TestSerialRunsExecuteAndSubmitInOneOrder(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		s := serial.New(newPool(t, 4))
		tr := pooltest.NewTrace()
		require.NoError(t, s.Execute(tr.Lasting("a", time.Second)))
		pooltest.Submit(t, s, tr.Lasting("b", time.Second), executor.Name("b"), executor.Priority(1))
		f := pooltest.SubmitFunc(
			t, s, func(ctx context.Context) (int, error) { return 3, tr.Lasting("c", time.Second)(ctx) },
		)
		require.NoError(t, s.Execute(tr.Lasting("d", 0)))
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"a 1s", "b 2s", "c 3s", "d 3s"}, tr.Seen())
		v, err := pooltest.Settled(t, f)
		require.NoError(t, err)
		assert.Equal(t, 3, v)
	})
}

func TestSerialTakesOneWorkerAtATime(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 4)
		s := serial.New(p)
		for range 10 {
			require.NoError(t, s.Execute(pooltest.Sleep(time.Second)))
		}
		synctest.Wait()
		stats := p.Stats()
		assert.Equal(t, []int{1, 9}, []int{stats.Busy, stats.Queued})
		start := time.Now()
		_, err := pooltest.SubmitFunc(t, p, pooltest.Seven).Get(t.Context())
		require.NoError(t, err)
		assert.Zero(t, time.Since(start))
	})
}

func TestSerialsTakeTurnsOnAPoolOfOne(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		tr := pooltest.NewTrace()
		a, b := serial.New(p), serial.New(p)
		hold := pooltest.NewGate(t)
		require.NoError(t, p.Execute(hold.Hold))
		for i := range 3 {
			require.NoError(t, a.Execute(tr.Task(fmt.Sprint("a", i))))
		}
		for i := range 3 {
			require.NoError(t, b.Execute(tr.Task(fmt.Sprint("b", i))))
		}
		require.NoError(t, p.Execute(tr.Task("plain")))
		hold.Open()
		synctest.Wait()
		assert.Equal(
			t, []string{"a0 0s", "b0 0s", "plain 0s", "a1 0s", "b1 0s", "a2 0s", "b2 0s"}, tr.Seen(),
		)
	})
}

func TestSerialGoesOnWithoutACancelledTaskThatWaitsForItsTurn(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2)
		s := serial.New(p)
		tr := pooltest.NewTrace()
		pooltest.Submit(t, s, tr.Lasting("a", time.Second))
		b := pooltest.Submit(t, s, tr.Lasting("b", time.Second))
		pooltest.Submit(t, s, tr.Lasting("c", time.Second))
		synctest.Wait()
		assert.True(t, b.Cancel())
		assert.Equal(t, 1, p.Stats().Queued)
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"a 1s", "c 2s"}, tr.Seen())
		pooltest.Balanced(t, p)
	})
}

func TestSerialGoesOnWithoutACancelledTaskWhoseTurnItIs(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		s := serial.New(p)
		tr := pooltest.NewTrace()
		hold := pooltest.NewGate(t)
		require.NoError(t, p.Execute(hold.Hold))
		a := pooltest.Submit(t, s, tr.Task("a"))
		pooltest.Submit(t, s, tr.Task("b"))
		synctest.Wait()
		assert.True(t, a.Cancel())
		assert.Equal(t, 1, p.Stats().Queued)
		hold.Open()
		synctest.Wait()
		assert.Equal(t, []string{"b 0s"}, tr.Seen())
		pooltest.Balanced(t, p)
	})
}

// A body that runs on after its future is settled holds up the next task of its serial executor.
func TestSerialRunsTheNextTaskWhenTheBodyOfTheLastHasReturned(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 4)
		s := serial.New(p)
		tr := pooltest.NewTrace()
		cancelled := pooltest.Submit(t, s, tr.Lasting("cancelled", time.Minute))
		late := pooltest.Submit(t, s, tr.Lasting("late", time.Minute), executor.Timeout(time.Second))
		pooltest.Submit(t, s, tr.Task("next"))
		synctest.Wait()
		assert.True(t, cancelled.Cancel())
		probe.Elapse(time.Minute + time.Second)
		assert.EqualError(t, pooltest.Outcome(t, late), "executor: timed out after 1s")
		assert.False(t, probe.IsClosed(late.Stopped()))
		probe.Elapse(time.Hour)
		assert.Equal(t, []string{"cancelled 1m0s", "late 2m0s", "next 2m0s"}, tr.Seen())
		pooltest.Balanced(t, p)
	})
}

func TestB42_SerialGoesOnAfterAFailureWhichTouchesOneFuture(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		var told pooltest.Errors
		p := newPool(t, 1, executor.ErrorHandler(told.Handle))
		s := serial.New(p)
		before := pooltest.Submit(t, s, pooltest.Nothing)
		failed, gone, broken := pooltest.Submit(
			t, s, pooltest.Fail,
		), pooltest.Submit(
			t, s, pooltest.Goexit,
		), pooltest.Submit(
			t, s, pooltest.Panic,
		)
		for _, task := range []executor.Task{pooltest.Fail, pooltest.Goexit, pooltest.Panic} {
			require.NoError(t, s.Execute(task))
		}
		after := pooltest.Submit(t, s, pooltest.Nothing)
		synctest.Wait()
		assert.NoError(t, pooltest.Outcome(t, before))
		assert.Equal(t, pooltest.ErrTask, pooltest.Outcome(t, failed))
		assert.Equal(t, future.ErrGoexit, pooltest.Outcome(t, gone))
		ok := errors.As(pooltest.Outcome(t, broken), new(*future.PanicError))
		assert.True(t, ok)
		assert.NoError(t, pooltest.Outcome(t, after))
		assert.Len(t, told.Told(), 5, "failures without a future, and a panic and a Goexit with one")
		assert.Equal(t, 1, p.Stats().Workers)
		pooltest.Balanced(t, p)
	})
}

func TestSerialTasksHaveTheHooksOfThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := pooltest.NewTrace()
		p := pooltest.NewPool(
			t, 2,
			executor.BeforeRun(func(_ context.Context, run executor.Run) { tr.Mark("before " + run.Name) }),
			executor.AfterRun(
				func(_ context.Context, run executor.Run, _ error) { tr.Mark("after " + run.Name) },
			),
		)
		s := serial.New(p)
		for _, name := range []string{"a", "b"} {
			pooltest.Submit(t, s, pooltest.Sleep(time.Second), executor.Name(name))
		}
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"before a 0s", "after a 1s", "before b 1s", "after b 2s"}, tr.Seen())
	})
}

func TestSerialRunsWhatATaskGivesItAfterWhatIsThereAlready(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		s := serial.New(newPool(t, 4))
		tr := pooltest.NewTrace()
		require.NoError(t, s.Execute(func(context.Context) error {
			time.Sleep(time.Second)
			assert.NoError(t, s.Execute(tr.Task("inner")))
			return nil
		}))
		require.NoError(t, s.Execute(tr.Task("outer")))
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"outer 1s", "inner 1s"}, tr.Seen())
	})
}

func TestSerialOverASerialHasAnOrderOfItsOwn(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		inner := serial.New(newPool(t, 2))
		outer := serial.New(inner)
		tr := pooltest.NewTrace()
		require.NoError(t, inner.Execute(tr.Lasting("inner", time.Hour)))
		for i := range 3 {
			require.NoError(t, outer.Execute(tr.Lasting(fmt.Sprint("outer", i), time.Second)))
		}
		probe.Elapse(time.Hour)
		assert.Equal(t, []string{"outer0 1s", "outer1 2s", "outer2 3s", "inner 1h0m0s"}, tr.Seen())
	})
}

func TestSerialRefusesBadArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		s := serial.New(p)
		assert.ErrorIs(t, s.Execute(nil), executor.ErrNilTask)
		_, err := s.Submit(nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = executor.Submit[int](s, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = s.Submit(pooltest.Nothing, executor.Timeout(-1))
		assert.ErrorIs(t, err, executor.ErrInvalid)
		assert.Zero(t, p.Stats().Accepted)
		assert.PanicsWithValue(t, "serial: nil pool", func() { serial.New(nil) })
		assert.PanicsWithValue(t, "serial: nil pool", func() { serial.NewKeyed[int](nil) })
	})
}
