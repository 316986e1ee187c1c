//go:build race

package probe

// RaceEnabled tells that the race detector is on, under which all is ten times slower, and a
// sync.Pool forgets things at random.
const RaceEnabled = true
