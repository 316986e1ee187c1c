package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// finding is a line of testdata/real.tsv: where something was found, what was said, whether that is
// right by a look at the code, and what it is.
type finding struct{ module, place, message, verdict, what string }

func findings(t *testing.T) (all []finding) {
	t.Helper()
	text, err := os.ReadFile("testdata/real.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 5 {
			t.Fatalf("%d fields: %q", len(f), line)
		}
		all = append(all, finding{f[0], f[1], f[2], f[3], f[4]})
	}
	return all
}

// At least nine in ten findings are right.
func TestTheFindingsAreRight(t *testing.T) {
	right, modules := 0, map[string]bool{}
	all := findings(t)
	for _, f := range all {
		modules[f.module] = true
		if f.what == "" {
			t.Errorf("%s: it does not say what it is", f.place)
		}
		switch f.verdict {
		case "right":
			right++
		case "wrong":
		default:
			t.Errorf("%s: %q is no verdict", f.place, f.verdict)
		}
	}
	t.Logf("%d findings in %d modules, %d are right", len(all), len(modules), right)
	if len(modules) < 5 || 10*right < 9*len(all) {
		t.Errorf("%d of %d findings in %d modules are right", right, len(all), len(modules))
	}
}

// large modules take minutes to build from nothing: PUNCTUAL_TICKERS=all looks at them as well.
var large = []string{
	"github.com/nats-io/nats-server/v2@v2.15.2",
	"github.com/redis/go-redis/v9@v9.17.2",
	"github.com/zeromicro/go-zero@v1.10.3",
	"github.com/acaloiaro/neoq@v0.72.2",
	"github.com/dbos-inc/dbos-transact-golang@v1.8.0",
	"github.com/k8snetworkplumbingwg/whereabouts@v0.9.2",
}

// own are the tests of modules that fixes have to pass as the code before them did: those of the
// packages with fixes that need no servers.
var own = map[string][]string{
	"github.com/hashicorp/raft@v1.7.3":       {"-run", "Progress|Restore", "."},
	"github.com/redis/go-redis/v9@v9.17.2":   {"./maintnotifications"},
	"github.com/tsenart/vegeta/v12@v12.13.0": {"./lib"},
}

// The modules of the table, from the module proxy: what is found is what the table has, and with
// the fixes they still build.
func TestRealModules(t *testing.T) {
	if testing.Short() {
		t.Skip("it downloads and builds modules")
	}
	tool := filepath.Join(t.TempDir(), "tickers")
	run(t, ".", "go", "build", "-o", tool, ".")
	byModule := map[string][]string{}
	for _, f := range findings(t) {
		byModule[f.module] = append(byModule[f.module], f.place+" "+f.message)
	}
	for _, module := range slices.Sorted(maps.Keys(byModule)) {
		want := byModule[module]
		t.Run(module, func(t *testing.T) {
			if slices.Contains(large, module) && os.Getenv("PUNCTUAL_TICKERS") != "all" {
				t.Skip("large: PUNCTUAL_TICKERS=all looks at it")
			}
			dir := download(t, module)
			got := look(t, tool, dir)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("found\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			n := fixed(t, tool, module, dir)
			row := fmt.Sprintf("| %s | %d | %[2]d | %d |", module, len(got), n)
			if !strings.Contains(readme(t), row) {
				t.Errorf("README.md does not have %s", row)
			}
		})
	}
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// download returns a copy of a module that may be changed.
func download(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s cannot be downloaded from here: %v", module, err)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(info.Dir)); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "chmod", "-R", "u+w", ".")
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil { // older than modules
		path, _, _ := strings.Cut(module, "@")
		run(t, dir, "go", "mod", "init", path)
	}
	return dir
}

var line = regexp.MustCompile(`(?m)^(.*\.go:\d+):\d+: ((?:ad-hoc|cron) .*)$`)

// look returns what is found in a module.
func look(t *testing.T, tool, dir string) (found []string) {
	t.Helper()
	cmd := exec.Command(tool, "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, _ := cmd.CombinedOutput() // its exit code tells that something was found
	for _, m := range line.FindAllStringSubmatch(string(out), -1) {
		place := m[1]
		if rel, err := filepath.Rel(dir, m[1]); err == nil && filepath.IsAbs(m[1]) {
			place = rel
		}
		found = append(found, place+" "+m[2])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fixed applies the fixes, with a pool in each package that has a finding, builds these packages,
// runs their own tests before and after, and returns how many findings are gone.
func fixed(t *testing.T, tool, module, dir string) int {
	t.Helper()
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, "go", "mod", "edit", "-go=1.26.0", "-require=github.com/punctual-go/punctual@v0.0.0",
		"-replace=github.com/punctual-go/punctual="+here)
	packages := map[string]bool{}
	for _, f := range look(t, tool, dir) {
		file, _, _ := strings.Cut(f, ":")
		packages[filepath.Dir(file)] = true
	}
	for folder := range packages {
		addPool(t, filepath.Join(dir, folder))
	}
	test := func() {
		if tests := own[module]; tests != nil && os.Getenv("PUNCTUAL_TICKERS") == "all" {
			run(t, dir, "go", append([]string{"test", "-vet=off", "-short", "-count=1"}, tests...)...)
		}
	}
	test()
	before := len(look(t, tool, dir))
	cmd := exec.Command(tool, "-tickers.pool=punctualPool", "-fix", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, _ := cmd.CombinedOutput() // its exit code tells that something was found
	for folder := range packages {
		run(t, dir, "go", "build", "-o", os.DevNull, "./"+folder)
	}
	test()
	after := len(look(t, tool, dir))
	t.Logf("%d findings, %d are fixed, and it builds\n%s", before, before-after, out)
	return before - after
}

// addPool adds a file with a pool to a package.
func addPool(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`(?m)^package (\w+)`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := name.FindSubmatch(text); m != nil {
			pool := fmt.Sprintf("package %s\n\nimport \"github.com/punctual-go/punctual/executor\"\n\n"+
				"var punctualPool = executor.NewScheduledPool(8)\n", m[1])
			if err := os.WriteFile(filepath.Join(folder, "punctual_pool.go"), []byte(pool), 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no package in %s", folder)
}
