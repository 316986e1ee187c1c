package main

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

func TestRealSystemsAreMeasured(t *testing.T) {
	dir := t.TempDir()
	small := []workload.Workload{
		{Name: "few", Kind: "execute", Params: workload.Params{"batch": 100, "batches": 2}, Figures: []workload.Figure{{Name: "ns"}, {Name: "cpu_ns"}}},
		{Name: "still", Kind: idleKind, Params: workload.Params{"n": 10, "settle_ms": 1, "for_ms": 50},
			Figures: []workload.Figure{{Name: "switches"}, {Name: "cpu_ms"}}},
	}
	var stdout, stderr bytes.Buffer
	c := command{small, findField, &stdout, &stderr}
	code := c.run(t.Context(), []string{"-java", "off", "-systems", "pool,channel,afterfunc", "-rounds", "2", "-out", dir})
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	r := saved(t, dir)
	for _, w := range r.Workloads {
		if len(w.Results) != 2 {
			t.Errorf("%s: %d systems", w.Name, len(w.Results))
		}
		for _, result := range w.Results {
			if result.Failure != "" || len(result.Rounds) != 2 || len(result.Summary) != len(w.Figures) {
				t.Errorf("%s: %+v", w.Name, result)
			}
		}
	}
	if len(r.Machine.Modules) < 9 {
		t.Errorf("modules %v", r.Machine.Modules)
	}
}

func TestWithoutJavaThereAreTheSystemsInGo(t *testing.T) {
	f, err := findField("off", "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	var names []string
	for _, c := range f.contenders {
		names = append(names, c.name)
	}
	for _, want := range []string{"pool", "fixed", "loop", "afterfunc", "ants", "gozero"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %q", want, names)
		}
	}
	if strings.Contains(strings.Join(names, " "), "jdk") || f.java != "" || f.java25 != "" || len(f.notices) > 0 {
		t.Errorf("%q, Java %q, notices %q", names, f.java, f.notices)
	}
}

func TestJavaIsLeftOutWithANoticeOnlyIfNobodyInsists(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	f, err := findField("auto", "")
	if err != nil || len(f.notices) == 0 || !strings.Contains(f.notices[0], "Java are left out") {
		t.Fatalf("%+v, %v", f, err)
	}
	defer f.close()
	if strings.Contains(strings.Join(f.notices, ""), "\n") {
		t.Errorf("a notice has more than a line: %q", f.notices)
	}
	if _, err := findField("/nowhere/bin/java", ""); err == nil {
		t.Error("no error for a java that is not there")
	}
}

// The binary of the test is a build of the command, too.
func TestAnEarlierBuildIsMeasuredBesideThisOne(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	few := []workload.Workload{{
		Name: "few", Kind: "execute", Params: workload.Params{"batch": 100, "batches": 2}, Figures: []workload.Figure{{Name: "ns"}, {Name: "cpu_ns"}},
	}}
	var stdout, stderr bytes.Buffer
	c := command{few, findField, &stdout, &stderr}
	code := c.run(t.Context(), []string{"-java", "off", "-before", self, "-systems", "pool,pool-before,fixed,fixed-before", "-rounds", "2", "-out", dir})
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var names []string
	for _, result := range saved(t, dir).Workloads[0].Results {
		if names = append(names, result.System); result.Failure != "" || len(result.Rounds) != 2 {
			t.Errorf("%+v", result)
		}
	}
	if want := []string{"pool", "pool-before", "fixed", "fixed-before"}; !slices.Equal(names, want) {
		t.Errorf("systems %q, want %q", names, want)
	}
	if _, err := findField("off", "/nowhere/rivals"); err == nil || !strings.Contains(err.Error(), "/nowhere/rivals") {
		t.Errorf("an earlier build that is not there: %v", err)
	}
}

func TestDriverRefusesBadArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"pool"}, {"pool", "execute", "batch"}, {"pool", "execute", "=1"}, {"pool", "execute", "batch=x"}, {"toaster", "execute", "batch=1"}} {
		if err := drive(t.Context(), args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
