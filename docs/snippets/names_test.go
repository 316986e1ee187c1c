package snippets

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheTablesAboutJavaNameWhatIsThere has the type checker read each piece of Go in the tables: a
// name, a call or another expression.
func TestTheTablesAboutJavaNameWhatIsThere(t *testing.T) {
	scope := checkedScope(t)
	java := map[string]bool{}
	for _, is := range javaTypes(t) {
		for name := range is.names {
			java[name] = true
		}
	}
	checked := 0
	for _, page := range []string{"../java-methods.md", "../java.md"} {
		for _, r := range rowsOf(t, page) {
			for i, cell := range r.cells[1:] {
				for _, span := range spans(cell) {
					if i > 0 && java[span] || token.Lookup(span).IsKeyword() || span == "CRON_TZ=" {
						continue
					}
					checked++
					if err := scope.check(r.section, span); err != nil {
						t.Errorf("%s, %s: %s: %v", page, r.cells[0], span, err)
					}
				}
			}
		}
	}
	require.Greater(t, checked, 300)
	require.Error(t, scope.check("Future", "pool.Banana(task)"))
	require.Error(t, scope.check("Future", "pool.Execute(task, 7)"))
}

// scope is the package of testdata/scope.go.
type scope struct {
	files *token.FileSet
	pkg   *types.Package
	at    map[string]token.Pos // in the function for each section
}

func (s scope) check(section, expression string) error {
	at, own := s.at[strings.ReplaceAll(section, " ", "")]
	if !own {
		at = s.at["everywhere"]
	}
	_, err := types.Eval(s.files, s.pkg, at, strings.ReplaceAll(expression, "…", "..."))
	return err
}

func checkedScope(t *testing.T) scope {
	t.Helper()
	s := scope{token.NewFileSet(), nil, map[string]token.Pos{}}
	file, err := parser.ParseFile(s.files, "testdata/scope.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range file.Decls {
		if f, is := d.(*ast.FuncDecl); is {
			s.at[f.Name.Name] = f.Body.Rbrace
		}
	}
	conf := types.Config{Importer: importer.ForCompiler(s.files, "gc", exports(t, file.Imports))}
	s.pkg, err = conf.Check("scope", s.files, []*ast.File{file}, nil)
	require.NoError(t, err)
	return s
}

// exports finds what the go command has compiled of the imports, and of theirs.
func exports(t *testing.T, imports []*ast.ImportSpec) func(path string) (io.ReadCloser, error) {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, i := range imports {
		path, err := strconv.Unquote(i.Path.Value)
		require.NoError(t, err)
		args = append(args, path)
	}
	var stderr bytes.Buffer
	list := exec.Command("go", args...)
	list.Stderr = &stderr
	out, err := list.Output()
	require.NoError(t, err, "%s", &stderr)
	compiled := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		compiled[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) }
}
