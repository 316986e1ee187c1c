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

// TestThePageOfPeersNamesWhatIsThere looks for each name that the last column of docs/peers.md has.
func TestThePageOfPeersNamesWhatIsThere(t *testing.T) {
	declared := exportedNames(t, ".", "bulk", "serial", "debounce", "queue", "rejection", "retry",
		"workflow", "state", "../future", "../timer/cron", "../timer/calendar", "../cluster")
	text, err := os.ReadFile("../docs/peers.md")
	require.NoError(t, err)
	name := regexp.MustCompile("`(?:(?:[A-Z][A-Za-z]*|bulk|serial|debounce|queue|rejection|retry|workflow|state)\\.)?([A-Z][A-Za-z]*)[^`]*`")
	names := 0
	for row := range strings.Lines(string(text)) {
		cells := strings.Split(row, "|")
		if len(cells) < 3 {
			continue
		}
		for _, m := range name.FindAllStringSubmatch(cells[len(cells)-2], -1) {
			names++
			assert.True(t, declared[m[1]], "%s in: %s", m[1], row)
		}
	}
	assert.Greater(t, names, 100)
}

// TestThePageOfPeersQuotesTheLastTableOfPromises wants each of its rows as it was generated.
func TestThePageOfPeersQuotesTheLastTableOfPromises(t *testing.T) {
	tables, err := filepath.Glob("../bench/results/*.promises.md") // their names begin with the date
	require.NoError(t, err)
	require.NotEmpty(t, tables)
	last := tables[len(tables)-1]
	generated, err := os.ReadFile(last)
	require.NoError(t, err)
	page, err := os.ReadFile("../docs/peers.md")
	require.NoError(t, err)
	rows := 0
	for row := range strings.Lines(string(generated)) {
		if strings.HasPrefix(row, "|") {
			rows++
			assert.Contains(t, string(page), row, "%s", last)
		}
	}
	assert.Greater(t, rows, 10)
	assert.Contains(t, string(page), filepath.Base(last))
}

// exportedNames returns what the packages in these folders declare: functions, methods, types,
// fields, constants and variables.
func exportedNames(t *testing.T, folders ...string) map[string]bool {
	declared := map[string]bool{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					declared[n.Name.Name] = true
					return false
				case *ast.TypeSpec:
					declared[n.Name.Name] = true
				case *ast.Field:
					note(declared, n.Names)
				case *ast.ValueSpec:
					note(declared, n.Names)
				}
				return true
			})
		}
	}
	return declared
}

func note(declared map[string]bool, names []*ast.Ident) {
	for _, name := range names {
		declared[name.Name] = true
	}
}
