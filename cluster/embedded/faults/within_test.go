package faults

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// within tells how long something took. Machines differ, so it is judged in the long set alone.
func within(t testing.TB, what string, took, limit time.Duration) {
	t.Helper()
	t.Logf("%s: %v", what, took.Round(time.Microsecond))
	if os.Getenv(forLong) != "" {
		require.Less(t, took, limit, what)
	}
}

// beside has a trial run beside others, unless times are judged.
func beside(t *testing.T) {
	t.Helper()
	if os.Getenv(forLong) == "" {
		t.Parallel()
	}
}
