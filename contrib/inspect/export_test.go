package inspect

import (
	"runtime/debug"
	"time"
)

// Forget has the next viewer get a new snapshot.
func (p *Page) Forget() { p.forget() }

// Stand finds out where a run of a task stands, and tells how many goroutines were found, how long
// that took, and what no stop has reached.
func Stand(pool, task string) (found int, took, stopped time.Duration) {
	s := &standing{name: task}
	s.look(pool)
	return len(s.Found), time.Duration(s.Took), time.Duration(s.Stopped)
}

// VersionOf returns the version of a program of which that is known.
func VersionOf(info *debug.BuildInfo) string { return versionOf(info) }
