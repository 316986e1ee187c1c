package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
)

// plain tells whether an expression may be evaluated twice, and later.
func plain(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return plain(e.X)
	case *ast.BinaryExpr:
		return plain(e.X) && plain(e.Y)
	}
	return false
}

// fixed tells whether a period is the same at all times, or is read once and where a fix would
// read it.
func (s *search) fixed(period ast.Expr, here bool) bool {
	return plain(period) && (here || s.TypesInfo.Types[period].Value != nil || s.steady(period))
}

// steady tells whether what an expression reads is set where it is defined, and nowhere else:
// nothing in this package sets it, and no other package can.
func (s *search) steady(e ast.Expr) bool {
	ok := true
	var read []*types.Var
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			way := s.TypesInfo.Selections[n]
			ok = ok && (way == nil || len(way.Index()) == 1) // no embedded fields on the way
		case *ast.Ident:
			if v, isVar := origin(s.TypesInfo.Uses[n]).(*types.Var); isVar {
				ok = ok && s.owned(v)
				read = append(read, v)
			}
		}
		return true
	})
	if !ok {
		return false
	}
	sets := func(e ast.Expr) {
		for _, v := range read {
			if e != nil && (s.object(e) == v || s.holds(e, v)) {
				ok = false
			}
		}
	}
	inspect(s.Files, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				id, isIdent := lhs.(*ast.Ident)
				if !isIdent || s.TypesInfo.Defs[id] == nil && id.Name != "_" {
					sets(lhs)
				}
			}
		case *ast.IncDecStmt:
			sets(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				sets(n.Key)
				sets(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && s.named(n.X, read) {
				ok = false
			}
		}
	})
	return ok
}

// named tells whether an expression is one of these variables.
func (s *search) named(e ast.Expr, variables []*types.Var) bool {
	for _, v := range variables {
		if s.object(e) == v {
			return true
		}
	}
	return false
}

// owned tells whether only the code that is seen here can set a variable, and the function that
// declares it does so where it is seen.
func (s *search) owned(v *types.Var) bool {
	if v.Pkg() != s.Pkg || v.Kind() == types.ResultVar {
		return false
	}
	if !v.IsField() && v.Parent() != s.Pkg.Scope() {
		return true // a local one
	}
	return !v.Exported() && !s.ignored(v.Name())
}
