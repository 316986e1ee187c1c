package bars

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// usersOf counts the files that use a field.
func usersOf(name string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		field, err := h.field(name)
		if err != nil {
			return figure{}, err
		}
		lines := tally{}
		for id, o := range h.uses() {
			if o == field {
				h.place(lines, id.Pos())
			}
		}
		return lines.byHeading(), nil
	}
}

// writesTo counts the places that change one of the fields.
func writesTo(names ...string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		writes, err := h.writes(names)
		if err != nil {
			return figure{}, err
		}
		lines := tally{}
		for _, w := range writes {
			h.place(lines, w.at)
		}
		return lines.byItem(), nil
	}
}

// callsOfWriters counts the places that name a function which changes one of the fields: doors, if
// the fields count those who come in.
func callsOfWriters(names ...string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		writes, err := h.writes(names)
		if err != nil {
			return figure{}, err
		}
		calls := tally{}
		for id, o := range h.uses() {
			if slices.ContainsFunc(writes, func(w write) bool { return w.by == o }) {
				h.place(calls, id.Pos())
			}
		}
		return calls.byItem(), nil
	}
}

// A write is a place that changes a field.
type write struct {
	at token.Pos
	by types.Object // the function, or nil
}

// writes returns the places that change one of the fields. There has to be one for each.
func (h *house) writes(names []string) (all []write, err error) {
	for _, name := range names {
		field, err := h.field(name)
		if err != nil {
			return nil, err
		}
		before := len(all)
		for p, f := range h.files() {
			for _, d := range f.Decls {
				all = append(all, writesIn(p, d, field)...)
			}
		}
		if len(all) == before {
			return nil, errNothing
		}
	}
	return all, nil
}

func writesIn(p *packages.Package, d ast.Decl, field types.Object) (all []write) {
	var by types.Object
	if fn, ok := d.(*ast.FuncDecl); ok {
		by = p.TypesInfo.Defs[fn.Name]
	}
	for n := range ast.Preorder(d) {
		for _, x := range changed(n) {
			if id := nameOf(x); id != nil && origin(p.TypesInfo.Uses[id]) == field {
				all = append(all, write{id.Pos(), by})
			}
		}
	}
	return all
}

// changed returns the expressions that a node changes, or lets others change.
func changed(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr: // of a method of an atomic
		if method, ok := n.Fun.(*ast.SelectorExpr); ok {
			switch method.Sel.Name {
			case "Add", "Store", "Swap", "CompareAndSwap":
				return []ast.Expr{method.X}
			}
		}
	}
	return nil
}

// nameOf returns the last name in an expression, or nil.
func nameOf(x ast.Expr) *ast.Ident {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}
