package process

import (
	"testing"
	"time"
)

func TestSwitchesOfEitherKindAreAddedUp(t *testing.T) {
	n, err := contextSwitches([]byte("Name:\tx\nvoluntary_ctxt_switches:\t40\nnonvoluntary_ctxt_switches:\t2\n"))
	if n != 42 || err != nil {
		t.Error(n, err)
	}
	for _, bad := range []string{"", "voluntary_ctxt_switches:\t40\n", "voluntary_ctxt_switches:\tx\nnonvoluntary_ctxt_switches:\t2\n"} {
		if _, err := contextSwitches([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestTicksAreThoseOfUserAndSystemWhateverTheNameIs(t *testing.T) {
	d, err := ticks([]byte("9381 (a) b (c) S 9379 9379 7086 0 -1 4194304 127 0 0 0 5 7 0 0 20 0 1 0 3173284\n"))
	if d != 120*time.Millisecond || err != nil {
		t.Error(d, err)
	}
	for _, bad := range []string{"", "9381 (x) S 1 2", "9381 (x) S 1 1 1 0 -1 4 127 0 0 0 x 7 0"} {
		if _, err := ticks([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
