package supervisor_test

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
)

func newSupervisor(t *testing.T, pool supervisor.Runner, task executor.Task, opts ...supervisor.Option) *supervisor.Supervisor {
	s := supervisor.New(pool, task, opts...)
	t.Cleanup(func() { require.NoError(t, s.StopContext(nil)) })
	return s
}

func TestAnOutcomeTellsTheCycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.InTurn(takes(2*time.Second), stubborn(30*time.Second), pooltest.Nothing), append(every10s, executor.Name("registry"))...)
		time.Sleep(40 * time.Second)
		at := func(n int) time.Time { return s.epoch.Add(time.Duration(n) * time.Second) }
		o := s.told()
		require.Len(t, o, 3)
		assert.Equal(t, supervisor.Outcome{Name: "registry", Kind: supervisor.Succeeded, Number: 1, Started: at(0), Took: 2 * time.Second, Delay: 10 * time.Second}, o[0])
		assert.Equal(t, supervisor.TimedOut, o[1].Kind)
		assert.Equal(t, at(12), o[1].Started)
		assert.Equal(t, 1, o[1].Unfinished)
		assert.Equal(t, supervisor.Outcome{Name: "registry", Kind: supervisor.Capped, Number: 3, Started: at(37), Delay: 40 * time.Second, Unfinished: 1}, o[2])
	})
}

func TestCallbacksAreCalledInOrderAndKeepNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		var numbers []uint64 // without a lock: the calls do not overlap
		s := newSupervisor(t, pool, pooltest.Nothing, supervisor.Interval(time.Second), supervisor.AfterCycle(func(o supervisor.Outcome) {
			numbers = append(numbers, o.Number)
			if o.Number == 1 {
				time.Sleep(5500 * time.Millisecond)
			}
		}))
		s.Start()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		assert.Equal(t, []uint64{1}, numbers)
		assert.EqualValues(t, 6, s.Stats().Succeeded, "the cycles go on")
		assert.Equal(t, 0, pool.Stats().Busy)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []uint64{1, 2, 3, 4, 5, 6, 7}, numbers)
		assert.Equal(t, 0, goroutines())
	})
}

func TestACallbackThatFailsHarmsNobodyAndIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := newLog()
		calls := 0
		s := newSupervisor(t, newPool(t), pooltest.InTurn(pooltest.Nothing, pooltest.Nothing, stubborn(time.Minute)), append(every10s, executor.Logger(log), executor.Name("registry"),
			supervisor.AfterCycle(func(o supervisor.Outcome) {
				calls++
				if o.Number%2 == 0 {
					runtime.Goexit()
				}
				panic(errBoom)
			}),
			supervisor.AfterCapped(func(supervisor.Outcome) { panic("capped") }))...)
		s.Start()
		time.Sleep(50 * time.Second)
		synctest.Wait()
		assert.Equal(t, 4, calls)
		assert.EqualValues(t, 1, s.Stats().Capped)
		for _, part := range []string{"level=ERROR", "supervisor=registry", "callback=AfterCycle", "callback=AfterCapped", "cycle=1", "cycle=4", "boom", "Goexit", "stack="} {
			assert.Contains(t, records(), part)
		}
		assert.Equal(t, 0, goroutines()-1, "but for the unfinished run")
	})
}

// brokenLog returns a logger whose handler panics.
func brokenLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(writer(func([]byte) (int, error) { panic("no disk") }), nil))
}

func TestALogThatPanicsHarmsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		s := newSupervisor(t, newPool(t), pooltest.Nothing, append(every10s, executor.Logger(brokenLog()),
			supervisor.AfterCycle(func(supervisor.Outcome) { calls++; panic(errBoom) }))...)
		s.Start()
		time.Sleep(11 * time.Second)
		synctest.Wait()
		assert.Equal(t, 2, calls)
	})
}

func TestCallbacksMayCallTheSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *supervisor.Supervisor
		var err error
		runs := 0
		s = newSupervisor(t, newPool(t), func(context.Context) error { runs++; return nil },
			supervisor.AfterCycle(func(o supervisor.Outcome) {
				s.Suspend()
				s.Resume()
				s.Trigger()
				if s.Stats().Succeeded >= 3 {
					err = s.StopContext(nil)
				}
			}))
		s.Start()
		<-s.Done()
		synctest.Wait()
		assert.GreaterOrEqual(t, runs, 3)
		assert.NoError(t, err)
	})
}

func TestAnOutcomeIsToldAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		s := newSupervisor(t, newPool(t), pooltest.Nothing, supervisor.Interval(time.Second), supervisor.AfterCycle(func(supervisor.Outcome) {
			time.Sleep(10 * time.Second)
			told++
		}))
		s.Start()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		s.Stop()
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, 3, told)
	})
}

func TestKindsHaveNames(t *testing.T) {
	for k, want := range map[supervisor.Kind]string{
		supervisor.Succeeded: "succeeded", supervisor.TimedOut: "timed out", supervisor.Failed: "failed",
		supervisor.Rejected: "rejected", supervisor.Capped: "capped", 77: "kind(77)",
	} {
		assert.Equal(t, want, k.String())
	}
}
