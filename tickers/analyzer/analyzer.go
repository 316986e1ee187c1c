// Package analyzer finds ad-hoc goroutine tickers: goroutines that run something again and again by a
// time.Ticker, time.Tick, time.After or time.Sleep, and functions that arm themselves again by
// time.AfterFunc. It says of each what is wrong with it, and only what it can see:
//
//	nothing stops it                 no way out of the loop
//	an early return ends it          it arms itself again at its end, and does not always get there
//	a panic in it ends the process   no recover on its goroutine
//	missed ticks are lost            a ticker drops what its reader is too slow for
//	its period drifts                a sleep begins when the body has ended
//	its runs have no deadline        the body passes a context on and never makes one with a deadline
//	its tasks hold each other up     several tickers take turns in one loop
//	runs may overlap                 the body starts goroutines and does not wait
//
// Not reported are loops that wait for something to come true and then go on, event loops in which the
// tick is one case among others that do work, loops on the goroutine of the caller, and test files,
// unless -intests is set.
//
// A suggested fix runs the body on a scheduled pool, which is what -pool names, or a variable of type
// *executor.ScheduledPool in scope. A goroutine that does nothing else goes. One that does stays, waits
// for the loop's way out as it did, then ends the series and waits for the body: so what it defers comes
// when it always came. There is no fix for a body that returns, defers or uses the tick, for a period
// that may change, and for a goroutine that recovers.
package analyzer

