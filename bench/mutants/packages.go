package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tested is a package with tests.
type tested struct {
	path    string
	dir     string // below the root of the module, with slashes
	imports []string
	needs   map[string]bool // packages that its tests depend on
	cost    time.Duration   // of its tests without a fault; 0 if they have not run
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, ForTest           string
	Imports, TestImports, XTestImports []string
	Deps                               []string
}

// rootOf returns the directory of a module that that of this program requires, or is.
func rootOf(ctx context.Context, module string) (string, error) {
	out, err := goCommand(ctx, ".", "list", "-m", "-f", "{{.Dir}}", module)
	return strings.TrimSpace(string(out)), err
}

// packagesOf returns the packages of a module that have tests.
func packagesOf(ctx context.Context, root string) ([]*tested, error) {
	out, err := goCommand(ctx, root, "list", "-test", "-json=ImportPath,Dir,ForTest,Imports,TestImports,XTestImports,Deps", "./...")
	if err != nil {
		return nil, err
	}
	byPath := map[string]listed{}
	var packages []*tested
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		byPath[l.ImportPath] = l
	}
	for path, binary := range byPath {
		of, isTest := strings.CutSuffix(path, ".test")
		l, known := byPath[of]
		if !isTest || !known {
			continue
		}
		dir, err := filepath.Rel(root, l.Dir)
		if err != nil {
			return nil, err
		}
		p := &tested{path: of, dir: filepath.ToSlash(dir), needs: map[string]bool{}}
		p.imports = importsOf(l, byPath)
		for _, dep := range binary.Deps {
			plain, _, _ := strings.Cut(dep, " ") // without the "[for this test]"
			p.needs[plain] = true
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// importsOf returns what a package or its tests import. A folder that holds tests alone is as near
// to a fault as the package above it that they test.
func importsOf(l listed, byPath map[string]listed) []string {
	imports := slices.Concat(l.Imports, l.TestImports, l.XTestImports)
	if len(l.Imports) > 0 {
		return imports
	}
	for _, path := range l.XTestImports {
		if strings.HasPrefix(l.ImportPath, path+"/") {
			imports = append(imports, byPath[path].Imports...)
		}
	}
	return imports
}

// distance tells how near a package is to the one that a fault is in: 0 if it is that, 1 if it
// imports it, 2 if it depends on it; or -1.
func (p *tested) distance(fault string) int {
	switch {
	case p.path == fault:
		return 0
	case slices.Contains(p.imports, fault):
		return 1
	case p.needs[fault]:
		return 2
	}
	return -1
}

// near returns the packages whose tests a fault may concern, up to a distance: the nearest first,
// and among equals the quickest.
func near(packages []*tested, fault string, most int) (found []*tested) {
	for _, p := range packages {
		if d := p.distance(fault); d >= 0 && d <= most {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b *tested) int {
		return cmp.Or(cmp.Compare(a.distance(fault), b.distance(fault)), cmp.Compare(a.cost, b.cost), cmp.Compare(a.path, b.path))
	})
	return found
}

// goCommand runs the go command and returns its output.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return out, err
}

// environment is that of the tests: those that build mutants of their own have nothing to do in
// one.
func environment(more ...string) []string {
	return append(os.Environ(), append([]string{"PUNCTUAL_MUTANT=1"}, more...)...)
}
