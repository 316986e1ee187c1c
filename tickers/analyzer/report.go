package analyzer

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// report says what is wrong with an ad-hoc ticker, in one line.
func (s *search) report(l *loop) {
	var wrong []string
	switch {
	case l.kind == rearms && leaves(&ast.BlockStmt{List: l.body}):
		wrong = append(wrong, "an early return ends it")
	case !l.stops:
		wrong = append(wrong, "nothing stops it")
	}
	if !l.spawner.caught && !recovers(l.goroutine) {
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
	instead := "AtFixedRate"
	if l.kind != ticks {
		instead = "WithFixedDelay"
	}
	d := analysis.Diagnostic{
		Pos: l.node.Pos(), End: l.node.End(),
		Message: "ad-hoc ticker: " + strings.Join(wrong, "; ") + " (on a scheduled pool: " + instead + ")",
	}
	if fix, ok := s.fix(l, instead); ok {
		d.SuggestedFixes = []analysis.SuggestedFix{fix}
	}
	s.Report(d)
}

// recovers tells whether a goroutine may recover from a panic: it defers something that calls recover, or
// that may, for all that is seen here.
func recovers(body *ast.BlockStmt) (found bool) {
	for _, st := range body.List {
		d, ok := st.(*ast.DeferStmt)
		if !ok {
			continue
		}
		switch f := d.Call.Fun.(type) {
		case *ast.FuncLit:
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "recover" {
						found = true
					}
				}
				return true
			})
		case *ast.Ident:
			found = found || suspicious(f.Name)
		case *ast.SelectorExpr:
			found = found || suspicious(f.Sel.Name)
		}
	}
	return found
}

// suspicious tells whether a deferred function sounds as if it might recover.
func suspicious(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "recover") || strings.Contains(name, "panic") || strings.Contains(name, "crash")
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
				limited = limited || strings.Contains(f.Name(), "Timeout") || strings.Contains(f.Name(), "Deadline")
			}
			for _, arg := range call.Args {
				t := s.TypesInfo.TypeOf(arg)
				passed = passed || t != nil && types.TypeString(t, nil) == "context.Context"
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
