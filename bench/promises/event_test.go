package main

import "testing"

func TestEventIsReadAsItWasWritten(t *testing.T) {
	for _, e := range []event{
		{at: 1500, what: "asked", id: "t1", a: 7, b: 50_000},
		{at: 0, what: "cancelled", id: "t1", a: -1},
		{at: 9, what: "unable", text: "no bound"},
		{at: 12, what: "done"},
	} {
		if got, ok := parseEvent(e.String()); !ok || got != e {
			t.Errorf("%v %t; want %v", got, ok, e)
		}
	}
}

func TestTextOfAnEventStaysOnItsLine(t *testing.T) {
	e := event{what: "refused", id: "x", text: "no\n@ 1 done"}
	if got, ok := parseEvent(e.String()); !ok || got.text != "no @ 1 done" {
		t.Errorf("%v %t", got, ok)
	}
}

func TestOtherLinesAreNoEvents(t *testing.T) {
	for _, line := range []string{"", "goroutine 1:", "@ done", "@ now done - 0 0 ", "@ 1 done - 0"} {
		if e, ok := parseEvent(line); ok {
			t.Errorf("%q is %v", line, e)
		}
	}
}
