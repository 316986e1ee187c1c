package bars

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// shortDoc counts the lines of the overview that go doc gives of a package.
func shortDoc(pkg string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		cmd := exec.Command("go", "doc", "-short", "./"+pkg)
		cmd.Dir = h.dir
		out, err := cmd.Output()
		return figure{value: bytes.Count(out, []byte("\n"))}, err
	}
}

// undocumented counts the exported names without a comment in the packages of some folders, which
// may be of other modules.
func undocumented(folders ...string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		bare := tally{}
		for _, folder := range folders {
			files, err := parsed(filepath.Join(h.dir, folder))
			if err != nil {
				return figure{}, err
			}
			names := 0
			for _, f := range files {
				for _, e := range exportsOf(f) {
					names++
					if !e.documented {
						bare.add(folder, e.name)
					}
				}
			}
			if names == 0 {
				return figure{}, fmt.Errorf("%s exports nothing: %w", folder, errNothing)
			}
		}
		return bare.byItem(), nil
	}
}

// parsed returns the files of a folder, without tests.
func parsed(folder string) (files []*ast.File, err error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// An export is an exported name at package level, or of a method of an exported type.
type export struct {
	name       string
	documented bool
}

func exportsOf(f *ast.File) (all []export) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			of := receiverName(d)
			if d.Name.IsExported() && (of == "" || ast.IsExported(of)) {
				all = append(all, export{qualified(of, d), d.Doc != nil})
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				all = append(all, exportsIn(s, d.Doc != nil)...)
			}
		}
	}
	return slices.DeleteFunc(all, func(e export) bool { return !ast.IsExported(e.name) })
}

// exportsIn returns the names of a line of a declaration. Grouped says that the whole declaration
// has a comment.
func exportsIn(s ast.Spec, grouped bool) (all []export) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		all = append(all, export{s.Name.Name, grouped || s.Doc != nil || s.Comment != nil})
	case *ast.ValueSpec:
		for _, name := range s.Names {
			all = append(all, export{name.Name, grouped || s.Doc != nil || s.Comment != nil})
		}
	}
	return all
}

// qualified returns the name of a function, behind that of its receiver if it has one.
func qualified(of string, fn *ast.FuncDecl) string {
	if of == "" {
		return fn.Name.Name
	}
	return of + "." + fn.Name.Name
}

// receiverName returns the name of the type of which fn is a method, or "".
func receiverName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	of := fn.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	switch generic := of.(type) {
	case *ast.IndexExpr:
		of = generic.X
	case *ast.IndexListExpr:
		of = generic.X
	}
	return of.(*ast.Ident).Name
}
