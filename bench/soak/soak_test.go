package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/bench/soak/drill"
	"github.com/punctual-go/punctual/internal/trust/history"
)

// soaked runs the command and returns what it prints.
func soaked(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestAShortSoakDoesAllPartsAndFindsNothing(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := soaked(t, "-ops", "20000", "-seeds", "40", "-checked", "2000", "-rounds", "400",
		"-parts", "virtual,linear,litmus,chaos,years", "-out", dir)
	if code != exitOK {
		t.Fatalf("code %d\n%s\n%s", code, out, errs)
	}
	for _, want := range []string{"| part ", string(drill.Virtual), string(drill.Linear), string(drill.Litmus), string(drill.Chaos), "1 virtual years"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	kept, err := os.ReadFile(filepath.Join(dir, "table.md"))
	if err != nil || string(kept) != out {
		t.Errorf("%v: the table that is kept is another", err)
	}
}

func TestBadFlagsAreRefusedInAnOrderlyWay(t *testing.T) {
	for _, args := range [][]string{
		{"-ops", "0"}, {"-seeds", "-1"}, {"-for", "-1s"}, {"-parallel", "0"}, {"-times", "0"}, {"-years", "1000"},
		{"-parts", "virtual,real"}, {"-parts", ","}, {"-out", ""}, {"rest"}, {"-unknown"},
	} {
		code, out, errs := soaked(t, args...)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "soak: ") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errs)
		}
	}
	if code, out, _ := soaked(t, "-help"); code != exitOK || !strings.Contains(out, "usage") {
		t.Errorf("help: code %d, %q", code, out)
	}
}

func TestTheRestGoesByTheOperations(t *testing.T) {
	o, err := parse([]string{"-ops", "100000000"}, nil)
	if err != nil || o.seeds != 100_000 || o.checked != 10_000_000 || o.rounds != 10_000_000 || o.raced != 10_000_000 || o.years != 100 {
		t.Errorf("%v: %+v", err, o)
	}
}

