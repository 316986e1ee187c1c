//go:build race

package pooltest

// RaceEnabled tells that the race detector is on, under which a sync.Pool forgets things at random.
const RaceEnabled = true
