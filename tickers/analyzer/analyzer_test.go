package analyzer

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/packages"
)

func TestFindings(t *testing.T) { analysistest.Run(t, analysistest.TestData(), Analyzer, "a") }

func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "b", "implicit", "crons")
}

// What the flag names is used where it is a pool, and nowhere else.
func TestFixesOnTheNamedPool(t *testing.T) {
	set(t, "pool", "s.pool")
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "pools")
}

func TestNoFixWhereSomethingElseWouldChange(t *testing.T) {
	results := analysistest.Run(t, analysistest.TestData(), Analyzer,
		"refuses", "cronrefuses", "tests/called")
	for _, result := range results {
		for _, d := range result.Diagnostics {
			for _, fix := range d.SuggestedFixes {
				t.Errorf("%s: %s", result.Pass.Fset.Position(d.Pos), fix.Message)
			}
		}
	}
}

func TestTestFilesOnDemand(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "tests/skipped")
	set(t, "intests", "true")
	analysistest.Run(t, analysistest.TestData(), Analyzer, "tests/looked")
}

func set(t *testing.T, name, value string) {
	t.Helper()
	was := Analyzer.Flags.Lookup(name).Value.String()
	if err := Analyzer.Flags.Set(name, value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = Analyzer.Flags.Set(name, was) })
}

// A fix has to compile, and no test above tells.
func TestGoldensCompile(t *testing.T) {
	root := analysistest.TestData()
	for _, name := range []string{"b", "implicit", "pools", "crons"} {
		dir := filepath.Join(root, "src", name)
		goldens, err := filepath.Glob(filepath.Join(dir, "*.golden"))
		if err != nil || len(goldens) == 0 {
			t.Fatal(name, err)
		}
		overlay := map[string][]byte{}
		for _, golden := range goldens {
			text, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			overlay[strings.TrimSuffix(golden, ".golden")] = text
		}
		loaded, err := packages.Load(&packages.Config{
			Mode:    packages.LoadSyntax,
			Dir:     dir,
			Overlay: overlay,
			Env: append(os.Environ(),
				"GOPATH="+root, "GO111MODULE=off", "GOWORK=off", "GOPROXY=off"),
		}, name)
		if err != nil || len(loaded) != 1 {
			t.Fatal(name, err)
		}
		for _, err := range loaded[0].Errors {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var update = flag.Bool("update", false, "write testdata/why.txt anew")

// What is not fixed has one reason, and what is fixed has none.
func TestTheReasonsForNoFix(t *testing.T) {
	var lines []string
	all := []string{"a", "b", "refuses", "crons", "cronrefuses", "tests/called"}
	for _, result := range analysistest.Run(t, analysistest.TestData(), Analyzer, all...) {
		for _, d := range result.Diagnostics {
			at := result.Pass.Fset.Position(d.Pos)
			place := fmt.Sprintf("%s/%s:%d", result.Pass.Pkg.Path(), filepath.Base(at.Filename), at.Line)
			if len(d.SuggestedFixes)+len(d.Related) != 1 {
				t.Errorf("%s: %d fixes, %d reasons", place, len(d.SuggestedFixes), len(d.Related))
			}
			for _, related := range d.Related {
				lines = append(lines, place+": "+related.Message+"\n")
			}
		}
	}
	got := strings.Join(lines, "")
	if *update {
		if err := os.WriteFile("testdata/why.txt", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/why.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the reasons are\n%s", got)
	}
}
