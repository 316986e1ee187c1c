package stpe_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestAScheduledPoolKeepsTheContractOfTimers(t *testing.T) {
	pool := func(s timer.Scheduler) *executor.ScheduledPool {
		return s.(pooltest.Timer).Executor.(*executor.ScheduledPool)
	}
	timertest.Run(t, timertest.Facility{
		New: func(testing.TB, timer.Config) timer.Scheduler {
			return pooltest.Timer{Executor: executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)))}
		},
		Stop:    func(s timer.Scheduler) []timer.Handle { pool(s).ShutdownNow(); return nil },
		Serial:  true,
		Ordered: true,
		Panics:  timertest.Survives,
		Wakeups: func(s timer.Scheduler) uint64 { return pool(s).Stats().Wakeups },
	})
}

// The suite leaves a facility some air; a pool needs none.
func TestAFarTaskWakesAScheduledPoolOnceAndNotBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		f, err := p.Schedule(24*time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		time.Sleep(24*time.Hour - 1)
		synctest.Wait()
		assert.Zero(t, p.Stats().Wakeups)
		assert.Zero(t, f.Runs())
		time.Sleep(1)
		synctest.Wait()
		assert.EqualValues(t, 1, f.Runs())
		assert.LessOrEqual(t, p.Stats().Wakeups, uint64(1))
	})
}
