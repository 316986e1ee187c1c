package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestMain has the timers that die as shown do so in silence, as main does.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	m.Run()
}

// command runs the tour in a bubble, until the given time if there is one.
func command(t *testing.T, until time.Duration, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		start := time.Now()
		if until > 0 {
			time.AfterFunc(until, cancel)
		}
		code = run(ctx, args, &out, &err)
		if took := time.Since(start); until > 0 && took > until {
			t.Errorf("interrupted after %v, returned after %v", until, took)
		}
	})
	return code, out.String(), err.String()
}

func TestTourShowsEverything(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := command(t, 0, "-for", "2s", "-out", dir)
	if code != exitOK {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"░ stall 520ms ░", "█", "late p99", "timer.Timer", "Terminated", filepath.Join(dir, pictureName)} {
		if !strings.Contains(stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, stdout)
		}
	}
	if n := strings.Count(stderr, "comparing"); n != 3 || strings.ContainsAny(stderr, "\x1b\r") {
		t.Errorf("progress is not three plain lines: %q", stderr)
	}
}

func TestJSONIsAllThereIsAndKeepsItsShape(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := command(t, 0, "-json", "-for", "1s", "-out", dir)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var r, again report
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	if d.More() {
		t.Error("there is more than one value")
	}
	if len(r.Systems) != 5 || len(r.Showcase) != 9 || len(r.Ordeal.Systems) != 4 || len(r.Ordeal.Steps) != 4 || r.Period != 50*ms || r.Picture != filepath.Join(dir, pictureName) {
		t.Errorf("report is not complete: %+v", r)
	}
	var text bytes.Buffer
	if err := r.write(&text); err != nil {
		t.Fatal(err)
	}
	if text.String() != stdout {
		t.Error("written again, the report is another")
	}
	if err := json.Unmarshal(text.Bytes(), &again); err != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("read again, the report is another (%v)", err)
	}
}

func TestJSONKeysOfDurationsHaveTheirUnit(t *testing.T) {
	_, stdout, _ := command(t, 0, "-json", "-for", "1s", "-out", t.TempDir())
	for _, want := range []string{
		`"lengthNs": 1000000000,`, `"periodNs": 50000000,`, `"stallNs": 270000000,`,
		`"latenessP50Ns": 0,`, `"latenessP99Ns": 220000000,`, `"startedNs": 50000000,`, `"elapsedNs": 300000000,`,
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestNoRunsAreNoLatenessInJSON(t *testing.T) {
	data, err := json.Marshal(noRuns(minFor)[0])
	if err != nil {
		t.Fatal(err)
	}
	if s := string(data); !strings.Contains(s, `"latenessP50Ns":null`) || !strings.Contains(s, `"runs":[]`) {
		t.Error(s)
	}
}

func TestPictureThatCannotBeWrittenFailsOnlyAtTheEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := command(t, 0, "-for", "1s", "-out", file)
	if code != exitFailure || !strings.Contains(stderr, "tour: the picture could not be written: ") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(stdout, "Terminated") {
		t.Errorf("the tour was cut short:\n%s", stdout)
	}
	code, stdout, _ = command(t, 0, "-json", "-for", "1s", "-out", file)
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitFailure || r.PictureError == "" {
		t.Errorf("exit code %d, picture error %q (%v)", code, r.PictureError, err)
	}
}

func TestBadFlagsAreRefusedWithAReason(t *testing.T) {
	tests := []struct {
		reason string
		args   []string
	}{
		{"at least 1s", []string{"-for", "999ms"}},
		{"at least 1s", []string{"-for", "-1h"}},
		{"at most 5m0s", []string{"-for", "6m"}},
		{`invalid value "soon"`, []string{"-for", "soon"}},
		{"-out is empty", []string{"-out", ""}},
		{"needs an argument", []string{"-out"}},
		{`unexpected argument "now"`, []string{"-json", "now"}},
		{"not defined: -speed", []string{"-speed"}},
		{"invalid boolean", []string{"-json=perhaps"}},
	}
	for _, tt := range tests {
		code, stdout, stderr := command(t, 0, tt.args...)
		if code != exitUsage || !strings.Contains(stderr, tt.reason) || stdout != "" {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", tt.args, code, stdout, stderr)
		}
	}
}

func TestHelpIsNoError(t *testing.T) {
	code, stdout, stderr := command(t, 0, "-h")
	if code != exitOK || !strings.Contains(stdout, "-for duration") || stderr != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestInterruptedTourSaysSoAndExitsWith130(t *testing.T) {
	for _, args := range [][]string{{"-json"}, nil} {
		for _, after := range []time.Duration{ms, 700 * ms, 1500 * ms, 2200 * ms, 2700 * ms} {
			args := append([]string{"-for", "2s", "-out", t.TempDir()}, args...)
			code, stdout, stderr := command(t, after, args...)
			if code != exitInterrupted || strings.Count(stderr, "interrupted") != 1 {
				t.Errorf("%q after %v: exit code %d, stderr %q", args, after, code, stderr)
			}
			if len(args) == 5 && stdout != "" {
				t.Errorf("half a report: %q", stdout)
			}
		}
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	for _, args := range [][]string{{"-for", "1s"}, {"-for", "1s", "-json"}} {
		synctest.Test(t, func(t *testing.T) {
			var stderr bytes.Buffer
			args := append(args, "-out", t.TempDir())
			if code := run(t.Context(), args, fullDisk{}, &stderr); code != exitFailure {
				t.Errorf("%q: exit code %d", args, code)
			}
			if !strings.Contains(stderr.String(), errFull.Error()) {
				t.Errorf("%q: stderr %q", args, stderr.String())
			}
		})
	}
}
