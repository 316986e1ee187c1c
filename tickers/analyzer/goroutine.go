package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// spawner is what starts a goroutine: a go statement, or a function that is given its body.
type spawner struct {
	statement *ast.GoStmt // nil if it is a function, or the body is declared elsewhere
	caught    bool        // for all that is seen, a panic may not end the process
	tied      string      // why the body may not run on other goroutines; else empty
	sites     map[token.Pos]bool
}

// spawn notes that a function runs on a goroutine of its own, with those that it calls at its top.
func (s *search) spawn(function ast.Expr, by spawner) {
	var body *ast.BlockStmt
	if literal, ok := function.(*ast.FuncLit); ok {
		body = literal.Body
	} else {
		f := s.object(function)
		if f == nil || !s.note(f, function.Pos(), by) {
			return
		}
		if decl := s.decls[f]; decl != nil {
			body = decl.Body
		}
	}
	if body == nil {
		return
	}
	by = s.inside(by, body)
	for _, statement := range body.List {
		if st, ok := statement.(*ast.ExprStmt); ok {
			if call, ok := st.X.(*ast.CallExpr); ok && s.object(call.Fun) != nil {
				s.spawn(ast.Unparen(call.Fun), by)
			}
		}
	}
}

// note adds a place where a function is started, and tells whether it says something new.
func (s *search) note(f types.Object, at token.Pos, by spawner) bool {
	known := s.started[f]
	if known == nil {
		s.started[f] = &spawner{
			caught: by.caught, tied: by.tied, sites: map[token.Pos]bool{at: true},
		}
		return true
	}
	caught, tied := known.caught && by.caught, because(known.tied, by.tied != "", by.tied)
	isNew := !known.sites[at] || caught != known.caught || tied != known.tied
	known.caught, known.tied, known.sites[at] = caught, tied, true
	return isNew
}

// startedBy is what a go statement runs, or what a function is given that is called as those are
// that start a goroutine: errgroup's Go, threading.GoSafe, startGoRoutine.
func (s *search) startedBy(n ast.Node) (function ast.Expr, by spawner) {
	switch n := n.(type) {
	case *ast.GoStmt:
		return ast.Unparen(n.Call.Fun), spawner{statement: n}
	case *ast.CallExpr:
		f := s.object(n.Fun)
		if f == nil || !starts(f.Name()) || s.synchronous(f) {
			return nil, by
		}
		for _, arg := range n.Args {
			if _, ok := s.TypesInfo.TypeOf(arg).(*types.Signature); ok {
				other := f.Pkg() == nil || f.Pkg().Path() != "sync"
				return ast.Unparen(arg), spawner{caught: other,
					tied: because("", other, "what starts its goroutine may do more than that")}
			}
		}
	}
	return nil, by
}

// starts tells whether a function is called as if it started a goroutine.
func starts(name string) bool {
	rest, ok := strings.CutPrefix(name, "Go")
	return ok && (rest == "" || rest[0] >= 'A' && rest[0] <= 'Z') ||
		strings.Contains(strings.ToLower(name), "goroutine")
}

// synchronous tells whether a function of this package starts no goroutine, whatever it is called.
func (s *search) synchronous(f types.Object) bool {
	decl := s.decls[f]
	if decl == nil || decl.Body == nil {
		return false
	}
	found := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			other := s.object(n.Fun)
			found = found || other != nil && s.decls[other] == nil && starts(other.Name())
		}
		return true
	})
	return !found
}

// goroutine looks for loops at the top of what a goroutine runs.
func (s *search) goroutine(signature *ast.FuncType, body *ast.BlockStmt, by spawner) {
	by = s.inside(by, body)
	by.tied = because(by.tied, signature.Results != nil, "its function returns something")
	s.loops(body.List, func(l *loop) {
		l.goroutine, l.spawner = body, by
		l.odd = because(l.odd, !contains(body.List, l.node),
			"its loop has a label, or runs on a condition")
		s.report(l)
	})
}

// loops visits the ad-hoc tickers among statements, also those that run on a condition.
func (s *search) loops(list []ast.Stmt, visit func(*loop)) {
	for _, statement := range list {
		switch st := statement.(type) {
		case *ast.LabeledStmt:
			s.loops([]ast.Stmt{st.Stmt}, visit)
		case *ast.BlockStmt:
			s.loops(st.List, visit)
		case *ast.IfStmt:
			s.loops(st.Body.List, visit)
			if st.Else != nil {
				s.loops([]ast.Stmt{st.Else}, visit)
			}
		default:
			if l := s.loop(st); l != nil {
				visit(l)
			}
		}
	}
}
