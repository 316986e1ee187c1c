package main

import "time"

// scenario is what every system is given: a job to run every period, one of whose runs stalls.
type scenario struct {
	period  time.Duration
	work    time.Duration // what a run takes
	length  time.Duration // of the comparison
	stalled int           // number of the run that stalls
	stall   time.Duration // what that run takes
}

// newScenario has the stall begin after a quarter of the time and last another. It ends between two
// periods: on a period, it would be left to chance whether that one has been missed.
func newScenario(length time.Duration) scenario {
	const period = 50 * time.Millisecond
	return scenario{
		period:  period,
		work:    2 * time.Millisecond,
		length:  length,
		stalled: int(length / 4 / period),
		stall:   (length / 4).Truncate(period) + period*2/5,
	}
}

// periods is the number of runs that a clock plans: at the end of each whole period.
func (s scenario) periods() int { return int(s.length / s.period) }

// window is how long runs are counted: until half a period after the last is planned, so that it
// may be a little late but the one after it does not begin.
func (s scenario) window() time.Duration {
	return time.Duration(s.periods())*s.period + s.period/2
}

// takes is the duration of run n.
func (s scenario) takes(n int) time.Duration {
	if n == s.stalled {
		return s.stall
	}
	return s.work
}
