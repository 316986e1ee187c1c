package faults_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// flTimerClocks returns which clock each timer descriptor of the process goes by, as the kernel
// tells.
func flTimerClocks(t *testing.T) (clocks []string) {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, e := range entries {
		if name, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err != nil || name != "anon_inode:[timerfd]" {
			continue
		}
		info, err := os.ReadFile(filepath.Join("/proc/self/fdinfo", e.Name()))
		require.NoError(t, err)
		for line := range strings.Lines(string(info)) {
			if clock, ok := strings.CutPrefix(line, "clockid:"); ok {
				clocks = append(clocks, strings.TrimSpace(clock))
			}
		}
	}
	return clocks
}

// A test cannot suspend its machine. The alarm of a pool goes by the same clock as its tasks, the
// one that stands still meanwhile: so a delay grows by that time, and nothing rings before it is
// due.
func TestF3_TheAlarmGoesByTheClockThatStandsStillWhileTheMachineIsSuspended(t *testing.T) {
	const monotonic = "1" // CLOCK_MONOTONIC; CLOCK_BOOTTIME, which goes on, is 7
	p := pooltest.NewScheduledPool(t, 1)
	defer p.Close()
	_, err := p.Schedule(time.Hour, pooltest.Nothing)
	require.NoError(t, err)
	var clocks []string
	for len(clocks) == 0 { // until the worker waits
		time.Sleep(time.Millisecond)
		clocks = flTimerClocks(t)
	}
	for _, clock := range clocks {
		assert.Equal(t, monotonic, clock)
	}
}
