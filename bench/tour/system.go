package main

import (
	"math"
	"slices"
	"time"
)

// burstWindow is the time within which runs count as a burst.
const burstWindow = 100 * time.Millisecond

// system is what became of one contender.
type system struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Verdict string `json:"verdict"`

	Planned int `json:"plannedRuns"`
	Actual  int `json:"actualRuns"`
	Missed  int `json:"missedRuns"`

	// Lateness is the start of a run minus the time it was planned for. Nil if there were no runs.
	LatenessP50 *time.Duration `json:"latenessP50Ns"`
	LatenessP99 *time.Duration `json:"latenessP99Ns"`

	Burst int    `json:"mostRunsWithin100ms"`
	Runs  []mark `json:"runs"`
}

// measure makes figures of what the journal of a contender holds.
func measure(c contender, sc scenario, runs []mark) system {
	planned := c.planned(sc, runs)
	return system{
		Name:        c.name,
		About:       c.about,
		Verdict:     c.verdict,
		Planned:     planned,
		Actual:      len(runs),
		Missed:      c.missed(planned, runs),
		LatenessP50: lateness(0.50, runs),
		LatenessP99: lateness(0.99, runs),
		Burst:       burst(runs),
		Runs:        append([]mark{}, runs...), // not null in JSON
	}
}

// everyPeriod is the plan of a system that goes by the clock.
func everyPeriod(sc scenario, _ []mark) int { return sc.periods() }

// everyRun is the plan of a system that plans each run after the last.
func everyRun(_ scenario, runs []mark) int { return len(runs) }

// notRun is all that can be known of the runs missed by a system that does not tell.
func notRun(planned int, runs []mark) int { return planned - len(runs) }

// told adds up what the runs were told to have been missed.
func told(_ int, runs []mark) (n int) {
	for _, m := range runs {
		n += int(m.Missed)
	}
	return n
}

// stillOwed is what is missed under Burst: there each run is told how many are still to be made up
// for, so what counts is the last.
func stillOwed(_ int, runs []mark) int {
	if len(runs) == 0 {
		return 0
	}
	return int(runs[len(runs)-1].Missed)
}

// lateness returns the smallest lateness that a fraction p of the runs does not exceed.
func lateness(p float64, runs []mark) *time.Duration {
	if len(runs) == 0 {
		return nil
	}
	late := make([]time.Duration, len(runs))
	for i, m := range runs {
		late[i] = m.late()
	}
	slices.Sort(late)
	return &late[max(int(math.Ceil(p*float64(len(late))))-1, 0)]
}

// burst returns the largest number of runs that start within burstWindow. Runs are in order.
func burst(runs []mark) (most int) {
	first := 0
	for i, m := range runs {
		for m.Started-runs[first].Started >= burstWindow {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
