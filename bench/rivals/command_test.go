package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/report"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// saved reads the one report in dir.
func saved(t *testing.T, dir string) report.Report {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%q, %v", paths, err)
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	var r report.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEverySystemDoesEveryRoundAndAllOfItIsWritten(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := run(t, []string{"-rounds", "4", "-workloads", "soon,execute", "-out", dir},
		fake("pool", `{"ns": 5};{"ns": 3};{"ns": 9};{"ns": 1}`, "soon", "execute"),
		fake("channel", figures(2), "execute"), fake("other", figures(1), "idle"))
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	r := saved(t, dir)
	if r.Rounds != 4 || r.Machine.Java != "99" || r.Machine.Processors == 0 || r.Quick || r.Incomplete != "" ||
		r.Command != "go -C bench run ./rivals -rounds 4 -workloads soon,execute" {
		t.Errorf("%+v", r)
	}
	if len(r.Systems) != 2 || len(r.Workloads) != 2 {
		t.Fatalf("%d systems, %d workloads", len(r.Systems), len(r.Workloads))
	}
	for i, w := range r.Workloads {
		pool := w.Results[0]
		if pool.System != "pool" || len(w.Results) != 1+i || pool.Rounds[2]["ns"] != 9 ||
			*pool.Summary["ns"] != (report.Summary{Median: 3, Min: 1, Max: 9}) {
			t.Errorf("%s: %+v", w.Name, pool)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, r.Date.Format("2006-01-02")+".md"))
	if err != nil || !strings.HasPrefix(string(text), stdout) || !strings.Contains(stdout, "| `pool`    |                3 |") {
		t.Errorf("%v: what is printed is another:\n%s", err, stdout)
	}
	for _, want := range []string{"soon: 1 systems, 4 rounds\n", "execute: 2 systems, 4 rounds\n", "written: " + dir} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %q", want, stderr)
		}
	}
}

func TestFailuresAreNotedDownAndTheRunGoesOn(t *testing.T) {
	dir := t.TempDir()
	ok := figures(4)
	code, stdout, stderr := run(t, []string{"-rounds", "3", "-workloads", "soon", "-out", dir},
		fake("crash", ok+";die", "soon"), fake("refuse", `{"error": "too many for me"}`, "soon"),
		fake("odd", `{"furlongs": 1}`, "soon"), fake("nothing", `{}`, "soon"), fake("pool", ok, "soon"),
		contender{"early", "", []string{"soon"}, fake("early", "", "soon").command},
	)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	w := saved(t, dir).Workloads[0]
	for i, want := range []struct {
		failure string
		rounds  int
	}{
		{"crash: in a round: it has ended: exit status 7; it said:\nno more", 1},
		{"refuse: too many for me", 0},
		{`odd: "furlongs" is no figure of soon`, 0},
		{"nothing: it has measured nothing", 0},
		{"", 3},
		{"early: in a round: unexpected line", 0},
	} {
		r := w.Results[i]
		if !strings.HasPrefix(r.Failure, want.failure) || (want.failure == "") != (r.Failure == "") || len(r.Rounds) != want.rounds {
			t.Errorf("%+v; want %+v", r, want)
		}
		if r.Failure != "" && (!strings.Contains(stdout, "| `"+r.System+"`") || !strings.Contains(stderr, "soon: "+r.Failure)) {
			t.Errorf("%s fails in silence:\n%s%s", r.System, stdout, stderr)
		}
	}
}

func TestDriverThatCannotBeStartedIsAFailure(t *testing.T) {
	dir := t.TempDir()
	dead := fake("dead", "", "soon")
	command := dead.command
	dead.command = func(ctx context.Context, kind string, params workload.Params) *exec.Cmd {
		cmd := command(ctx, kind, params)
		cmd.Env = append(cmd.Env, behaviour+"=die")
		return cmd
	}
	_, _, stderr := run(t, []string{"-rounds", "1", "-workloads", "soon", "-out", dir}, dead, fake("pool", figures(1), "soon"))
	if r := saved(t, dir).Workloads[0].Results[0]; !strings.Contains(r.Failure, "dead: before it was ready") || !strings.Contains(stderr, r.Failure) {
		t.Errorf("%+v, %s", r, stderr)
	}
}

func TestNothingMeasuredIsAFailureAndNothingIsWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	code, stdout, stderr := run(t, []string{"-workloads", "soon", "-out", dir}, fake("pool", "die", "soon"))
	if _, err := os.Stat(dir); code != exitFailure || stdout != "" || !strings.Contains(stderr, "nothing could be measured") || err == nil {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}

