package main

import (
	"strings"
	"testing"
)

// found returns results of so many mutants.
func found(byShort, byLong, alive int) (rs []result) {
	for range byShort {
		rs = append(rs, result{ID: "a-01", Outcome: killed, Set: short.name})
	}
	for range byLong {
		rs = append(rs, result{ID: "b-01", Outcome: killed, Set: longs[0].name})
	}
	for range alive {
		rs = append(rs, result{ID: "c-01", Outcome: survived})
	}
	return rs
}

func TestTheTargetsAreFourFifthsByTheShortSetAndAllByBoth(t *testing.T) {
	for _, c := range []struct {
		byShort, byLong, alive int
		shortOnly, met         bool
	}{
		{10, 0, 0, false, true},
		{8, 2, 0, false, true},
		{7, 3, 0, false, false},
		{9, 0, 1, false, false},
		{9, 0, 1, true, true},
		{8, 0, 2, true, true},
		{7, 0, 3, true, false},
	} {
		if got := newReport(found(c.byShort, c.byLong, c.alive), c.shortOnly).met(); got != c.met {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if newReport([]result{{Outcome: broken}}, true).met() {
		t.Error("a mutant that does not build meets the targets")
	}
}

func TestTheTableTellsWhoHasFoundWhat(t *testing.T) {
	text := newReport([]result{
		{ID: "a-01", Fault: "a | b", Outcome: killed, Set: "short", Package: "p", Test: "TestX", How: "fails", Seconds: 1.25},
		{ID: "a-02", Fault: "c", Outcome: survived, Seconds: 2},
		{ID: "a-03", Fault: "d", Outcome: broken, Output: "undefined: x"},
	}, false).markdown()
	for _, want := range []string{
		"| a-01 | a \\| b | p: TestX fails | short | 1.2 |",
		"| a-02 | c | **survived** |  | 2.0 |",
		"| a-03 | d | **broken** |",
		"short set: 1/3 (33 %)",
		"by all: 1/3 (33 %)",
		"undefined: x",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
