package gate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An option that is added later and takes user code fails this test until it has a row.
func TestEveryOptionThatTakesUserCodeHasARow(t *testing.T) {
	known := map[string]bool{}
	for _, r := range rows() {
		known[r.name] = true
	}
	for name := range notRows {
		assert.False(t, known[name], "%s has a row", name)
		known[name] = true
	}
	for _, name := range optionsWithUserCode(t) {
		assert.True(t, known[name], "%s takes user code, and has no row", name)
	}
}

// optionsWithUserCode returns the functions of package executor that return an option and are given
// functions, or values with methods.
func optionsWithUserCode(t *testing.T) (names []string) {
	paths, err := filepath.Glob("../../../*.go")
	require.NoError(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && f.Name.IsExported() && returnsOption(f) && takesUserCode(f) {
				names = append(names, f.Name.Name)
			}
		}
	}
	require.Contains(t, names, "BeforeRun", "the source is not read as it should be")
	return names
}

func returnsOption(f *ast.FuncDecl) bool {
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	result, ok := f.Type.Results.List[0].Type.(*ast.Ident)
	return ok && strings.HasSuffix(result.Name, "Option")
}

func takesUserCode(f *ast.FuncDecl) (takes bool) {
	for _, p := range f.Type.Params.List {
		ast.Inspect(p.Type, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncType, *ast.InterfaceType:
				takes = true
			case *ast.SelectorExpr:
				text := n.X.(*ast.Ident).Name + "." + n.Sel.Name
				switch text {
				case "io.Writer", "slog.Logger", "context.Context", "queue.Queue", "rejection.Policy":
					takes = true
				}
			case *ast.Ident:
				switch n.Name {
				case "Observer", "Calendar", "TaskOption":
					takes = true
				}
			}
			return true
		})
	}
	return takes
}