// Whenever a soak is broken off, it has done of each row about the same share.
func TestRowsAdvanceTogether(t *testing.T) {
	o, err := parse([]string{"-ops", "100000000"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSchedule(o, true)
	step := 0.0 // the largest share that one process does
	behind := func() (least, most float64) {
		least, most = 1, 0
		for _, r := range s.rows {
			if r.section != years {
				least, most = min(least, r.advance()), max(most, r.advance())
				step = max(step, float64(r.chunk)/float64(r.target))
			}
		}
		return least, most
	}
	for {
		r := s.next()
		if r == nil {
			break
		}
		job, _ := s.job(r)
		if least, most := behind(); most-least > step+0.01 {
			t.Fatalf("one is at %.2f, another at %.2f", least, most)
		}
		r.done(job, drill.Report{Seeds: job.Seeds, Ops: job.Seeds * max(r.perSeed, job.Ops)})
	}
	for _, r := range s.rows {
		if r.issued < r.target || r.report.Ops < r.target {
			t.Errorf("%s %s: %d of %d", r.part, r.kind, r.report.Ops, r.target)
		}
	}
}

func TestARowThatFailsAgainAndAgainIsGivenUp(t *testing.T) {
	o, err := parse([]string{"-for", "1h", "-parts", "years"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSchedule(o, false)
	for range enough {
		r := s.next()
		job, _ := s.job(r)
		r.done(job, drill.Report{Stuck: 1})
	}
	if s.next() != nil || s.clean() || !strings.Contains(s.table(o), "given up") {
		t.Error("it goes on for ever, or does not say that it has not")
	}
}

func TestSeedsAreNotUsedTwice(t *testing.T) {
	o, err := parse([]string{"-ops", "5000000", "-seed", "7"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSchedule(o, true)
	next := map[*row]uint64{}
	for r := s.next(); r != nil; r = s.next() {
		job, _ := s.job(r)
		if want, again := next[r]; again && job.Seed != want || !again && !r.raceful && job.Seed != 7 {
			t.Fatalf("%s %s: seed %d", r.part, r.kind, job.Seed)
		}
		next[r] = job.Seed + uint64(job.Seeds)
	}
}

func TestAProcessThatDiesSaysOfWhat(t *testing.T) {
	for text, count := range map[string]func(drill.Report) int64{
		"WARNING: DATA RACE":                   func(r drill.Report) int64 { return r.Raced },
		"panic: deadlock: all goroutines":      func(r drill.Report) int64 { return r.Stuck },
		"panic: test timed out after 20m":      func(r drill.Report) int64 { return r.Stuck },
		"panic: the round does not end":        func(r drill.Report) int64 { return r.Stuck },
		"found unexpected goroutines: 1 leaks": func(r drill.Report) int64 { return r.Leaked },
		"panic: index out of range":            func(r drill.Report) int64 { return r.Wrong },
	} {
		p := &process{job: drill.Job{Part: drill.Chaos, Kind: "pool"}, at: 12}
		p.note([]byte(text))
		if r := p.autopsy(os.ErrClosed); count(r) != 1 || r.Clean() || !strings.Contains(r.Faults[0], text) {
			t.Errorf("%s: %+v", text, r)
		}
	}
}

func TestAProcessTellsHowFarItIs(t *testing.T) {
	var out bytes.Buffer
	out.WriteString("some log without an end of line")
	drill.Tell(&out, drill.Message{Done: 5, At: 3})
	drill.Tell(&out, drill.Message{Done: 9, End: &drill.Report{Ops: 9}})
	var told []int64
	p := &process{heard: func(done int64) { told = append(told, done) }}
	p.listen(&out)
	if len(told) != 2 || told[1] != 9 || p.at != 3 || p.end == nil || p.end.Ops != 9 || !strings.Contains(p.transcript.String(), "some log") {
		t.Errorf("%v %+v", told, p)
	}
}

func TestAFaultShowsInTableAndExitCode(t *testing.T) {
	o, err := parse([]string{"-parts", "litmus"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSchedule(o, false)
	r := s.rows[0]
	if !s.clean() {
		t.Error("nothing has been done, and something is wrong")
	}
	r.report.Add(drill.Report{Ops: 20_000})
	if s.clean() || !strings.Contains(s.table(o), "never seen: ") {
		t.Error("outcomes that never show do not count")
	}
	r.report.Add(drill.Report{Wrong: 1, Faults: []string{"both have won"}})
	if s.clean() || !strings.Contains(s.table(o), "both have won") {
		t.Error("a fault does not count")
	}
}

func TestAHistoryThatWasKeptIsCheckedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.json")
	if err := history.Write(path, history.Kinds()[0].Record(1)); err != nil {
		t.Fatal(err)
	}
	code, out, errs := soaked(t, "-replay", path)
	if code != exitOK || !strings.Contains(out, ": ok\n") {
		t.Errorf("code %d\n%s\n%s", code, out, errs)
	}
	if _, err := os.Stat(path + ".html"); err != nil {
		t.Error(err)
	}
}

func TestAJobThatWasKeptIsDoneAgain(t *testing.T) {
	dir := t.TempDir()
	said := keep(kept{
		Job:    drill.Job{Part: drill.Virtual, Kind: "delayqueue", Seed: 5, Seeds: 100, Ops: 50},
		Report: drill.Report{Bad: []uint64{17}},
	}, dir)
	path, ok := strings.CutPrefix(said, "kept as ")
	if !ok {
		t.Fatal(said)
	}
	var k kept
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &k) != nil || k.Job.Seed != 17 || k.Job.Seeds != 1 {
		t.Errorf("%v: %+v", err, k)
	}
	code, out, errs := soaked(t, "-replay", path, "-times", "3", "-out", dir)
	if code != exitOK || !strings.Contains(out, "3 replays, and nothing was wrong") {
		t.Errorf("code %d\n%s\n%s", code, out, errs)
	}
	if code, _, _ := soaked(t, "-replay", filepath.Join(dir, "nothing")); code != exitFailure {
		t.Errorf("no file: code %d", code)
	}
}
