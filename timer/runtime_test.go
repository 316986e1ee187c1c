package timer_test

import (
	"testing"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestRuntimeKeepsTheContract(t *testing.T) {
	timertest.Run(t, timertest.Facility{
		New:    func(testing.TB, timer.Config) timer.Scheduler { return timer.Runtime() },
		Panics: timertest.EndsProgram,
	})
}
