package driver_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/driver"
)

func TestWrongRequestsAreErrors(t *testing.T) {
	for name, test := range map[string]struct {
		system, kind, without string
	}{
		"unknown system":  {"nobody", "execute", ""},
		"unknown kind":    {"pool", "sleep", ""},
		"wrong kind":      {"channel", "due", ""},
		"not in its way":  {"quartz", "soon", ""},
		"missing size":    {"pool", "execute", "batches"},
		"missing time":    {"pool", "idle", "settle_ms"},
		"missing portion": {"pool", "cancelled", "permille"},
	} {
		t.Run(name, func(t *testing.T) {
			sizes := tiny()
			delete(sizes, test.without)
			lines, err := serve(t, test.system, test.kind, sizes)
			if err == nil || lines[0] != "" {
				t.Errorf("error %v, lines %q", err, lines)
			}
		})
	}
}

func TestSizesMustBePositive(t *testing.T) {
	for _, n := range []int64{0, -1} {
		sizes := tiny()
		sizes["ops"] = n
		if lines, err := serve(t, "pool", "schedule-cancel", sizes); err == nil || lines[0] != "" {
			t.Errorf("ops %d: error %v, lines %q", n, err, lines)
		}
	}
}

// TestEachGoIsAnswered by one line, after one that says that the warm-up is over.
func TestEachGoIsAnswered(t *testing.T) {
	var out bytes.Buffer
	if err := driver.Serve(t.Context(), "pool", "execute", tiny(), strings.NewReader("go\ngo\ngo\n"), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || lines[0] != "ready" {
		t.Fatalf("lines %q", lines)
	}
	for _, l := range lines[1:] {
		if !strings.HasPrefix(l, `{"cpu_ns":`) || !strings.Contains(l, `"ns":`) {
			t.Errorf("answer %s", l)
		}
	}
}

func TestUnknownRequestEndsTheDriver(t *testing.T) {
	var out bytes.Buffer
	err := driver.Serve(t.Context(), "pool", "execute", tiny(), strings.NewReader("stop\ngo\n"), &out)
	if err == nil || !strings.Contains(err.Error(), "stop") || out.String() != "ready\n" {
		t.Errorf("error %v, output %q", err, out.String())
	}
}

// TestIdleSaysWhenItBegins, in a round but not in the warm-up, and then is quiet for the time asked
// for.
func TestIdleSaysWhenItBegins(t *testing.T) {
	sizes := tiny()
	var begin time.Time
	var quiet time.Duration
	var lines []string
	out := writer(func(line string) {
		switch lines = append(lines, line); line {
		case "idle\n":
			begin = time.Now()
		case "{}\n":
			quiet = time.Since(begin)
		}
	})
	if err := driver.Serve(t.Context(), "queue", "idle", sizes, strings.NewReader("go\n"), out); err != nil {
		t.Fatal(err)
	}
	if want := []string{"ready\n", "idle\n", "{}\n"}; !slices.Equal(lines, want) {
		t.Errorf("lines %q, want %q", lines, want)
	}
	if want := time.Duration(sizes["for_ms"]) * time.Millisecond; quiet < want {
		t.Errorf("quiet for %v, not %v", quiet, want)
	}
}

// TestTooLateIsAnError: tasks that are due before they are all scheduled tell nothing.
func TestTooLateIsAnError(t *testing.T) {
	sizes := tiny()
	sizes["n"], sizes["lead_ms"] = 500_000, 1
	expectRefusal(t, "afterfunc", "due", sizes, "before they were due")
}

// TestTooMuchIsAnError for a system whose every change walks all of its tasks. Another time it may
// do.
func TestTooMuchIsAnError(t *testing.T) {
	sizes := tiny()
	sizes["pending"] = 1_000_000
	expectRefusal(t, "quartz", "schedule-cancel", sizes, "too long")
}

func expectRefusal(t *testing.T, system, kind string, sizes map[string]int64, text string) {
	t.Helper()
	lines, err := serve(t, system, kind, sizes)
	if err != nil || len(lines) != 2 || lines[0] != "ready" ||
		!strings.HasPrefix(lines[1], `{"error":"`) || !strings.Contains(lines[1], text) {
		t.Errorf("lines %q, error %v", lines, err)
	}
}

func TestBrokenOutputEndsTheDriver(t *testing.T) {
	broken := errors.New("broken")
	err := driver.Serve(t.Context(), "pool", "execute", tiny(), strings.NewReader("go\n"), failing{broken})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
