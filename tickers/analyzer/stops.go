package analyzer

import (
	"go/ast"
	"go/types"
)

// stopsOf are the statements that make and stop the ticker of a loop. It is not ok if something
// else has to do with it, or if it is stopped anywhere but at the end of the loop.
func (s *search) stopsOf(l *loop) (stops []ast.Stmt, ok bool) {
	if l.ticker == nil {
		return nil, true
	}
	if !contains(l.goroutine.List, l.ticker) && !s.beside(l) {
		return nil, false
	}
	v := s.TypesInfo.Defs[l.ticker.Lhs[0].(*ast.Ident)]
	stops = []ast.Stmt{l.ticker}
	for _, st := range l.goroutine.List {
		if d, ok := st.(*ast.DeferStmt); ok && s.stopping(d.Call, v) {
			stops = append(stops, st)
		}
	}
	for _, out := range l.outs {
		for _, st := range out.Body {
			if e, ok := st.(*ast.ExprStmt); ok && s.stopping(e.X, v) {
				stops = append(stops, st)
			}
		}
	}
	return stops, s.uses(v) == len(stops) // all but the definition, and the wait
}

func (s *search) stopping(e ast.Expr, ticker types.Object) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Stop" && s.object(sel.X) == ticker
}

// beside tells whether the ticker of a loop is made in the list of statements in which its
// goroutine is started: so each goroutine has one.
func (s *search) beside(l *loop) (found bool) {
	spawn := l.spawner.statement
	if spawn == nil {
		return false
	}
	ast.Inspect(s.fileAt(spawn), func(n ast.Node) bool {
		if block, ok := n.(*ast.BlockStmt); ok {
			found = found || contains(block.List, l.ticker) && contains(block.List, spawn)
		}
		return !found
	})
	return found
}

// follows tells whether a loop comes right after the statements that make its ticker.
func (l *loop) follows(stops []ast.Stmt) bool {
	made := false
	for _, st := range l.goroutine.List {
		switch {
		case st == l.node:
			return made
		case st == l.ticker:
			made = true
		case !contains(stops, st):
			made = false
		}
	}
	return false
}