import (
	"flag"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// Analyzer is the analyzer.
var Analyzer = &analysis.Analyzer{
	Name:     "tickers",
	Doc:      "find goroutines that are tickers, which a scheduled pool would run better",
	URL:      "https://pkg.go.dev/github.com/punctual-go/punctual/tickers",
	Flags:    flags(),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

var (
	inTests  bool
	poolName string
)

func flags() (all flag.FlagSet) {
	all.BoolVar(&inTests, "intests", false, "look at test files as well")
	all.StringVar(&poolName, "pool", "",
		"an expression for the *executor.ScheduledPool that fixes are to use")
	return all
}

// search is the look at one package.
type search struct {
	*analysis.Pass
	spawned map[types.Object]spawner // functions of this package that run on goroutines of their own
	gos     map[types.Object][]*ast.GoStmt
}

// spawner is what starts a goroutine: a go statement, or a function that is given its body.
type spawner struct {
	statement *ast.GoStmt  // nil if it is a function, or its body is declared elsewhere
	function  types.Object // the body, if it is declared
	caught    bool         // for all that is seen, a panic may not end the process
}

func run(pass *analysis.Pass) (any, error) {
	s := &search{pass, map[types.Object]spawner{}, map[types.Object][]*ast.GoStmt{}}
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	spawns := []ast.Node{(*ast.GoStmt)(nil), (*ast.CallExpr)(nil)}
	decls := map[types.Object]*ast.BlockStmt{}
	in.Preorder([]ast.Node{(*ast.FuncDecl)(nil)}, func(n ast.Node) {
		decls[s.TypesInfo.Defs[n.(*ast.FuncDecl).Name]] = n.(*ast.FuncDecl).Body
	})
	in.Preorder(spawns, func(n ast.Node) {
		body, by := s.startedBy(n)
		if body == nil {
			return
		}
		s.runs(body, by, decls)
		if f := s.object(body); f != nil && by.statement != nil {
			s.gos[f] = append(s.gos[f], by.statement)
		}
	})
	in.Preorder(append(spawns, (*ast.FuncDecl)(nil), (*ast.AssignStmt)(nil)), func(n ast.Node) {
		if !inTests && strings.HasSuffix(pass.Fset.File(n.Pos()).Name(), "_test.go") {
			return
		}
		switch n := n.(type) {
		case *ast.GoStmt, *ast.CallExpr:
			body, by := s.startedBy(n)
			if f, ok := body.(*ast.FuncLit); ok {
				s.goroutine(f.Body, by)
			}
		case *ast.FuncDecl:
			self := s.TypesInfo.Defs[n.Name]
			if by, ok := s.spawned[self]; ok && n.Body != nil {
				by.function = self
				s.goroutine(n.Body, by)
			}
			s.rearming(self, n.Body)
		case *ast.AssignStmt:
			if f, ok := n.Rhs[0].(*ast.FuncLit); ok && len(n.Lhs) == 1 {
				s.rearming(s.object(n.Lhs[0]), f.Body)
			}
		}
	})
	return nil, nil
}

// runs notes that a function runs on a goroutine of its own, with those that it calls at its top.
func (s *search) runs(function ast.Expr, by spawner, decls map[types.Object]*ast.BlockStmt) {
	var body *ast.BlockStmt
	if literal, ok := function.(*ast.FuncLit); ok {
		body = literal.Body
	} else {
		f := s.object(function)
		if _, known := s.spawned[f]; f == nil || known {
			return
		}
		s.spawned[f] = spawner{caught: by.caught}
		body = decls[f]
	}
	if body == nil {
		return
	}
	by.caught = by.caught || recovers(body)
	for _, statement := range body.List {
		if st, ok := statement.(*ast.ExprStmt); ok {
			if call, ok := st.X.(*ast.CallExpr); ok && s.object(call.Fun) != nil {
				s.runs(ast.Unparen(call.Fun), by, decls)
			}
		}
	}
}

// startedBy is what a go statement runs, or what a function is given that is called as those are that
// start a goroutine: errgroup's Go, threading.GoSafe, startGoRoutine.
func (s *search) startedBy(n ast.Node) (body ast.Expr, by spawner) {
	switch n := n.(type) {
	case *ast.GoStmt:
		return ast.Unparen(n.Call.Fun), spawner{statement: n}
	case *ast.CallExpr:
		f := s.object(n.Fun)
		if f == nil || len(n.Args) == 0 || !starts(f.Name()) {
			return nil, by
		}
		for _, arg := range n.Args {
			if _, ok := s.TypesInfo.TypeOf(arg).(*types.Signature); ok {
				ofSync := f.Pkg() != nil && f.Pkg().Path() == "sync"
				return ast.Unparen(arg), spawner{caught: !ofSync}
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

// object is the function, method or variable that an expression names.
func (s *search) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return s.TypesInfo.ObjectOf(e)
	case *ast.SelectorExpr:
		return s.TypesInfo.ObjectOf(e.Sel)
	}
	return nil
}

// isTime tells whether a call is of a function of package time.
func (s *search) isTime(e ast.Expr, name string) (*ast.CallExpr, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	f, ok := s.object(call.Fun).(*types.Func)
	return call, ok && f.Pkg() != nil && f.Pkg().Path() == "time" && f.Name() == name && f.Signature().Recv() == nil
}

// goroutine looks for loops at the top of what a goroutine runs.
func (s *search) goroutine(body *ast.BlockStmt, by spawner) {
	for _, statement := range body.List {
		if labeled, ok := statement.(*ast.LabeledStmt); ok {
			statement = labeled.Stmt
		}
		if l := s.loop(statement); l != nil {
			l.goroutine, l.spawner = body, by
			s.report(l)
		}
	}
}

// rearming reports a function that always arms itself again.
func (s *search) rearming(self types.Object, body *ast.BlockStmt) {
	if self == nil || body == nil {
		return
	}
	for _, statement := range body.List {
		var e ast.Expr
		kept := false
		switch st := statement.(type) {
		case *ast.ExprStmt:
			e = st.X
		case *ast.AssignStmt:
			e, kept = st.Rhs[0], st.Tok == token.ASSIGN
		}
		if e == nil {
			continue
		}
		call, ok := s.isTime(e, "AfterFunc")
		if !ok || s.object(only(call.Args[1])) != self {
			continue
		}
		// Whoever has the timer may stop it.
		s.report(&loop{kind: rearms, node: call, goroutine: body, stops: kept, body: body.List})
	}
}

// only is what a function literal calls, if it does nothing else.
func only(e ast.Expr) ast.Expr {
	f, ok := ast.Unparen(e).(*ast.FuncLit)
	if !ok || len(f.Body.List) != 1 {
		return e
	}
	if st, ok := f.Body.List[0].(*ast.ExprStmt); ok {
		if call, ok := st.X.(*ast.CallExpr); ok {
			return call.Fun
		}
	}
	return e
}
