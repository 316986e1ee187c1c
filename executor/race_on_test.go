//go:build race

package executor_test

// raceEnabled tells that the race detector is on, under which a sync.Pool forgets things at random.
const raceEnabled = true
