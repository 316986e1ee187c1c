package process_test

import (
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/process"
)

func watchable(t *testing.T) {
	if err := process.CanWatch(); err != nil {
		t.Skip(err)
	}
}

func TestWhatAQuietProcessDoesIsSeenFromOutside(t *testing.T) {
	watchable(t)
	o := process.Options{Quiet: 500 * time.Millisecond}
	measure := func(meanwhile string) map[string]float64 {
		d := ready(t, o, "hear go", "fidget 50ms", "say idle", meanwhile, "say {}", "end-of-input")
		defer d.Close()
		f, err := d.Measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	asleep, fidgety := measure("sleep 500ms"), measure("fidget 500ms")
	if fidgety["switches"] < 50 || fidgety["cpu_ms"] <= 0 {
		t.Errorf("a process that wakes each millisecond: %v", fidgety)
	}
	if asleep["switches"] > fidgety["switches"]/2 || asleep["cpu_ms"] > fidgety["cpu_ms"] || len(asleep) != 2 {
		t.Errorf("asleep: %v; awake: %v", asleep, fidgety)
	}
}

func TestQuietRoundThatFailsIsAnErrorThatSaysWhy(t *testing.T) {
	watchable(t)
	o := process.Options{Quiet: 100 * time.Millisecond}
	for _, tt := range []struct {
		want  string
		lines []string
	}{
		{"fake: too many", []string{"hear go", `say {"error": "too many"}`}},
		{`unexpected line "{}"`, []string{"hear go", "say {}"}},
		{`unexpected line "noise"`, []string{"hear go", "say idle", "say noise"}},
		{`unexpected line "noise"`, []string{"hear go", "say idle", "sleep 50ms", "say noise"}},
		{"exit status 5", []string{"hear go", "say idle", "die"}},
		{"exit status 5", []string{"hear go", "say idle", "sleep 50ms", "die"}},
		{"fake: woken", []string{"hear go", "say idle", "sleep 100ms", `say {"error": "woken"}`}},
	} {
		d := ready(t, o, append(tt.lines, "end-of-input")...)
		if f, err := d.Measure(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, %v", tt.lines, f, err)
		}
		d.Close()
	}
}
