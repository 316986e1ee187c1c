//go:build race

package future_test

// raceEnabled tells that the race detector is on, under which all is ten times slower.
const raceEnabled = true
