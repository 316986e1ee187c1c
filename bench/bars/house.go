package bars

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// A house is the source of a module: all its packages, without tests.
type house struct {
	dir   string // where its go.mod is
	rooms []*packages.Package
	roads func() (map[string]road, error) // see walk
}

// enter reads the module in dir. Program is the folder of the program that walks its roads.
func enter(dir, program string) (*house, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	h := &house{dir: dir}
	h.roads = sync.OnceValues(func() (map[string]road, error) { return h.walk(program) })
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
			packages.NeedModule,
		Dir: dir,
		Env: append(os.Environ(), "GOOS=linux", "GOARCH=amd64"),
	}, "./...")
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		for _, err := range p.Errors {
			return nil, err
		}
		if len(p.Syntax) > 0 { // there is more than tests
			h.rooms = append(h.rooms, p)
		}
	}
	if len(h.rooms) == 0 {
		return nil, fmt.Errorf("no packages in %s", dir)
	}
	return h, nil
}

// path returns the path of the module.
func (h *house) path() string { return h.rooms[0].Module.Path }

// files yields the files of all packages.
func (h *house) files() iter.Seq2[*packages.Package, *ast.File] {
	return func(yield func(*packages.Package, *ast.File) bool) {
		for _, p := range h.rooms {
			for _, f := range p.Syntax {
				if !yield(p, f) {
					return
				}
			}
		}
	}
}

// uses yields the identifiers that refer to an object of the module.
func (h *house) uses() iter.Seq2[*ast.Ident, types.Object] {
	return func(yield func(*ast.Ident, types.Object) bool) {
		for p, f := range h.files() {
			for id, o := range usesIn(p, f) {
				if h.has(o) && !yield(id, o) {
					return
				}
			}
		}
	}
}

// usesIn yields the identifiers in a node that refer to an object, in the order of the source. What
// belongs to an instance of a generic type is what belongs to the type.
func usesIn(p *packages.Package, node ast.Node) iter.Seq2[*ast.Ident, types.Object] {
	return func(yield func(*ast.Ident, types.Object) bool) {
		for n := range ast.Preorder(node) {
			id, ok := n.(*ast.Ident)
			if !ok {
				continue
			}
			if o := origin(p.TypesInfo.Uses[id]); o != nil && !yield(id, o) {
				return
			}
		}
	}
}

func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Var:
		return o.Origin()
	case *types.Func:
		return o.Origin()
	}
	return o
}

// has reports whether the object is declared in the module.
func (h *house) has(o types.Object) bool {
	return o.Pkg() != nil && (o.Pkg().Path() == h.path() ||
		strings.HasPrefix(o.Pkg().Path(), h.path()+"/")) && o.Pos().IsValid()
}

// position returns a position with the name of its file below the root of the module.
func (h *house) position(pos token.Pos) token.Position {
	at := h.rooms[0].Fset.Position(pos)
	if name, err := filepath.Rel(h.dir, at.Filename); err == nil {
		at.Filename = filepath.ToSlash(name)
	}
	return at
}

func (h *house) fileOf(pos token.Pos) string { return h.position(pos).Filename }

// place adds a line of the source to a tally, once, under the name of its file.
func (h *house) place(t tally, pos token.Pos) {
	at := h.position(pos)
	t.addOnce(at.Filename, strconv.Itoa(at.Line))
}

// field returns the field with a name like "executor.Pool.mu".
func (h *house) field(name string) (types.Object, error) {
	dir, file := path.Split(name)
	parts := strings.Split(file, ".")
	if len(parts) != 3 {
		return nil, fmt.Errorf("%s is no package.Type.field", name)
	}
	for _, p := range h.rooms {
		if p.PkgPath != path.Join(h.path(), dir, parts[0]) {
			continue
		}
		if t := p.Types.Scope().Lookup(parts[1]); t != nil {
			o, _, _ := types.LookupFieldOrMethod(t.Type(), true, p.Types, parts[2])
			if v, ok := o.(*types.Var); ok {
				return v, nil
			}
		}
	}
	return nil, fmt.Errorf("there is no field %s: %w", name, errNothing)
}
