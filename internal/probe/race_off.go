//go:build !race

package probe

// RaceEnabled tells whether the race detector is on.
const RaceEnabled = false
