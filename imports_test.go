package punctual_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/punctual-go/punctual"

// A layer is one package, or with "/..." all packages below a path. A package belongs to the layer
// that names it most exactly.
type layer string

type rule struct {
	layer layer
	may   []layer
}

// mayImport says, from the bottom up, which layers the packages of a layer may import beside the
// standard library and other modules. What is not listed is forbidden, also within a layer.
var mayImport = []rule{
	{"internal/...", []layer{"internal/..."}},
	{"future", []layer{"internal/..."}},
	{"delayqueue", []layer{"internal/..."}},
	{"timer", []layer{"internal/..."}},
	{"internal/wheel", []layer{"timer", "internal/..."}},
	{"timer/...", []layer{"timer", "internal/wheel", "delayqueue", "internal/..."}},
	{"executor/insight", []layer{"internal/..."}},
	{"executor/queue", []layer{"executor/internal/...", "internal/..."}},
	{"executor/rejection", []layer{"executor/internal/...", "internal/..."}},
	{"executor/retry", []layer{"executor/internal/...", "internal/..."}},
	{"executor/internal/...", []layer{
		"executor/insight", "executor/internal/...", "delayqueue", "future", "internal/...",
	}},
	{"executor", []layer{
		"executor/insight", "executor/queue", "executor/rejection", "executor/retry",
		"executor/internal/...", "delayqueue", "future", "internal/...",
	}},
	{"executor/...", []layer{
		"executor", "executor/insight", "executor/internal/...", "delayqueue", "future", "internal/...",
	}},
	{"executor/metrics", []layer{"executor", "executor/insight", "executor/..."}},
}

// exceptions are single imports that break a rule, each with its reason. One that is not needed any
// more fails the test as well: delete its line.
var exceptions = map[edge]string{}

// forTests are packages that only tests import, and the module of benchmarks, beside those whose
// names end in "test". Like tests, they may import whatever they like but bench.
var forTests = []layer{"internal/trust", "internal/trust/..."}

// An edge is an import of one package of the module by another, without the path of the module.
type edge struct{ from, to string }

func TestImportsPointDown(t *testing.T) {
	production, tests := importsOf(t, ".")
	for _, text := range breaches(production, tests) {
		t.Error(text)
	}
	for e, reason := range exceptions {
		assert.Contains(t, production, e, "%s no longer imports %s: delete the exception (%s)",
			e.from, e.to, reason)
	}
	for _, rule := range mayImport {
		used := slices.ContainsFunc(slices.Collect(maps.Keys(production)), func(e edge) bool {
			return layerOf(e.from) == rule.layer || layerOf(e.to) == rule.layer
		})
		assert.True(t, used, "no package belongs to the layer %s", rule.layer)
	}
}

func TestAnImportThatPointsUpIsFound(t *testing.T) {
	for _, e := range []edge{
		{"future", "executor"},
		{"delayqueue", "timer"},
		{"internal/cell", "future"},
		{"internal/cell", "internal/wheel"},
		{"internal/wheel", "timer/revolver"},
		{"timer", "internal/wheel"},
		{"timer/revolver", "timer/hashedwheel"},
		{"executor", "timer"},
		{"executor", "executor/eventloop"},
		{"executor/internal/queue", "executor"},
		{"executor/supervisor", "executor/eventloop"},
		{"executor", "internal/trust/history"},
		{"executor", "executor/internal/pooltest"},
		{"internal/delay", "internal/delay/delaytest"},
		{"executor", "bench/soak"},
		{"executor", "executor/metrics"},
		{"executor", "executor/state"},
		{"executor/state", "executor/metrics"},
		{"executor/insight", "executor"},
		{"executor/insight", "executor/internal/run"},
		{"executor/queue", "executor"},
		{"executor/rejection", "executor"},
		{"executor/retry", "executor"},
		{"executor/internal/engine", "executor/queue"},
		{"executor/eventloop", "executor/metrics"},
		{"unheard-of", "future"},
	} {
		found := breaches(map[edge]string{e: "some.go"}, nil)
		assert.Len(t, found, 1, "%s imports %s", e.from, e.to)
	}
	inTest := func(e edge) map[edge]string { return map[edge]string{e: "some_test.go"} }
	assert.Empty(t, breaches(nil, inTest(edge{"executor", "internal/trust/history"})))
	assert.Len(t, breaches(nil, inTest(edge{"executor", "bench/soak"})), 1)
}

