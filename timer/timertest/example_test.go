package timertest_test

import (
	"testing"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/timertest"
)

// The tests of a timer of your own are one call. Here it is the timers of the Go runtime, which
// cannot be stopped as a whole, and so need no Stop.
func ExampleRun() {
	_ = func(t *testing.T) { // func TestRuntime(t *testing.T) {
		timertest.Run(t, timertest.Facility{
			New:    func(testing.TB, timer.Config) timer.Scheduler { return timer.Runtime() },
			Panics: timertest.EndsProgram,
		})
	}
}
