package es_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
)

// requireBalance demands that all accepted tasks of an idle pool are accounted for.
func requireBalance(t *testing.T, p interface{ Stats() executor.Stats }) {
	t.Helper()
	s := p.Stats()
	require.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned+uint64(s.Queued+s.Busy), "%+v", s)
}

func TestDrainDropsWhatWaitsAndLeavesTheRestAlone(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p, gate := newPool(t, 1, executor.Name("jobs")), pooltest.NewGate(t)
		running := pooltest.Submit(t, p, gate.Heed)
		synctest.Wait()
		var waiting []*future.Future[struct{}]
		for _, name := range []string{"a", "b", "c"} {
			waiting = append(waiting, pooltest.Submit(t, p, pooltest.Nothing, executor.Name(name)))
		}
		require.NoError(t, p.Execute(pooltest.Fail))
		require.NoError(t, p.Execute(pooltest.Fail))
		drained := p.Drain()
		assert.Equal(t, []string{"a", "b", "c", "", ""}, pooltest.Names(drained))
		assert.Equal(t, pooltest.ErrTask, drained[4].Task(t.Context()), "a task can be run elsewhere")
		for _, f := range waiting {
			err := pooltest.Outcome(t, f)
			assert.Equal(t, future.Cancelled, f.State())
			assert.ErrorIs(t, err, future.ErrCancelled)
			assert.ErrorIs(t, err, executor.ErrDrained)
			assert.NotErrorIs(t, err, executor.ErrRejected)
		}
		assert.EqualError(t, pooltest.Outcome(t, waiting[0]),
			`future: cancelled: executor: task "a" of pool "jobs": task was drained`)
		requireBalance(t, p)
		gate.Open()
		_, err := running.Get(t.Context())
		assert.NoError(t, err, "it was not interrupted")
		assert.Empty(t, p.Drain())
		later := pooltest.Submit(t, p, pooltest.Nothing)
		_, err = later.Get(t.Context())
		assert.NoError(t, err, "the pool is open")
		synctest.Wait()
		requireBalance(t, p)
		assert.EqualValues(t, 5, p.Stats().Returned)
	})
}

func TestDrainEndsASeriesThatWaitsAndNotOneInARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		waits := pooltest.AtFixedRate(
			t, p, time.Hour, time.Hour, pooltest.Nothing, executor.Name("waits"),
		)
		runs := pooltest.AtFixedRate(
			t, p, 0, time.Hour, pooltest.Sleep(time.Second), executor.Name("runs"),
		)
		once := pooltest.Schedule(t, p, time.Minute, pooltest.Nothing, executor.Name("once"))
		synctest.Wait()
		drained := p.Drain()
		assert.Equal(t, []string{"once", "waits"}, pooltest.Names(drained))
		assert.True(t, drained[1].Periodic)
		assert.ErrorIs(t, pooltest.Outcome(t, once.Future), executor.ErrDrained)
		assert.ErrorIs(t, pooltest.Outcome(t, waits.Future), executor.ErrDrained)
		time.Sleep(time.Hour + time.Minute)
		assert.EqualValues(t, 2, runs.Runs())
		assert.Zero(t, waits.Runs())
		assert.Equal(t, []string{"runs"}, pooltest.Names(p.Drain()), "now it waits")
		requireBalance(t, p)
	})
}

func TestDrainGivesRoomToThoseWhoWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t)
		w := s.Waits(t, t.Context(), "blocked")
		assert.Equal(t, []string{"queued"}, pooltest.Names(s.Drain()))
		synctest.Wait()
		assert.True(t, w.Returned.Load())
		assert.NoError(t, w.Err)
		assert.Equal(t, 1, s.Stats().Queued)
		s.Finish()
		assert.Equal(t, []string{"blocked 0s"}, s.Trace.Seen())
		requireBalance(t, s)
	})
}

func TestDrainTakesWhatWaitsInASerialWhichGoesOn(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p, trace := newPool(t, 1), pooltest.NewTrace()
		running, idle := serial.New(p), serial.New(p)
		require.NoError(t, running.Execute(trace.Lasting("head", time.Second)))
		synctest.Wait()
		for _, s := range []*serial.Serial{running, idle} {
			for range 3 {
				require.NoError(t, s.Execute(trace.Task("drained")))
			}
		}
		assert.Len(t, p.Drain(), 6)
		for _, s := range []*serial.Serial{running, idle} {
			require.NoError(t, s.Execute(trace.Lasting("new", time.Second)))
		}
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"head 1s", "new 2s", "new 3s"}, trace.Seen())
		requireBalance(t, p)
	})
}

func TestDrainForgetsTheKeysOfWhatItDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, gate := pooltest.NewPool(t, 1), pooltest.NewGate(t)
		k := serial.NewKeyed[int](p)
		require.NoError(t, p.Execute(gate.Hold))
		synctest.Wait()
		for i := range 10 {
			require.NoError(t, k.Execute(i/2, pooltest.Nothing))
		}
		assert.Equal(t, 5, k.Keys())
		assert.Len(t, p.Drain(), 10)
		assert.Zero(t, k.Keys())
	})
}

func TestDrainByATaskMayTakeWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Submit(t, &p.Pool, func(ctx context.Context) error {
			child := pooltest.Schedule(t, p, time.Minute, pooltest.Nothing)
			time.AfterFunc(time.Second, func() { p.Drain() })
			_, err := child.Get(ctx)
			return err
		})
		start := time.Now()
		_, err := f.Get(t.Context())
		assert.ErrorIs(t, err, executor.ErrDrained)
		assert.Equal(t, time.Second, time.Since(start))
	})
}

func TestDrainLetsAPoolThatIsShutDownEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		p.Shutdown()
		start := time.Now()
		assert.Len(t, p.Drain(), 1)
		<-p.Terminated()
		assert.Zero(t, time.Since(start))
		assert.Empty(t, p.Drain())
	})
}

func TestDrainLetsASurplusWorkerGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 0)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		synctest.Wait()
		require.Equal(t, 1, p.Stats().Workers)
		p.Drain()
		time.Sleep(time.Second)
		assert.Zero(t, p.Stats().Workers)
	})
}

func TestDrainLosesNothingThatIsSubmittedMeanwhile(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2)
		g := bulk.NewGroup(t.Context(), pooltest.NewPool(t, 4))
		var futures [4][]*future.Future[struct{}]
		for i := range futures {
			require.NoError(t, g.Go(func(context.Context) error {
				for range 500 {
					f, err := p.Submit(pooltest.Nothing)
					if err != nil {
						return err
					}
					futures[i] = append(futures[i], f)
				}
				return nil
			}))
		}
		drained := 0
		for range 100 {
			drained += len(p.Drain())
		}
		require.NoError(t, g.Wait())
		synctest.Wait()
		for _, fs := range futures {
			for _, f := range fs {
				if pooltest.Outcome(t, f) != nil {
					drained--
				}
			}
		}
		assert.Zero(t, drained, "each is either run or handed back")
		requireBalance(t, p)
	})
}

func TestDrainTakesWhatAWorkerHasSetAside(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p, first, gate := newPool(t, 1), pooltest.NewGate(t), pooltest.NewGate(t)
		require.NoError(t, p.Execute(first.Hold))
		synctest.Wait()
		for range 5 { // the worker will take these in one go, to run one after another
			require.NoError(t, p.Execute(gate.Hold))
		}
		first.Open()
		synctest.Wait()
		assert.Len(t, p.Drain(), 4)
		gate.Open()
		synctest.Wait()
		assert.EqualValues(t, 2, p.Stats().Runs)
		requireBalance(t, p)
	})
}

// Who watches one of the tasks finds that all are settled.
func TestDrainSettlesAllBeforeItTellsOfOne(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p, gate := newPool(t, 1), pooltest.NewGate(t)
		require.NoError(t, p.Execute(gate.Hold))
		synctest.Wait()
		a := pooltest.Submit(t, p, pooltest.Nothing, executor.Name("a"))
		b := pooltest.Submit(t, p, pooltest.Nothing, executor.Name("b"))
		cancelled := true
		future.AfterSettled(a, func(future.Result[struct{}]) { cancelled = b.Cancel() })
		assert.Equal(t, []string{"a", "b"}, pooltest.Names(p.Drain()))
		assert.False(t, cancelled)
		assert.EqualValues(t, 2, p.Stats().Returned)
		requireBalance(t, p)
	})
}

func TestDrainDoesNotHandBackWhatIsCancelledMeanwhile(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p, gate := newPool(t, 1), pooltest.NewGate(t)
		require.NoError(t, p.Execute(gate.Hold))
		synctest.Wait()
		a := pooltest.Submit(t, p, pooltest.Nothing, executor.Name("a"))
		b := pooltest.Submit(t, p, pooltest.Nothing, executor.Name("b"))
		delaytest.Once(t, delay.TasksSwept, func() { b.Cancel() })
		assert.Equal(t, []string{"a"}, pooltest.Names(p.Drain()))
		require.ErrorIs(t, pooltest.Outcome(t, a), executor.ErrDrained)
		assert.Equal(t, future.ErrCancelled, pooltest.Outcome(t, b))
		s := p.Stats()
		assert.EqualValues(t, 1, s.Returned)
		assert.EqualValues(t, 1, s.Cancelled)
		requireBalance(t, p)
	})
}
