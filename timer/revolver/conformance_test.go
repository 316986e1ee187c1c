package revolver_test

import (
	"testing"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/revolver"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestConformance(t *testing.T) {
	timertest.Run(t, timertest.Facility{
		New:      func(_ testing.TB, cfg timer.Config) timer.Scheduler { return revolver.New(cfg) },
		Stop:     func(s timer.Scheduler) []timer.Handle { return s.(*revolver.Wheel).Close() },
		Returns:  true,
		Lateness: revolver.DefaultTick - 1,
		Tick:     revolver.DefaultTick,
		Slots:    revolver.DefaultSlots,
		Executor: true,
		Ordered:  true,
		Limited:  true,
		Panics:   timertest.Recovers,
		Wakeups:  func(s timer.Scheduler) uint64 { return s.(*revolver.Wheel).Wakeups() },
	})
}
