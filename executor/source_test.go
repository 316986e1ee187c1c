package executor_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unsafeReasons says, by file, why it may import unsafe, without which there is no go:linkname
// either. Tests may, with the reason beside it.
var unsafeReasons = map[string]string{}

func TestNothingIsUnsafeWithoutAWrittenReason(t *testing.T) {
	files := token.NewFileSet()
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imported := range f.Imports {
			if imported.Path.Value == `"unsafe"` {
				assert.NotEmpty(t, unsafeReasons[filepath.ToSlash(path)], "%s uses unsafe", path)
			}
		}
		return nil
	}))
}

// assemblyReasons says, by folder, why there may be assembly.
var assemblyReasons = map[string]string{
	"../internal/goid": "no other way tells the calling goroutine in less than microseconds",
}

func TestThereIsNoAssemblyWithoutAWrittenReason(t *testing.T) {
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".s") {
			assert.NotEmpty(t, assemblyReasons[filepath.ToSlash(filepath.Dir(path))], "%s", path)
		}
		return err
	}))
}

// What the library proper needs is the standard library, golang.org/x/sys and go.uber.org/atomic.
// None of it opens a port, or shows anything to the web.
func TestTheLibraryDependsOnLittle(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not on the PATH")
	}
	out, err := exec.Command(goCommand, "list", "-deps", "-f", "{{.ImportPath}} {{if .Module}}{{.Module.Path}}{{end}}",
		"../executor", "../executor/bulk", "../executor/serial", "../executor/debounce",
		"../executor/workflow", "../executor/state",
		"../executor/eventloop", "../executor/supervisor", "../delayqueue", "../future", "../timer", "../timer/hashedwheel",
		"../timer/hierarchical", "../timer/revolver").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		path, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		assert.NotContains(t, []string{"net", "net/http", "expvar", "net/http/pprof", "plugin", "os/exec"}, path)
		assert.Contains(t, []string{"", "github.com/punctual-go/punctual", "golang.org/x/sys", "go.uber.org/atomic"}, module, "because of %s", path)
	}
}
