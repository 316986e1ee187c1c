// Package differential runs the same scripts on the JDK's executors, in real time on a grid, and on
// Punctual, in virtual time, and compares what happened.
//
//	PUNCTUAL_JDK=record go test -run TestRecord -timeout 0 ./executor/internal/conformance/differential
//
// records again what the JDK does, which the tests replay everywhere.
package differential

import (
	"log/slog"
	"os"
	"testing"
)

// A timer that dies says so in the log.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// clearSeeds returns the first n scripts from a seed on that have one outcome.
func clearSeeds(t *testing.T, from uint64, n int) (seeds []uint64, scripts []script) {
	t.Helper()
	for seed := from; len(seeds) < n; seed++ {
		s := generate(seed)
		if clear(t, s, virtual(t, s, nil)) {
			seeds, scripts = append(seeds, seed), append(scripts, s)
		}
	}
	return seeds, scripts
}

// A few scripts on the JDK that is here, if there is one. Beside other tests they would be
// disturbed.
func TestAgainstTheJDKThatIsHere(t *testing.T) {
	if os.Getenv("PUNCTUAL_JDK") != "live" {
		t.Skip("it takes half a minute on a machine that does nothing else: PUNCTUAL_JDK=live")
	}
	java := jdk(t)
	_, scripts := clearSeeds(t, 1_000_000, 150)
	c := compare(t, java, scripts, 16, 150)
	t.Log(c)
	c.check(t)
}

// asked is how many scripts a recording is made of, but for those that say nothing.
const asked = 11_000

// TestRecord makes the recording anew, if it is told to.
func TestRecord(t *testing.T) {
	if os.Getenv("PUNCTUAL_JDK") != "record" {
		t.Skip("it takes ten minutes, a JDK, and PUNCTUAL_JDK=record")
	}
	java := jdk(t)
	seeds, scripts := clearSeeds(t, 0, asked)
	c := compare(t, java, scripts, 16, 300)
	var all []recorded
	for i, history := range c.histories {
		if history != "" {
			all = append(all, recorded{seeds[i], scripts[i], history})
		}
	}
	t.Log(c)
	write(t, all)
	c.check(t)
}