// TestTheLibraryLinksNoServer: whoever schedules a task does not get a web server along with it.
func TestTheLibraryLinksNoServer(t *testing.T) {
	goList := func(args ...string) []string {
		list, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...).Output()
		require.NoError(t, err)
		return strings.Fields(string(list))
	}
	public := slices.DeleteFunc(goList("./..."), func(pkg string) bool {
		return strings.Contains(pkg, "/internal/") || strings.HasSuffix(pkg, "test")
	})
	assert.Contains(t, public, module+"/executor")
	linked := goList(append([]string{"-deps"}, public...)...)
	for _, heavy := range []string{"net/http", "expvar", "html/template", "net"} {
		assert.NotContains(t, linked, heavy)
	}
}

// breaches says in words which imports break which rules. The maps tell for each import a file that
// has it.
func breaches(production, tests map[edge]string) (texts []string) {
	fault := func(file string, e edge, rule string) {
		texts = append(texts, fmt.Sprintf("%s: %s imports %s, but %s", file, e.from, e.to, rule))
	}
	for e, file := range tests {
		if isBelow(e.to, "bench") {
			fault(file, e, "nothing imports bench")
		}
	}
	for e, file := range production {
		from := layerOf(e.from)
		i := slices.IndexFunc(mayImport, func(r rule) bool { return r.layer == from })
		switch {
		case isBelow(e.to, "bench"):
			fault(file, e, "nothing imports bench")
		case isForTests(e.from):
		case isForTests(e.to):
			fault(file, e, "only tests and bench may")
		case i < 0:
			fault(file, e, "no rule of mayImport names the importer: add one")
		case exceptions[e] == "" && !slices.Contains(mayImport[i].may, layerOf(e.to)):
			fault(file, e, fmt.Sprintf("%s may import %v only", from, mayImport[i].may))
		}
	}
	slices.Sort(texts)
	return texts
}

// layerOf returns the layer of a package, or none.
func layerOf(pkg string) (most layer) {
	for _, rule := range mayImport {
		if rule.layer.has(pkg) && len(rule.layer) > len(most) {
			most = rule.layer
		}
	}
	return most
}

func (l layer) has(pkg string) bool {
	if above, ok := strings.CutSuffix(string(l), "/..."); ok {
		return strings.HasPrefix(pkg, above+"/")
	}
	return pkg == string(l)
}

func isForTests(pkg string) bool {
	return strings.HasSuffix(path.Base(pkg), "test") ||
		slices.ContainsFunc(forTests, func(l layer) bool { return l.has(pkg) })
}

func isBelow(pkg, above string) bool { return pkg == above || strings.HasPrefix(pkg, above+"/") }

// importsOf reads which packages of the module import which, for all systems and build tags, of
// production code and of tests. Modules inside this one are left out.
func importsOf(t *testing.T, root string) (production, tests map[edge]string) {
	production, tests = map[edge]string{}, map[edge]string{}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != root:
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if err == nil || entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		file, err := parser.ParseFile(files, name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		edges := production
		if strings.HasSuffix(name, "_test.go") {
			edges = tests
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if to, ok := strings.CutPrefix(imported, module+"/"); ok {
				edges[edge{path.Dir(filepath.ToSlash(name)), to}] = filepath.ToSlash(name)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, production)
	require.NotEmpty(t, tests)
	return production, tests
}
