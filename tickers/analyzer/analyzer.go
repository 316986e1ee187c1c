// Package analyzer finds ad-hoc goroutine tickers: goroutines that run something again and again
// by a time.Ticker, time.Tick, time.After or time.Sleep, and functions that arm themselves again
// by time.AfterFunc. It says of each what is wrong with it, and only what it can see:
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
// Not reported are loops that wait for something to come true and then go on, loops that work as
// long as there is work and pause when there is none, event loops in which the tick is one case
// among others that do work, loops on the goroutine of the caller, generated files, and test
// files, unless -tickers.intests is set.
//
// It finds schedulers of robfig/cron and gocron as well, and jobs that are added to one from
// elsewhere. A suggested fix makes a scheduler a scheduled pool, and its jobs tasks of that, where
// lines, wrappers and options mean the same here, and everything that is done with it is seen.
//
// A suggested fix for a ticker runs the body on a scheduled pool, which is what -tickers.pool names,
// or a variable of type *executor.ScheduledPool in scope. A goroutine that does nothing else goes.
// One that does stays, waits for the loop's way out as it did, then ends the series and waits for the
// body: so what it defers comes when it always came. There is a fix only where nothing else can
// change: the period and the way out have to be the same for as long as the loop runs, the ticker
// has to be the loop's own, and nobody may recover from a panic of the body, or wait until it takes
// a signal to end.
package analyzer

import (
	"flag"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer is the analyzer.
var Analyzer = &analysis.Analyzer{
	Name:  "tickers",
	Doc:   "find goroutines that are tickers, which a scheduled pool would run better",
	URL:   "https://pkg.go.dev/github.com/punctual-go/punctual/tickers",
	Flags: flags(),
	Run:   run,
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
	decls   map[types.Object]*ast.FuncDecl
	started map[types.Object]*spawner // functions that run on goroutines of their own
}

func run(pass *analysis.Pass) (any, error) {
	s := &search{pass, map[types.Object]*ast.FuncDecl{}, map[types.Object]*spawner{}}
	inspect(s.Files, func(n ast.Node) {
		if f, ok := n.(*ast.FuncDecl); ok && s.TypesInfo.Defs[f.Name] != nil {
			s.decls[s.TypesInfo.Defs[f.Name]] = f
		}
	})
	var files []*ast.File
	for _, file := range pass.Files {
		if inTests || !strings.HasSuffix(pass.Fset.File(file.FileStart).Name(), "_test.go") {
			files = append(files, file)
		}
	}
	inspect(files, func(n ast.Node) {
		if function, by := s.startedBy(n); function != nil {
			s.spawn(function, by)
		}
	})
	for _, file := range files {
		if !ast.IsGenerated(file) {
			inspect([]*ast.File{file}, s.look)
		}
	}
	s.schedulers(files)
	return nil, nil
}

// inspect visits the nodes of files.
func inspect(files []*ast.File, visit func(ast.Node)) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			visit(n)
			return true
		})
	}
}

// look looks for ad-hoc tickers in a node that runs on a goroutine of its own, or arms itself
// again.
func (s *search) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt, *ast.CallExpr:
		function, by := s.startedBy(n)
		if f, ok := function.(*ast.FuncLit); ok {
			s.goroutine(f.Type, f.Body, by)
		}
	case *ast.FuncDecl:
		if n.Body == nil {
			return
		}
		self := s.TypesInfo.Defs[n.Name]
		if by, ok := s.started[self]; ok {
			// Whoever else calls it may recover.
			others := n.Name.IsExported() || s.uses(self) != len(by.sites) ||
				n.Recv != nil && s.inInterface(n.Name.Name) || s.tested(n)
			s.goroutine(n.Type, n.Body, spawner{caught: by.caught,
				tied: because(by.tied, others, "its function may be called elsewhere too")})
		}
		s.rearming(self, n.Recv, n.Body)
	case *ast.AssignStmt:
		f, ok := n.Rhs[0].(*ast.FuncLit)
		if !ok || len(n.Lhs) != 1 {
			return
		}
		self := s.object(n.Lhs[0])
		if by, ok := s.started[self]; ok {
			s.goroutine(f.Type, f.Body, spawner{caught: by.caught,
				tied: because(by.tied, true, "its function is a variable")})
		}
		s.rearming(self, nil, f.Body)
	}
}
