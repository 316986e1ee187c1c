package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

const vectors = "../../timer/cron/testdata/vectors.csv"

// The children that answer are this program.
func TestMain(m *testing.M) {
	if answerInChild(os.Args) {
		return
	}
	os.Exit(m.Run())
}

func TestThisModulePassesAllVectors(t *testing.T) {
	groups, err := readGroups(vectors)
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) < 150 {
		t.Fatalf("only %d groups of vectors", len(groups))
	}
	for _, g := range groups {
		if !g.passes(systems()[0]) {
			t.Errorf("%s: %q in %s", g.id, g.line, g.zone)
		}
	}
}

func TestASystemThatHangsLosesOneVectorOnly(t *testing.T) {
	groups, err := readGroups(vectors)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := judge(context.Background(), systems()[1], groups, vectors, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	count := map[verdict]int{}
	for i, v := range verdicts {
		count[v]++
		if v == hung && groups[i].zone != "Pacific/Apia" {
			t.Errorf("%s hangs", groups[i].id)
		}
	}
	if len(verdicts) != len(groups) || count[hung] == 0 || count[passed] < 50 || count[failed] < 20 {
		t.Errorf("%v", count)
	}
}

func TestTheTablesHaveARowForEachSystemAndQuestion(t *testing.T) {
	var out strings.Builder
	if err := run(context.Background(), []string{"-quick", "-limit", "500ms", "-vectors", vectors}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, s := range systems() {
		if !strings.Contains(out.String(), "| "+s.name+" |") {
			t.Errorf("no row for %s", s.name)
		}
	}
	for _, q := range questions() {
		if !strings.Contains(out.String(), "| "+q.name+", UTC |") {
			t.Errorf("no row for %s", q.name)
		}
	}
	if strings.Contains(out.String(), "NaN") {
		t.Error(out.String())
	}
}

func TestBadArgumentsAreErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-rounds", "0"}, {"-rounds", "x"}, {"more"}, {"-unknown"}, {"-vectors", "nowhere.csv"},
	} {
		if err := run(context.Background(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

func TestAnInterruptEndsTheCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, []string{"-quick", "-vectors", vectors}, io.Discard, io.Discard); err == nil {
		t.Error("no error")
	}
}
