package eventloop_test

import (
	"log/slog"
	"testing"

	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/astimer"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestTheLoopKeepsTheContractOfTimers(t *testing.T) {
	loop := func(s timer.Scheduler) *eventloop.Loop { return s.(astimer.Scheduler).Executor.(*eventloop.Loop) }
	timertest.Run(t, timertest.Facility{
		New: func(testing.TB, timer.Config) timer.Scheduler {
			return astimer.Scheduler{Executor: eventloop.New(eventloop.Logger(slog.New(slog.DiscardHandler)))}
		},
		Stop:    func(s timer.Scheduler) []timer.Handle { loop(s).ShutdownNow(); return nil },
		Serial:  true,
		Ordered: true,
		Panics:  timertest.Survives,
		WakeUps: func(s timer.Scheduler) uint64 { return loop(s).Stats().Wakeups },
	})
}
