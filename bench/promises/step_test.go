package main

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestProgramIsReadLineByLine(t *testing.T) {
	got, err := parse("open 1 10\n\n  ?rate r 10ms 1h work@1=5us\nsoon x fail@3\nuntil r 20")
	want := []step{
		{verb: "open", counts: []int{1, 10}},
		{
			verb: "rate", id: "r", times: []time.Duration{10 * time.Millisecond, time.Hour}, optional: true,
			body: body{work: 5 * time.Microsecond, working: 1},
		},
		{verb: "soon", id: "x", body: body{fails: true, failing: 3}},
		{verb: "until", id: "r", counts: []int{20}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v; want %v", got, err, want)
	}
}

func TestProgramWithAMistakeIsRefusedWithItsLine(t *testing.T) {
	for line, want := range map[string]string{
		"dance":          `there is no verb "dance"`,
		"after x":        "something is missing",
		"after x soon":   "invalid duration",
		"until x twice":  "invalid syntax",
		"release x":      `"x" is too much`,
		"soon x sing":    `there is no body "sing"`,
		"soon x fail@ok": "invalid syntax",
	} {
		_, err := parse("hold\n" + line)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), line) {
			t.Errorf("%s: %v; want %q", line, err, want)
		}
	}
}
