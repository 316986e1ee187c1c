package main

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// compared returns what became of the five contenders in six seconds of virtual time: the run at
// 1.5 s stalls until 3.02 s.
func compared(t *testing.T) (scenario, []system) {
	t.Helper()
	sc := newScenario(defaultFor)
	var systems []system
	synctest.Test(t, func(t *testing.T) {
		var err error
		systems, err = compare(t.Context(), sc, contenders(), func(time.Duration, []int) {})
		if err != nil {
			t.Fatal(err)
		}
	})
	return sc, systems
}

// series is the times from first to last, each after step.
func series(first, last, step time.Duration) (times []time.Duration) {
	for at := first; at <= last; at += step {
		times = append(times, at)
	}
	return times
}

func TestEachSystemRunsAsItsSemanticsSay(t *testing.T) {
	before := series(50*ms, 1500*ms, 50*ms)
	tests := []struct {
		name                    string
		planned, actual, missed int
		after                   []time.Duration // starts after the stall
		p50, p99                time.Duration
		burst                   int
	}{
		{
			// The channel holds one tick, that of 1.55 s.
			name: "time.Ticker", planned: 120, actual: 91, missed: 29,
			after: slices.Concat(series(3020*ms, 3020*ms, ms), series(3050*ms, 6000*ms, 50*ms)),
			p99:   1470 * ms, burst: 3,
		},
		{
			// 30 slots are overdue, and the one at 3.05 s comes to be meanwhile.
			name: "AtFixedRate Burst", planned: 120, actual: 120, missed: 0,
			after: slices.Concat(series(3020*ms, 3080*ms, 2*ms), series(3100*ms, 6000*ms, 50*ms)),
			p99:   1422 * ms, burst: 32,
		},
		{
			name: "AtFixedRate Skip", planned: 120, actual: 90, missed: 30,
			after: series(3050*ms, 6000*ms, 50*ms),
			burst: 2,
		},
		{
			name: "AtFixedRate Coalesce", planned: 120, actual: 91, missed: 29,
			after: slices.Concat(series(3020*ms, 3020*ms, ms), series(3050*ms, 6000*ms, 50*ms)),
			p99:   20 * ms, burst: 3,
		},
	}
	_, systems := compared(t)
	for i, want := range tests {
		t.Run(want.name, func(t *testing.T) {
			s := systems[i]
			if s.Name != want.name || s.Planned != want.planned || s.Actual != want.actual || s.Missed != want.missed {
				t.Errorf("%s: planned %d, actual %d, missed %d; want %d, %d, %d",
					s.Name, s.Planned, s.Actual, s.Missed, want.planned, want.actual, want.missed)
			}
			if got, want := starts(s.Runs), slices.Concat(before, want.after); !slices.Equal(got, want) {
				t.Errorf("runs start at\n%v, want\n%v", got, want)
			}
			if *s.LatenessP50 != want.p50 || *s.LatenessP99 != want.p99 || s.Burst != want.burst {
				t.Errorf("lateness p50 %v, p99 %v, burst %d; want %v, %v, %d",
					*s.LatenessP50, *s.LatenessP99, s.Burst, want.p50, want.p99, want.burst)
			}
		})
	}
}

func TestFixedDelayDriftsAndMissesNothing(t *testing.T) {
	_, systems := compared(t)
	s := systems[4]
	stalled := 50*ms + 29*52*ms
	want := slices.Concat(series(50*ms, stalled, 52*ms), series(stalled+1570*ms, 6025*ms, 52*ms))
	if got := starts(s.Runs); !slices.Equal(got, want) {
		t.Errorf("runs start at\n%v, want\n%v", got, want)
	}
	if s.Planned != len(want) || s.Actual != len(want) || s.Missed != 0 {
		t.Errorf("planned %d, actual %d, missed %d; want %d, %[4]d, 0", s.Planned, s.Actual, s.Missed, len(want))
	}
	if *s.LatenessP99 != 0 || s.Burst != 2 {
		t.Errorf("lateness p99 %v, burst %d; want 0s, 2", *s.LatenessP99, s.Burst)
	}
}

func TestTheStallIsTheSameForAll(t *testing.T) {
	sc, systems := compared(t)
	for _, s := range systems {
		for i, m := range s.Runs {
			if want := sc.takes(i + 1); m.took() != want {
				t.Errorf("%s: run %d took %v, want %v", s.Name, i+1, m.took(), want)
			}
		}
	}
}

func TestInterruptedComparisonReturnsAtOnceWithAllClosed(t *testing.T) {
	for _, after := range []time.Duration{0, ms, 1000 * ms, 2000 * ms, 3030 * ms, 6024 * ms} {
		// The bubble itself fails the test if a goroutine of a pool or ticker is left.
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			start := time.Now()
			_, err := compare(ctx, newScenario(defaultFor), contenders(), func(time.Duration, []int) {})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("interrupted after %v: error %v", after, err)
			}
			if took := time.Since(start); took != after {
				t.Errorf("interrupted after %v, returned after %v", after, took)
			}
		})
	}
}

func starts(runs []mark) []time.Duration {
	at := make([]time.Duration, len(runs))
	for i, m := range runs {
		at[i] = m.Started
	}
	return at
}
