package hierarchical_test

import (
	"testing"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestConformance(t *testing.T) {
	timertest.Run(t, timertest.Facility{
		New:      func(_ testing.TB, cfg timer.Config) timer.Scheduler { return hierarchical.New(cfg) },
		Stop:     func(s timer.Scheduler) []timer.Handle { return s.(*hierarchical.Wheel).Close() },
		Returns:  true,
		Lateness: hierarchical.DefaultTick - 1,
		Tick:     hierarchical.DefaultTick,
		Slots:    hierarchical.DefaultSlots,
		Executor: true,
		Ordered:  true,
		Limited:  true,
		Panics:   timertest.Recovers,
		Wakeups:  func(s timer.Scheduler) uint64 { return s.(*hierarchical.Wheel).Wakeups() },
	})
}
