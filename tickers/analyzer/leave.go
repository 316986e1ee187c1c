package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// exits tells whether statements end by leaving the loop, or the function.
func (s *search) exits(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch st := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return st.Tok == token.BREAK && st.Label != nil || st.Tok == token.GOTO
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		return ok && s.ends(call)
	}
	return false
}

// alwaysExits tells whether statements are a way out: nothing in them goes on with the loop.
func (s *search) alwaysExits(list []ast.Stmt) bool {
	if !s.exits(list) {
		return false
	}
	ok := true
	for _, st := range list {
		jumps(st, func(n ast.Node) {
			if _, branch := n.(*ast.BranchStmt); branch && n != list[len(list)-1] {
				ok = false
			}
		})
	}
	return ok
}

// leaves tells whether there is a statement that leaves a loop of whose body these are. Those of
// a case of a select are inner: a break only leaves that.
func (s *search) leaves(list []ast.Stmt, inner bool) (found bool) {
	var look func(n ast.Node, inner bool)
	look = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				found = true
			case *ast.BranchStmt:
				found = found || m.Tok == token.GOTO ||
					m.Tok == token.BREAK && (m.Label != nil || !inner)
			case *ast.ForStmt, *ast.RangeStmt,
				*ast.SelectStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
				if m != n {
					look(m, true)
					return false
				}
			case *ast.CallExpr:
				found = found || s.ends(m)
			}
			return true
		})
	}
	look(&ast.BlockStmt{List: list}, inner)
	return found
}

// ends tells whether a call ends its goroutine, or the process: nothing comes after it.
func (s *search) ends(call *ast.CallExpr) bool {
	switch f := s.object(call.Fun).(type) {
	case *types.Builtin:
		return f.Name() == "panic"
	case *types.Func:
		if f.Pkg() == nil {
			return false
		}
		name := f.Name()
		switch f.Pkg().Path() {
		case "os":
			return name == "Exit"
		case "runtime":
			return name == "Goexit"
		case "log":
			return strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic")
		case "testing":
			return name == "FailNow" || strings.HasPrefix(name, "Fatal") ||
				name == "Skip" || name == "Skipf" || name == "SkipNow"
		}
	}
	return false
}

// jumps visits what leaves its place in a statement, which it could not from a function: returns,
// defers, labels, and what breaks or goes on with a loop around the statement.
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
