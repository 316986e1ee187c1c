package bars

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// biggestReceiver counts the methods of the type that has most. A function counts as a method too
// if its first parameter, after a context, is of the type: moving the receiver there helps no
// reader.
func biggestReceiver(h *house) (figure, error) {
	methods := map[*types.TypeName]tally{} // each by file
	for p, f := range h.files() {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if of := receiverOf(p, fn); of != nil {
				if methods[of] == nil {
					methods[of] = tally{}
				}
				methods[of].add(h.fileOf(fn.Pos()), fn.Name.Name)
			}
		}
	}
	var biggest *types.TypeName
	for of, by := range methods {
		if biggest == nil || by.items() > methods[biggest].items() {
			biggest = of
		}
	}
	if biggest == nil {
		return figure{}, errNothing
	}
	f := methods[biggest].byItem()
	f.parts = append([]string{"of " + biggest.Pkg().Path() + "." + biggest.Name()}, f.parts...)
	return f, nil
}

// receiverOf returns the type of the package that a function belongs to, or nil.
func receiverOf(p *packages.Package, fn *ast.FuncDecl) *types.TypeName {
	signature := p.TypesInfo.Defs[fn.Name].Type().(*types.Signature)
	if recv := signature.Recv(); recv != nil {
		return typeName(p, recv.Type())
	}
	for v := range signature.Params().Variables() {
		if types.TypeString(v.Type(), nil) != "context.Context" {
			return typeName(p, v.Type())
		}
	}
	return nil
}

// typeName returns the name of a type that the package declares, or of what the type points to.
func typeName(p *packages.Package, t types.Type) *types.TypeName {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() == p.Types {
		return named.Origin().Obj()
	}
	return nil
}
