package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/bench/mutants/catalogue"
)

// toys are the files of a module with one function, whose test sees less than it should.
var toys = map[string]string{
	"go.mod":            "module toy\n\ngo 1.26\n",
	"sum/sum.go":        "package sum\n\nfunc Up(n int) (s int) {\n\tfor i := 1; i <= n; i++ {\n\t\ts += i\n\t}\n\treturn s\n}\n\nfunc Name() string { return \"sum\" }\n",
	"sum/sum_test.go":   "package sum\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestUp(t *testing.T) {\n\tif Up(3) < 6 {\n\t\tt.Fatal(Up(3))\n\t}\n}\n\nfunc TestName(t *testing.T) {\n\tif os.Getenv(\"PUNCTUAL_SEEDS\") != \"\" && Name() != \"sum\" {\n\t\tt.Fatal(Name())\n\t}\n}\n",
	"user/user.go":      "package user\n\nimport \"toy/sum\"\n\nvar Six = sum.Up(3)\n",
	"user/user_test.go": "package user\n\nimport \"testing\"\n\nfunc TestSix(t *testing.T) {\n\tif Six != 6 {\n\t\tt.Fatal(Six)\n\t}\n}\n",
}

var faults = []catalogue.Mutant{
	{ID: "toy-01", Fault: "too little", File: "sum/sum.go", From: "i <= n", To: "i < n"},
	{ID: "toy-02", Fault: "too much", File: "sum/sum.go", From: "s += i", To: "s += i + i/3"},
	{ID: "toy-03", Fault: "only a long test asks", File: "sum/sum.go", From: `"sum"`, To: `"some"`},
	{ID: "toy-04", Fault: "no Go", File: "sum/sum.go", From: "i <= n", To: "i <= x"},
	{ID: "toy-05", Fault: "gone", File: "sum/sum.go", From: "i <= m", To: "i < m"},
}

// commandOnToys returns a command for the toys, on disk and the working directory, and what it
// prints.
func commandOnToys(t *testing.T) (c command, out, log *bytes.Buffer) {
	dir := t.TempDir()
	for name, text := range toys {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	out, log = new(bytes.Buffer), new(bytes.Buffer)
	return command{faults, "toy", out, log}, out, log
}

func TestEachMutantIsKilledByTheNearestTestThatSeesIt(t *testing.T) {
	c, out, log := commandOnToys(t)
	if code := c.run(context.Background(), []string{"-short", "-json", "results.json", "-parallel", "2"}); code != exitFailure {
		t.Errorf("exit code %d\n%s", code, log)
	}
	text, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	var results []result
	if err := json.Unmarshal(text, &results); err != nil {
		t.Fatal(err)
	}
	want := []result{
		{ID: "toy-01", Outcome: killed, Package: "sum", Test: "TestUp"},
		{ID: "toy-02", Outcome: killed, Package: "user", Test: "TestSix"},
		{ID: "toy-03", Outcome: survived},
		{ID: "toy-04", Outcome: broken},
		{ID: "toy-05", Outcome: broken},
	}
	if len(results) != len(want) {
		t.Fatalf("%d results, want %d\n%s%s", len(results), len(want), out, log)
	}
	for i, w := range want {
		r := results[i]
		if r.ID != w.ID || r.Outcome != w.Outcome || r.Package != w.Package || r.Test != w.Test {
			t.Errorf("%+v, want %+v", r, w)
		}
	}
	if source, _ := os.ReadFile("sum/sum.go"); string(source) != toys["sum/sum.go"] {
		t.Errorf("the source is not what it was:\n%s", source)
	}
}

func TestMutantsThatAreAllKilledAreASuccess(t *testing.T) {
	c, out, log := commandOnToys(t)
	if code := c.run(context.Background(), []string{"-only", "01|02", "-short"}); code != exitOK {
		t.Errorf("exit code %d\n%s%s", code, out, log)
	}
	if !strings.Contains(out.String(), "2/2 (100 %)") {
		t.Errorf("no score:\n%s", out)
	}
}

func TestWhatSurvivesTheShortSetGetsTheLongOne(t *testing.T) {
	c, out, log := commandOnToys(t)
	if code := c.run(context.Background(), []string{"-only", "03"}); code != exitFailure { // the short set has missed its target
		t.Errorf("exit code %d\n%s", code, log)
	}
	for _, want := range []string{"| sum: TestName fails | long |", "short set: 0/1", "by all: 1/1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s%s", want, out, log)
		}
	}
}

func TestTestsThatFailWithoutAFaultEndIt(t *testing.T) {
	c, out, log := commandOnToys(t)
	if err := os.WriteFile("sum/sum.go", []byte(strings.Replace(toys["sum/sum.go"], "<=", "<", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if code := c.run(context.Background(), []string{"-only", "03", "-short"}); code != exitFailure {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if !strings.Contains(log.String(), "TestUp fails in sum, without any fault") || out.Len() > 0 {
		t.Errorf("%s%s", out, log)
	}
}

func TestBadFlagsAreErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-parallel", "0"}, {"-parallel", "x"}, {"-only", "("}, {"-skip", "("}, {"-only", "nothing"}, {"more"}, {"-unknown"},
	} {
		var out, log bytes.Buffer
		c := command{faults, "toy", &out, &log}
		if code := c.run(context.Background(), args); code != exitUsage || log.Len() == 0 || out.Len() > 0 {
			t.Errorf("%q: exit code %d\n%s%s", args, code, &out, &log)
		}
	}
}

func TestTheListNamesWhatIsChosenAndHelpTheFlags(t *testing.T) {
	for _, x := range []struct{ flag, want string }{{"-list", "only a long test"}, {"-h", "-parallel"}} {
		var out, log bytes.Buffer
		c := command{faults, "toy", &out, &log}
		if code := c.run(context.Background(), []string{"-only", "03", x.flag}); code != exitOK || !strings.Contains(out.String(), x.want) {
			t.Errorf("%s: exit code %d\n%s%s", x.flag, code, &out, &log)
		}
		if strings.Contains(out.String(), "too little") {
			t.Errorf("%s: more than was asked for\n%s", x.flag, &out)
		}
	}
}

func TestAnInterruptEndsIt(t *testing.T) {
	c, out, _ := commandOnToys(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := c.run(ctx, []string{"-short"}); code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
