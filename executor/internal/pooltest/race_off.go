//go:build !race

package pooltest

// RaceEnabled tells whether the race detector is on.
const RaceEnabled = false
