//go:build race

package wheel

// raceEnabled tells that the race detector is on, under which everything takes ten times as long.
const raceEnabled = true
