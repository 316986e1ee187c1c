//go:build race

package probe

// RaceEnabled reports whether the race detector is on. Under it everything is ten times slower, and
// a sync.Pool forgets things at random.
const RaceEnabled = true
