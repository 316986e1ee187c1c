package executor_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheTableOfOptionsHasThemAll compares the table in the package comment with the functions that
// return an option.
func TestTheTableOfOptionsHasThemAll(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "// # Options")
	table, _, _ = strings.Cut(table, "// # ")
	listed := map[string]bool{}
	for _, word := range regexp.MustCompile(`(?m)^//\t.*$`).FindAllString(table, -1) {
		for _, name := range regexp.MustCompile(`\b[A-Z]\w+`).FindAllString(word, -1) {
			listed[name] = true
		}
	}
	returned := optionsOf(t)
	require.Greater(t, len(returned), 35)
	for name := range returned {
		assert.True(t, listed[name], "%s is missing", name)
		delete(listed, name)
	}
	assert.Empty(t, listed, "no options")
}

// optionsOf returns the functions of this package that return an option.
func optionsOf(t *testing.T) map[string]bool {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil ||
				strings.HasSuffix(path, "_test.go") {
				continue
			}
			switch result := f.Type.Results.List[0].Type.(type) {
			case *ast.Ident:
				if strings.HasSuffix(result.Name, "Option") {
					found[f.Name.Name] = true
				}
			case *ast.InterfaceType: // of two kinds
				found[f.Name.Name] = true
			}
		}
	}
	return found
}
