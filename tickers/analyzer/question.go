package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
)

// question is a statement that leaves a loop on a condition, and does nothing else, or nil.
func (s *search) question(st ast.Stmt, inner bool) *ast.IfStmt {
	q, ok := st.(*ast.IfStmt)
	if ok && q.Init == nil && q.Else == nil && s.leaves(q.Body.List, inner) {
		return q
	}
	return nil
}

// asks tells whether a condition is ctx.Err() == nil, or != nil.
func (s *search) asks(e ast.Expr, op token.Token) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != op || !s.TypesInfo.Types[b.Y].IsNil() {
		return false
	}
	call, ok := b.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := s.object(call.Fun).(*types.Func)
	return ok && f.FullName() == "(context.Context).Err"
}

// unasked is the list of a loop without a question at its beginning whether to stop.
func (s *search) unasked(list []ast.Stmt) (rest []ast.Stmt, asked bool) {
	if len(list) == 0 {
		return list, false
	}
	if q := s.question(list[0], false); q != nil && s.asks(q.Cond, token.NEQ) {
		return list[1:], true
	}
	sel, ok := list[0].(*ast.SelectStmt)
	if !ok {
		return list, false
	}
	var otherwise *ast.CommClause
	for _, c := range sel.Body.List {
		clause := c.(*ast.CommClause)
		from, _ := received(clause.Comm)
		switch {
		case clause.Comm == nil:
			otherwise = clause
		case from == nil, !s.alwaysExits(clause.Body):
			return list, false
		}
	}
	switch {
	case otherwise == nil, len(sel.Body.List) == 1:
		return list, false
	case len(otherwise.Body) == 0:
		return list[1:], true
	case len(list) == 1:
		return otherwise.Body, true
	}
	return list, false
}
