package ports_test

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

// TestEachPortIsShorterThanTheBareJob compares them by statements and by lines, without imports.
func TestEachPortIsShorterThanTheBareJob(t *testing.T) {
	ports, err := filepath.Glob("*_port_test.go")
	require.NoError(t, err)
	require.Len(t, ports, 5)
	for _, port := range ports {
		ported := measure(t, port)
		bare := measure(t, strings.Replace(port, "_port_", "_bare_", 1))
		t.Logf("%-24s %d statements and %d lines, bare %d and %d", port,
			ported.statements, ported.lines, bare.statements, bare.lines)
		assert.Less(t, ported.statements, bare.statements, port)
		assert.Less(t, ported.lines, bare.lines, port)
	}
}

type length struct{ statements, lines int }

// measure returns the length of the functions of a file.
func measure(t *testing.T, file string) (l length) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, declared := range parsed.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok {
			continue
		}
		l.lines += set.Position(function.End()).Line - set.Position(function.Pos()).Line + 1
		ast.Inspect(function, func(n ast.Node) bool {
			if _, block := n.(*ast.BlockStmt); block {
				return true
			}
			if _, statement := n.(ast.Stmt); statement {
				l.statements++
			}
			return true
		})
	}
	require.Positive(t, l.statements, file)
	return l
}
