package analyzer

import (
	"go/ast"
	"go/types"
)

// rearming reports a function that always arms itself again.
func (s *search) rearming(self types.Object, receiver *ast.FieldList, body *ast.BlockStmt) {
	if self == nil {
		return
	}
	for _, statement := range body.List {
		var e ast.Expr
		kept := false
		switch st := statement.(type) {
		case *ast.ExprStmt:
			e = st.X
		case *ast.AssignStmt:
			e = st.Rhs[0]
			id, ok := st.Lhs[0].(*ast.Ident)
			kept = !ok || id.Name != "_"
		}
		if e == nil {
			continue
		}
		call, ok := s.isTime(e, "AfterFunc")
		if !ok || !s.calls(only(call.Args[1]), self, receiver) {
			continue
		}
		// Whoever has the timer may stop it.
		s.report(&loop{
			kind: rearms, node: call, goroutine: body, spawner: s.inside(spawner{}, body),
			stops: kept, body: body.List,
		})
	}
}

// calls tells whether an expression is a function, or a method of the same receiver.
func (s *search) calls(e ast.Expr, self types.Object, receiver *ast.FieldList) bool {
	if s.object(e) != self {
		return false
	}
	if receiver == nil {
		return true
	}
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || len(receiver.List[0].Names) == 0 {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && s.TypesInfo.Uses[id] == s.TypesInfo.Defs[receiver.List[0].Names[0]]
}

// only is what a function literal calls, if it does nothing else.
func only(e ast.Expr) ast.Expr {
	f, ok := ast.Unparen(e).(*ast.FuncLit)
	if !ok || len(f.Body.List) != 1 {
		return e
	}
	if st, ok := f.Body.List[0].(*ast.ExprStmt); ok {
		if call, ok := st.X.(*ast.CallExpr); ok {
			return call.Fun
		}
	}
	return e
}
