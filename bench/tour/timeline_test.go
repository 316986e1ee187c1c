package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s; run the test with -update if that is meant. Got:\n%s", path, got)
	}
}

func fitsIn(t *testing.T, width int, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
			t.Errorf("%d columns, want at most %d: %s", n, width, line)
		}
	}
}

func TestTimelineAndTableOfTheComparison(t *testing.T) {
	sc, systems := compared(t)
	text := introduction(sc, contenders()) + drawTimeline(sc, systems, maxColumns) + drawTable(systems)
	golden(t, "comparison.txt", text)
	fitsIn(t, maxColumns, text)
}

func TestTimelineFitsAnyWidth(t *testing.T) {
	for _, length := range []time.Duration{minFor, defaultFor, 77777 * time.Millisecond, maxFor} {
		for _, width := range []int{minColumns, 99, maxColumns} {
			fitsIn(t, width, drawTimeline(newScenario(length), noRuns(length), width))
		}
	}
}

func TestWithoutRunsEverythingIsDrawn(t *testing.T) {
	systems := noRuns(defaultFor)
	text := drawTimeline(newScenario(defaultFor), systems, 80) + drawTable(systems)
	golden(t, "noruns.txt", text)
}

func noRuns(length time.Duration) (systems []system) {
	for _, c := range contenders() {
		systems = append(systems, measure(c, newScenario(length), nil))
	}
	return systems
}
