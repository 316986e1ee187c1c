package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// movable tells whether the body of a loop may as well run as a function, on other goroutines.
func (s *search) movable(l *loop) bool {
	if l.kind == rearms || l.period == nil || l.odd || l.spawner.tied {
		return false
	}
	ok := true
	for _, st := range l.body {
		jumps(st, func(n ast.Node) {
			b, branch := n.(*ast.BranchStmt)
			ok = ok && branch && b.Tok == token.CONTINUE && b.Label == nil
		})
		ast.Inspect(st, func(n ast.Node) bool {
			if call, isCall := n.(*ast.CallExpr); isCall {
				ok = ok && !s.mayEnd(call)
			}
			return true
		})
	}
	return ok
}

// mayEnd tells whether a call sounds as if it ended its goroutine, or the process: on a pool a
// panic only ends the series.
func (s *search) mayEnd(call *ast.CallExpr) bool {
	f := s.object(call.Fun)
	if f == nil {
		return false
	}
	if _, isVar := f.(*types.Var); isVar {
		return false
	}
	name := strings.ToLower(f.Name())
	return name == "goexit" || name == "exit" || name == "failnow" || name == "skipnow" ||
		strings.HasPrefix(name, "fatal") || strings.HasPrefix(name, "panic")
}

// free tells whether the ways out of a loop may wait where the loop is: each for a signal that is
// the same at all times, and that tells its sender nothing.
func (s *search) free(l *loop) bool {
	ok := len(l.outs) > 0
	for _, out := range l.outs {
		from, _ := received(out.Comm)
		ok = ok && s.signal(from)
		ast.Inspect(out, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BranchStmt:
				ok = ok && n.Label == nil && n.Tok != token.GOTO
			case *ast.Ident:
				used := s.TypesInfo.Uses[n]
				ofTheLoop := used != nil && encloses(l.node, used) && !encloses(out, used)
				ok = ok && n.Name != "job" && n.Name != "err" && !ofTheLoop
			}
			return true
		})
	}
	return ok
}

// signal tells whether a channel only says that it is time to go. A send to it might wait until a
// run of the body has ended: then the fix would let the sender go on too early.
func (s *search) signal(from ast.Expr) bool {
	if ctx := s.contextOf(from); ctx != nil {
		return plain(ctx) && s.steady(ctx)
	}
	return from != nil && plain(from) && s.steady(from) && s.onlyClosed(from)
}

// encloses tells whether something is declared in a node.
func encloses(n ast.Node, o types.Object) bool { return n.Pos() <= o.Pos() && o.Pos() < n.End() }
