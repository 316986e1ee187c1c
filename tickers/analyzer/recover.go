package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// inside adds to what starts a goroutine what the body itself says: whether it recovers, and
// whether it has to stay on its goroutine.
func (s *search) inside(by spawner, body *ast.BlockStmt) spawner {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			by.caught = by.caught || s.recovers(n.Call)
			by.tied = because(by.tied, s.unknown(n.Call), "what it defers may recover from a panic")
		case *ast.BranchStmt:
			by.tied = because(by.tied, n.Tok == token.GOTO, "its goroutine has a goto")
		}
		return true
	})
	by.tied = because(by.tied, by.caught, "somebody recovers from its panics, or may")
	by.tied = because(by.tied, s.binds(body), "it changes the thread or the labels of its goroutine")
	return by
}

// recovers tells whether a deferred call recovers from a panic, or sounds as if it might.
func (s *search) recovers(call *ast.CallExpr) bool {
	if f, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return s.callsRecover(f.Body)
	}
	f := s.object(call.Fun)
	if decl := s.decls[f]; decl != nil && decl.Body != nil {
		return s.callsRecover(decl.Body)
	}
	return f != nil && suspicious(f.Name())
}

func (s *search) callsRecover(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			found = found || s.recovers(n.Call)
		case *ast.CallExpr:
			f, ok := s.object(n.Fun).(*types.Builtin)
			found = found || ok && f.Name() == "recover"
		}
		return !found
	})
	return found
}

// suspicious tells whether a deferred function sounds as if it might recover.
func suspicious(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "recover") || strings.Contains(name, "panic") ||
		strings.Contains(name, "crash")
}

// unknown tells whether nobody can say from here if a deferred call recovers. What the standard
// library has to defer does not.
func (s *search) unknown(call *ast.CallExpr) bool {
	if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return false
	}
	switch f := s.object(call.Fun).(type) {
	case *types.Builtin:
		return false
	case *types.Var:
		return types.TypeString(f.Type(), nil) != "context.CancelFunc"
	case *types.Func:
		if f.Pkg() == s.Pkg {
			return s.decls[f] == nil
		}
		return f.Pkg() == nil || !standard(f.Pkg().Path())
	}
	return true
}

// standard tells whether a path is of a package of the standard library.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// binds tells whether a body changes the thread or the labels of the goroutine that it is on.
func (s *search) binds(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := s.object(call.Fun).(*types.Func); ok {
			switch f.Name() {
			case "LockOSThread", "SetGoroutineLabels", "Setns", "Unshare":
				found = true
			}
		}
		return true
	})
	return found
}
