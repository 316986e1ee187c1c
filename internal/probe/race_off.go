//go:build !race

package probe

// RaceEnabled reports whether the race detector is on.
const RaceEnabled = false
