package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

func TestTheTableHasARowForEachFacilityAndNoEmptyCell(t *testing.T) {
	var out strings.Builder
	if err := run(context.Background(), []string{"-quick"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if got, want := len(lines), 5+len(facilities()); got != want {
		t.Fatalf("%d lines, want %d:\n%s", got, want, out.String())
	}
	for _, line := range lines[5:] {
		if got, want := strings.Count(line, "|"), strings.Count(lines[3], "|"); got != want || strings.Contains(line, " 0 |") || strings.Contains(line, "NaN") {
			t.Errorf("a bad row: %s", line)
		}
	}
}

func TestBadArgumentsAreErrors(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-rounds", "x"}, {"more"}, {"-unknown"}} {
		if err := run(context.Background(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

func TestAnInterruptEndsTheMeasurement(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, []string{"-quick"}, io.Discard, io.Discard); err == nil {
		t.Error("no error")
	}
}
