package timertest

import (
	"slices"
	"testing"
	"time"
)

// Run checks a facility, each promise in a subtest named after it. It takes some seconds. For a
// moment it replaces the default logger of log/slog, so do not run it in parallel with tests that
// log.
//
//	func TestConformance(t *testing.T) {
//		timertest.Run(t, timertest.Facility{
//			New: func(_ testing.TB, cfg timer.Config) timer.Scheduler {
//				return mywheel.New(cfg)
//			},
//			Stop: func(s timer.Scheduler) []timer.Handle {
//				return s.(*mywheel.Wheel).Stop()
//			},
//		})
//	}
//
// Two subtests make random calls and compare the facility with a sorted list. When they fail they
// name the seed; set the environment variable TIMERTEST_SEED to try that seed alone. Two others run
// in real time, for a second or so. Run the suite under the race detector too: it finds more.
func Run(t *testing.T, f Facility) {
	for _, k := range checks() {
		t.Run(k.name, func(t *testing.T) {
			if what := k.missing(f); what != "" {
				t.Skip("the facility " + what)
			}
			for _, failure := range k.failures(t, f, 30*time.Second) {
				t.Error(failure)
			}
		})
	}
}

// checks returns all checks, the simple ones first.
func checks() []check {
	return slices.Concat(
		punctuality{}.checks(),
		extremes{}.checks(),
		stopping{}.checks(),
		resetting{}.checks(),
		callbacks{}.checks(),
		ordering{}.checks(),
		stalls{}.checks(),
		longLives{}.checks(),
		racing{}.checks(),
		handOffs{}.checks(),
		limits{}.checks(),
		endings{}.checks(),
		failing{}.checks(),
		economy{}.checks(),
		models{}.checks(),
		stresses{}.checks(),
	)
}