func TestQuickMeasuresSmallSizesAndTellsDrivers(t *testing.T) {
	dir := t.TempDir()
	var told []string
	c := fake("pool", figures(1), "soon", "schedule-cancel", "allocations")
	command := c.command
	c.command = func(ctx context.Context, kind string, params workload.Params) *exec.Cmd {
		cmd := command(ctx, kind, params)
		told = append(told, cmd.Args[1:]...)
		return cmd
	}
	code, stdout, stderr := run(t, []string{"-quick", "-workloads", "soon,schedule-cancel-10M", "-out", dir}, c)
	if code != exitOK || !strings.Contains(stdout, "**Quick:**") || !strings.Contains(stderr, "schedule-cancel-10M is left out") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	r := saved(t, dir)
	if w := r.Workloads[0]; len(r.Workloads) != 1 || w.Rounds != quickRounds || len(w.Results[0].Rounds) != quickRounds || w.Params["n"] != 50_000 || w.Params["quick"] != 0 {
		t.Errorf("%+v", w)
	}
	slices.Sort(told)
	if !slices.Equal(told, []string{"drive", "n=50000", "pool", "quick=1", "soon"}) {
		t.Errorf("%q", told)
	}
}

func TestWorkloadMayHaveFewerRounds(t *testing.T) {
	dir := t.TempDir()
	run(t, []string{"-rounds", "5", "-workloads", "mixed,soon", "-out", dir},
		fake("loop", `{"cpu": 1}`, "mixed"), fake("pool", figures(1), "soon"))
	r := saved(t, dir)
	for i, want := range []int{5, 3} {
		if got := len(r.Workloads[i].Results[0].Rounds); got != want {
			t.Errorf("%s: %d rounds, want %d", r.Workloads[i].Name, got, want)
		}
	}
}

func TestCheckFailsIfATargetIsMissed(t *testing.T) {
	for _, tt := range []struct {
		rival float64
		args  []string
		code  int
	}{{25, []string{"-check"}, exitOK}, {24, []string{"-check"}, exitFailure}, {24, nil, exitOK}} {
		args := append([]string{"-workloads", "soon", "-rounds", "1", "-out", t.TempDir()}, tt.args...)
		code, stdout, stderr := run(t, args, fake("pool", figures(10), "soon"), fake("afterfunc", figures(tt.rival), "soon"))
		if code != tt.code || !strings.Contains(stdout, "### Targets") || (code != exitOK) != strings.Contains(stderr, "not all targets are met") {
			t.Errorf("%v, %q: exit code %d: %s", tt.rival, tt.args, code, stderr)
		}
	}
}

// trigger calls a function when a text is written.
type trigger struct {
	bytes.Buffer
	text string
	call func()
}

func (t *trigger) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(t.text)) {
		t.call()
	}
	return t.Buffer.Write(p)
}

func TestInterruptedRunWritesWhatItHas(t *testing.T) {
	for _, tt := range []struct {
		when       string // the line after which it is interrupted
		incomplete bool
	}{{"execute: ", true}, {"soon: ", false}} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		var stdout bytes.Buffer
		stderr := &trigger{text: tt.when, call: cancel}
		c := fakes(&stdout, stderr, fake("pool", figures(1), "soon", "execute"), fake("ants", "hang", "execute"))
		code := c.run(ctx, []string{"-rounds", "2", "-workloads", "soon,execute", "-out", dir})
		if code != exitInterrupted || strings.Count(stderr.String(), "interrupted") != 1 {
			t.Errorf("exit code %d: %s", code, stderr)
		}
		if !tt.incomplete {
			if files, _ := os.ReadDir(dir); len(files) != 0 || stdout.Len() != 0 {
				t.Errorf("%v, %s", files, &stdout)
			}
			continue
		}
		r := saved(t, dir)
		if r.Incomplete == "" || len(r.Workloads) != 1 || len(r.Workloads[0].Results[0].Rounds) != 2 || !strings.Contains(stdout.String(), "**Incomplete:**") {
			t.Errorf("%+v\n%s", r, &stdout)
		}
	}
}

func TestInterruptInARoundEndsTheDriverAndIsNoFailureOfIt(t *testing.T) {
	dir, sign := t.TempDir(), filepath.Join(t.TempDir(), "it hangs")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(sign); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var stdout, stderr bytes.Buffer
	c := fakes(&stdout, &stderr, fake("pool", figures(1)+";hang "+sign, "execute"), fake("ants", figures(1), "execute"))
	code := c.run(ctx, []string{"-rounds", "2", "-workloads", "execute", "-out", dir})
	if code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	for _, r := range saved(t, dir).Workloads[0].Results {
		if r.Failure != "" || len(r.Rounds) == 0 {
			t.Errorf("%+v", r)
		}
	}
}

var errNoDisk = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errNoDisk }

func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	var stderr bytes.Buffer
	dir := t.TempDir()
	args := []string{"-rounds", "1", "-workloads", "soon", "-out", dir}
	code := fakes(fullDisk{}, &stderr, fake("pool", figures(1), "soon")).run(t.Context(), args)
	if code != exitFailure || !strings.Contains(stderr.String(), errNoDisk.Error()) {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	if saved(t, dir).Rounds != 1 {
		t.Error("nothing is saved, though the files can be written")
	}
}
