package driver_test

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/driver"
)

const ms = time.Millisecond

// TestLatenessIsThatOfThePlan: a run counts against its own period, however late the others were.
func TestLatenessIsThatOfThePlan(t *testing.T) {
	f, err := driver.Lateness(10*ms, 0, 50*ms, false, 1*ms, 35*ms, 35*ms, 36*ms, 41*ms)
	// late by 1, 25, 15, 6 and 1
	if err != nil || f["p50_us"] != 6000 || f["p99_us"] != 25000 || f["p999_us"] != 25000 {
		t.Errorf("figures %v, error %v", f, err)
	}
}

// TestDroppedRunsAreLate: what runs after a gap makes up for all that have been dropped.
func TestDroppedRunsAreLate(t *testing.T) {
	f, err := driver.Lateness(10*ms, 0, 50*ms, true, 1*ms, 35*ms, 42*ms)
	// late by 1; by 25, 15 and 5; by 2
	if err != nil || f["p50_us"] != 5000 || f["p99_us"] != 25000 {
		t.Errorf("figures %v, error %v", f, err)
	}
}

// TestARunTakenForDroppedCountsOnce, when it comes after all.
func TestARunTakenForDroppedCountsOnce(t *testing.T) {
	f, err := driver.Lateness(10*ms, 0, 40*ms, true, 1*ms, 21*ms, 22*ms, 33*ms)
	// late by 1; by 11 and 1; by 3
	if err != nil || f["p50_us"] != 1000 || f["p99_us"] != 11000 {
		t.Errorf("figures %v, error %v", f, err)
	}
}

// TestRunsThatDoNotComeAreLate, by the end of the window at least.
func TestRunsThatDoNotComeAreLate(t *testing.T) {
	for _, drops := range []bool{false, true} {
		f, err := driver.Lateness(10*ms, 10*ms, 40*ms, drops, 1*ms, 12*ms)
		// late by 2; by 20 and 10
		if err != nil || f["p50_us"] != 10000 || f["p99_us"] != 20000 {
			t.Errorf("figures %v, error %v", f, err)
		}
	}
}

// TestOnlyTheWindowCounts, by the times for which runs are planned.
func TestOnlyTheWindowCounts(t *testing.T) {
	f, err := driver.Lateness(10*ms, 10*ms, 30*ms, false, 9*ms, 13*ms, 24*ms, 37*ms)
	// late by 3 and 4; those before and behind by 9 and 7
	if err != nil || f["p50_us"] != 3000 || f["p99_us"] != 4000 {
		t.Errorf("figures %v, error %v", f, err)
	}
}

func TestEarlyRunsAreAnError(t *testing.T) {
	if f, err := driver.Lateness(10*ms, 0, 30*ms, false, 1*ms, 8*ms); err == nil {
		t.Errorf("figures %v", f)
	}
}
