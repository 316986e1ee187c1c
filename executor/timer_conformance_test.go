package executor_test

import (
	"log/slog"
	"testing"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/astimer"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestAScheduledPoolKeepsTheContractOfTimers(t *testing.T) {
	pool := func(s timer.Scheduler) *executor.ScheduledPool {
		return s.(astimer.Scheduler).Executor.(*executor.ScheduledPool)
	}
	timertest.Run(t, timertest.Facility{
		New: func(testing.TB, timer.Config) timer.Scheduler {
			return astimer.Scheduler{Executor: executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)))}
		},
		Stop:    func(s timer.Scheduler) []timer.Handle { pool(s).ShutdownNow(); return nil },
		Serial:  true,
		Ordered: true,
		Panics:  timertest.Survives,
		WakeUps: func(s timer.Scheduler) uint64 { return pool(s).Stats().Wakeups },
	})
}
