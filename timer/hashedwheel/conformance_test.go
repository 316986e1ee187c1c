package hashedwheel_test

import (
	"testing"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestConformance(t *testing.T) {
	timertest.Run(t, timertest.Facility{
		New:      func(_ testing.TB, cfg timer.Config) timer.Scheduler { return hashedwheel.New(cfg) },
		Stop:     func(s timer.Scheduler) []timer.Handle { return s.(*hashedwheel.Wheel).Close() },
		Returns:  true,
		Lateness: hashedwheel.DefaultTick - 1,
		Tick:     hashedwheel.DefaultTick,
		Slots:    hashedwheel.DefaultSlots,
		Executor: true,
		Ordered:  true,
		Limited:  true,
		Panics:   timertest.Recovers,
		Wakeups:  func(s timer.Scheduler) uint64 { return s.(*hashedwheel.Wheel).Wakeups() },
	})
}
