package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// unmovable is why the body of a loop may not run as a function, on other goroutines; or empty.
func (s *search) unmovable(l *loop) (why string) {
	why = because(why, l.kind == rearms, "it arms itself again, and is no loop")
	why = because(why, l.odd != "", l.odd)
	why = because(why, l.spawner.tied != "", l.spawner.tied)
	why = because(why, l.period == nil, "where its period is set is not seen")
	for _, st := range l.body {
		jumps(st, func(n ast.Node) {
			b, branch := n.(*ast.BranchStmt)
			goesOn := branch && b.Tok == token.CONTINUE && b.Label == nil
			why = because(why, !goesOn, "its body returns, defers, or leaves a statement early")
		})
		ast.Inspect(st, func(n ast.Node) bool {
			if call, isCall := n.(*ast.CallExpr); isCall {
				why = because(why, s.mayEnd(call), "its body may end the process, or its goroutine")
			}
			return true
		})
	}
	return why
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
