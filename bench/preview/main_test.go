package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "write the files of testdata anew")

// now is a Thursday.
var now = time.Date(2027, 5, 6, 10, 17, 33, 0, time.UTC)

// command runs the preview of a crontab on standard input; without one, that of the sample.
func command(crontab string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	if crontab != "" {
		args = append(args, "-")
	}
	code = run(append([]string{"-width", "120"}, args...), now, strings.NewReader(crontab), &out,
		&err)
	return code, out.String(), err.String()
}

func TestTheSampleIsDrawnAsText(t *testing.T) {
	code, got, stderr := command("")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	const name = "testdata/sample.txt"
	if *rewrite {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s\nIf that is better, run the test with -rewrite.", got, want)
	}
}

func TestThePictureIsWrittenAndTheFactsAreTold(t *testing.T) {
	name := filepath.Join(t.TempDir(), "day.svg")
	code, stdout, stderr := command("", "-svg", name)
	if code != exitOK || !strings.HasPrefix(stdout, "55 runs of 8 jobs") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := xml.NewDecoder(f); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
}

func TestAPreviewBeginsWithThisHourOrWhereOneSays(t *testing.T) {
	for want, args := range map[string][]string{
		"Thu 6 May – Fri 7 May 2027":       {"-zone", "UTC"},
		"Friday 7 May 2027":                {"-zone", "UTC", "-from", "2027-05-07"},
		"Fri 7 May – Thu 13 May 2027":      {"-zone", "UTC", "-from", "2027-05-07", "-days", "7"},
		"Fri 31 December 2027 – Sat 1 Jan": {"-zone", "UTC", "-from", "2027-12-31T22:00"},
	} {
		code, stdout, stderr := command("0 * * * * a\n", args...)
		if code != exitOK || !strings.HasPrefix(stdout, want) {
			t.Errorf("%q: exit code %d: %.80s%s", args, code, stdout, stderr)
		}
	}
	_, stdout, _ := command("0 11 * * * a # 30m\n0 10 * * * b\n", "-zone", "UTC")
	for _, want := range []string{"2 runs of 2 jobs", "quiet: Thu 11:30–Fri 10:00 (22h30m)"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestEstimatesOfTheCommandLineComeFirst(t *testing.T) {
	_, stdout, _ := command("0 11 * * * a # 30m\n0 12 * * * b\n0 13 * * * c\n",
		"-zone", "UTC", "-job", "a=45m", "-estimate", "20m", "-job", "c=1h10m")
	for _, want := range []string{"  45m  ", "  20m  ", "1h10m  "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestBadFlagsAreRefused(t *testing.T) {
	for _, args := range [][]string{
		{"-workers", "0"}, {"-workers", "10001"}, {"-days", "0"}, {"-days", "367"},
		{"-rows", "0"}, {"-width", "59"}, {"-zone", "Nowhere"}, {"-from", "tomorrow"},
		{"-estimate", "-1s"}, {"-job", "a"}, {"-job", "a=0s"}, {"-job", "a=soon"},
		{"one", "two"}, {"-what"},
	} {
		code, stdout, stderr := command("", args...)
		if code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "preview: ") {
			t.Errorf("%q: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
}

func TestWhatCannotBeDoneIsTold(t *testing.T) {
	for want, args := range map[string][]string{
		"no/such/file":            {"no/such/file"},
		`no job is called "what"`: {"-job", "what=1m"},
		"no/such/folder":          {"-svg", "no/such/folder/x.svg"},
	} {
		code, _, stderr := command("", args...)
		if code != exitFailure || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d: %s", args, code, stderr)
		}
	}
	code, stdout, stderr := command("0 25 * * * a\n")
	if code != exitFailure || stdout != "" ||
		!strings.Contains(stderr, "standard input:1: cron: hour: ") ||
		!strings.Contains(stderr, "\n\t0 25 * * * a\n\t  ^^\n") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

func TestHelpIsPrintedWhenAskedFor(t *testing.T) {
	code, stdout, stderr := command("", "-h")
	if code != exitOK || !strings.Contains(stdout, "usage: preview") || stderr != "" {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
