package wall

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The clock of the machine is set for a moment, so this is done only where that is said to be fine.
func TestTheKernelTellsThatTheClockWasSet(t *testing.T) {
	if os.Getenv("PUNCTUAL_SET_CLOCK") == "" {
		t.Skip("PUNCTUAL_SET_CLOCK=1 allows this test to set the clock of the machine by a microsecond")
	}
	told := make(chan struct{}, 10)
	stop, ok := watch(func() { told <- struct{}{} })
	require.True(t, ok)
	defer stop()
	for range 3 { // also when it has been told before
		step := unix.Timex{Modes: unix.ADJ_SETOFFSET, Time: unix.Timeval{Usec: 1}}
		_, err := unix.Adjtimex(&step)
		require.NoError(t, err)
		select {
		case <-told:
		case <-time.After(time.Minute):
			t.Fatal("nobody has told")
		}
	}
}
