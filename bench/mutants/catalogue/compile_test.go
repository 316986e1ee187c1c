package catalogue_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/punctual-go/punctual/bench/mutants/catalogue"
)

// A fault that does not compile is found by every test, and shows nothing.
func TestEveryMutantCompiles(t *testing.T) {
	sources := loaded(t)
	for _, m := range catalogue.All() {
		p := sources[filepath.FromSlash(m.Package())]
		if p == nil {
			if runtime.GOOS == "linux" { // elsewhere some files are left out
				t.Errorf("%s: no package %s", m.ID, m.Package())
			}
			continue
		}
		if err := check(p, m); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
	}
}

// loaded returns the packages of the module, by their directories below root.
func loaded(t *testing.T) map[string]*packages.Package {
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedDeps | packages.NeedModule,
		Dir: root,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]*packages.Package{}
	for _, p := range all {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
		dir, err := filepath.Rel(p.Module.Path, p.PkgPath)
		if err != nil {
			t.Fatal(err)
		}
		sources[dir] = p
	}
	return sources
}

// check type-checks the package with the fault in it.
func check(p *packages.Package, m catalogue.Mutant) error {
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.CompiledGoFiles {
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if filepath.Base(name) == filepath.Base(filepath.FromSlash(m.File)) {
			if source, err = m.Apply(source); err != nil {
				return err
			}
		}
		f, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, f)
	}
	config := types.Config{Importer: importer(p.Imports), GoVersion: "go" + p.Module.GoVersion}
	_, err := config.Check(p.PkgPath, files, parsed, nil)
	return err
}

// importer gives a package what it imports.
type importer map[string]*packages.Package

// Import implements [types.Importer].
func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return i[path].Types, nil
}
