package analyzer

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// report says what is wrong with an ad-hoc ticker, in one line.
func (s *search) report(l *loop) {
	var wrong []string
	switch {
	case l.kind == rearms && s.leaves(l.body, false):
		wrong = append(wrong, "an early return ends it")
	case !l.stops:
		wrong = append(wrong, "nothing stops it")
	}
	if !l.spawner.caught {
		wrong = append(wrong, "a panic in it ends the process")
	}
	switch l.kind {
	case ticks:
		wrong = append(wrong, "missed ticks are lost")
	case sleeps, rearms:
		wrong = append(wrong, "its period drifts by what a run takes")
	}
	if l.several {
		wrong = append(wrong, "its tasks hold each other up")
	}
	if s.noDeadline(l.body) {
		wrong = append(wrong, "its runs have no deadline")
	}
	if spawns(l.body) {
		wrong = append(wrong, "runs may overlap")
	}
	instead := "Every"
	switch {
	case l.kind != ticks:
		instead = "WithFixedDelay"
	case l.first:
		instead = "AtFixedRate"
	}
	d := analysis.Diagnostic{
		Pos: l.node.Pos(), End: l.node.End(),
		Message: "ad-hoc ticker: " + strings.Join(wrong, "; ") +
			" (on a scheduled pool: " + instead + ")",
	}
	fix, why := s.fix(l, instead)
	s.suggest(d, fix, why)
}

// noDeadline tells whether a body passes a context on, and never makes one that has a deadline.
func (s *search) noDeadline(list []ast.Stmt) bool {
	passed, limited := false, false
	for _, st := range list {
		ast.Inspect(st, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f := s.object(call.Fun); f != nil {
				limited = limited || strings.Contains(f.Name(), "Timeout") ||
					strings.Contains(f.Name(), "Deadline")
			}
			for _, arg := range call.Args {
				passed = passed || s.typeOf(arg) == "context.Context"
			}
			return true
		})
	}
	return passed && !limited
}

// spawns tells whether a body starts goroutines, and waits for none.
func spawns(list []ast.Stmt) (found bool) {
	waits := false
	for _, st := range list {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.GoStmt:
				found = true
				return false
			case *ast.SelectorExpr:
				waits = waits || n.Sel.Name == "Wait"
			case *ast.UnaryExpr:
				waits = waits || n.Op.String() == "<-"
			}
			return true
		})
	}
	return found && !waits
}
