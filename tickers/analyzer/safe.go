package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
)

// movable tells whether the body of a loop may as well run as a function, at a period that is known when
// the loop begins.
func (s *search) movable(l *loop) bool {
	if l.period == nil || recovers(l.goroutine) || l.kind == rearms {
		return false
	}
	if l.ticker == nil && !s.steady(l.period) || !plain(l.period) {
		return false
	}
	ok := true
	for _, st := range l.body {
		jumps(st, func(n ast.Node) {
			if b, isBranch := n.(*ast.BranchStmt); !isBranch || b.Tok != token.CONTINUE || b.Label != nil {
				ok = false
			}
		})
	}
	return ok
}

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

// steady tells whether nothing in this package sets what an expression reads, but where it is defined:
// a sleep reads its period anew each time.
func (s *search) steady(e ast.Expr) bool {
	read := map[types.Object]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			read[s.TypesInfo.Uses[id]] = true
		}
		return true
	})
	ok := true
	sets := func(e ast.Expr) {
		if v, isVar := s.object(e).(*types.Var); isVar && read[v] {
			ok = false
		}
	}
	for _, file := range s.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, lhs := range n.Lhs {
					if id, isIdent := lhs.(*ast.Ident); !isIdent || s.TypesInfo.Defs[id] == nil {
						sets(lhs)
					}
				}
			case *ast.IncDecStmt:
				sets(n.X)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					sets(n.X)
				}
			}
			return true
		})
	}
	return ok
}

// stopsOf are the statements that make and stop the ticker of a loop. It is not ok if something else has
// to do with it.
func (s *search) stopsOf(l *loop) (stops []ast.Stmt, ok bool) {
	if l.ticker == nil {
		return nil, true
	}
	v := s.TypesInfo.Defs[l.ticker.Lhs[0].(*ast.Ident)]
	if s.fileAt(v) != s.fileAt(l.node) {
		return nil, false
	}
	uses := 0
	for _, used := range s.TypesInfo.Uses {
		if used == v {
			uses++
		}
	}
	stops = []ast.Stmt{l.ticker}
	ast.Inspect(s.fileAt(v), func(n ast.Node) bool {
		var call *ast.CallExpr
		st, isStatement := n.(ast.Stmt)
		switch n := n.(type) {
		case *ast.DeferStmt:
			call = n.Call
		case *ast.ExprStmt:
			call, _ = n.X.(*ast.CallExpr)
		}
		if call == nil || !isStatement {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Stop" && s.object(sel.X) == v {
			if !within(st, l.node) || l.atTheEnd(st) {
				stops = append(stops, st)
			}
		}
		return true
	})
	return stops, uses == len(stops) // all but the definition, and the wait
}

// atTheEnd tells whether a statement is of a way out.
func (l *loop) atTheEnd(st ast.Stmt) bool {
	for _, out := range l.outs {
		if contains(out.Body, st) {
			return true
		}
	}
	return false
}

// alone tells whether a loop is all that its goroutine does, but for making and stopping its ticker. If
// the goroutine runs a function that is declared, this has to be all that the function is for: these
// are the statements that start it.
func (s *search) alone(l *loop, stops []ast.Stmt) (alone bool, spawns []*ast.GoStmt) {
	for _, st := range l.goroutine.List {
		if st != l.node && !contains(stops, st) {
			return false, nil
		}
	}
	if l.spawner.statement != nil {
		for _, st := range stops { // those around the goroutine are needed there
			if !within(st, l.spawner.statement) {
				return false, nil
			}
		}
		return len(l.spawner.statement.Call.Args) == 0, nil
	}
	f := l.spawner.function
	if f == nil || f.Exported() {
		return false, nil
	}
	uses := 0
	for _, used := range s.TypesInfo.Uses {
		if used == f {
			uses++
		}
	}
	return uses == len(s.gos[f]) && s.sameFile(s.gos[f], l.node), s.gos[f]
}

// sameFile tells whether all edits are of one file: a fix must not be applied by halves.
func (s *search) sameFile(spawns []*ast.GoStmt, n ast.Node) bool {
	for _, spawn := range spawns {
		if s.fileAt(spawn) != s.fileAt(n) {
			return false
		}
	}
	return true
}

// free tells whether ways out leave by a return, and do not use the names that a fix defines.
func (s *search) free(outs []*ast.CommClause) bool {
	ok := true
	for _, out := range outs {
		ast.Inspect(out, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BranchStmt:
				ok = ok && n.Label == nil && n.Tok != token.GOTO
			case *ast.Ident:
				ok = ok && n.Name != "job" && n.Name != "err"
			}
			return true
		})
	}
	return ok
}

// jumps visits what leaves its place in a statement, which it could not from a function: returns, defers,
// labels, and what breaks or goes on with a loop around the statement.
func jumps(st ast.Stmt, visit func(ast.Node)) {
	var look func(n ast.Node, inLoop, inSwitch bool)
	look = func(n ast.Node, inLoop, inSwitch bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt, *ast.DeferStmt, *ast.LabeledStmt:
				visit(m)
			case *ast.BranchStmt:
				own := m.Label == nil && (m.Tok == token.BREAK && (inLoop || inSwitch) ||
					m.Tok == token.CONTINUE && inLoop || m.Tok == token.FALLTHROUGH)
				if !own {
					visit(m)
				}
			case *ast.ForStmt, *ast.RangeStmt:
				if m != n {
					look(m, true, inSwitch)
					return false
				}
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if m != n {
					look(m, inLoop, true)
					return false
				}
			}
			return true
		})
	}
	// A block around it, so that the statement itself is looked at as others are.
	look(&ast.BlockStmt{Lbrace: st.Pos(), List: []ast.Stmt{st}, Rbrace: st.End()}, false, false)
}

func within(n, outer ast.Node) bool { return outer.Pos() <= n.Pos() && n.End() <= outer.End() }
