package bars

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// functionFields counts fields of function type: calls that no graph of references shows.
func functionFields(h *house) (figure, error) {
	fields := tally{}
	for p, f := range h.files() {
		for n := range ast.Preorder(f) {
			s, ok := n.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range s.Fields.List {
				if isFunction(p, field.Type) {
					for _, name := range field.Names {
						fields.add(h.fileOf(field.Pos()), name.Name)
					}
				}
			}
		}
	}
	return fields.byItem(), nil
}

func isFunction(p *packages.Package, x ast.Expr) bool {
	_, ok := p.TypesInfo.TypeOf(x).Underlying().(*types.Signature)
	return ok
}
