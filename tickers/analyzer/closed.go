package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
)

// onlyClosed tells whether a channel is made in this package, and whether this package does
// nothing with it but to receive and to close: it is never handed on, so nobody else can send.
func (s *search) onlyClosed(e ast.Expr) bool {
	v, ok := s.object(e).(*types.Var)
	if !ok || v.Kind() == types.ParamVar || v.Kind() == types.ResultVar {
		return false
	}
	known, ok := 0, true
	is := func(e ast.Expr) bool { return s.object(e) == v }
	made := func(lhs, rhs []ast.Expr) {
		for i, e := range lhs {
			if !is(e) {
				continue
			}
			ok = ok && len(lhs) == len(rhs) && s.isCall(rhs[i], "make")
			if id, isIdent := e.(*ast.Ident); !isIdent || s.TypesInfo.Defs[id] == nil {
				known++
			}
		}
	}
	inspect(s.Files, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && is(n.X) {
				known++
			}
		case *ast.CallExpr:
			if s.isCall(n, "close") && is(n.Args[0]) {
				known++
			}
		case *ast.AssignStmt:
			made(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				if len(n.Values) > 0 && is(name) {
					made([]ast.Expr{name}, n.Values)
				}
			}
		case *ast.KeyValueExpr:
			if is(n.Key) {
				known++
				ok = ok && s.isCall(n.Value, "make")
			}
		case *ast.CompositeLit:
			if len(n.Elts) > 0 && s.holds(n, v) {
				_, keyed := n.Elts[0].(*ast.KeyValueExpr)
				ok = ok && keyed
			}
		}
	})
	return ok && known == s.uses(v)
}

// isCall tells whether an expression is a call of a predeclared function.
func (s *search) isCall(e ast.Expr, name string) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := s.object(call.Fun).(*types.Builtin)
	return ok && f.Name() == name
}

// holds tells whether the value of an expression has a field in it.
func (s *search) holds(e ast.Expr, field *types.Var) bool {
	t := s.TypesInfo.TypeOf(e)
	return t != nil && has(t, field)
}

func has(t types.Type, field *types.Var) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Origin() == field || has(f.Type(), field) {
				return true
			}
		}
	case *types.Array:
		return has(u.Elem(), field)
	}
	return false
}
