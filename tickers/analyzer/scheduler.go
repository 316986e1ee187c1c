package analyzer

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// scheduler is one of another library, with what this package does with it.
type scheduler struct {
	*library
	makes  *ast.CallExpr
	twice  bool       // it is made elsewhere too
	v      *types.Var // where it is kept; nil if that is not seen
	jobs   []*ast.CallExpr
	others []*ast.CallExpr // of its other methods
}

const instead = " (on a scheduled pool: On, Every)"

// schedulers reports those of other libraries: each that is made here, and each job that is added
// to one from elsewhere.
func (s *search) schedulers(files []*ast.File) {
	var all []*scheduler
	kept := map[*types.Var]*scheduler{}
	for _, call := range s.callsOf(files, false) {
		of, f := s.called(call)
		if !slices.Contains(of.made, f.Name()) {
			continue
		}
		c := &scheduler{library: of, makes: call, v: s.keptIn(call)}
		switch known := kept[c.v]; {
		case c.v == nil:
		case known != nil:
			known.twice = true
			continue
		default:
			kept[c.v] = c
		}
		all = append(all, c)
	}
	for _, call := range s.callsOf(files, true) {
		of, f := s.called(call)
		c := kept[s.receiver(call)]
		adds := slices.Contains(of.adds, f.Name())
		switch {
		case c != nil && adds:
			c.jobs = append(c.jobs, call)
		case c != nil:
			c.others = append(c.others, call)
		case adds && !s.inChain(call):
			s.suggest(analysis.Diagnostic{Pos: call.Pos(), End: call.End(),
				Message: "cron job: " + of.name + ", on a scheduler from elsewhere" + instead},
				analysis.SuggestedFix{}, "where its scheduler is made is not seen")
		}
	}
	for _, c := range all {
		fix, why := s.replace(c)
		s.suggest(analysis.Diagnostic{Pos: c.makes.Pos(), End: c.makes.End(),
			Message: s.wrongWith(c)}, fix, why)
	}
}

// callsOf are the calls of the libraries' functions, or of their methods, in their order.
func (s *search) callsOf(files []*ast.File, methods bool) (calls []*ast.CallExpr) {
	for _, file := range files {
		if ast.IsGenerated(file) {
			continue
		}
		inspect([]*ast.File{file}, func(n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return
			}
			if of, f := s.called(call); of != nil && isMethod(f) == methods {
				calls = append(calls, call)
			}
		})
	}
	return calls
}

// keptIn is the variable or field that the value of a call becomes, or nil.
func (s *search) keptIn(call *ast.CallExpr) (v *types.Var) {
	is := func(e ast.Expr) bool { return ast.Unparen(e) == call }
	inspect([]*ast.File{s.fileAt(call)}, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 && is(n.Rhs[0]) {
				v, _ = s.object(n.Lhs[0]).(*types.Var)
			}
		case *ast.ValueSpec:
			if len(n.Values) == 1 && is(n.Values[0]) {
				v, _ = s.TypesInfo.Defs[n.Names[0]].(*types.Var)
			}
		case *ast.KeyValueExpr:
			if is(n.Value) {
				v, _ = s.object(n.Key).(*types.Var)
			}
		}
	})
	return v
}

// receiver is the variable whose method a call calls, at the beginning of a chain of calls; or nil.
func (s *search) receiver(call *ast.CallExpr) *types.Var {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if inner, ok := ast.Unparen(sel.X).(*ast.CallExpr); ok {
		return s.receiver(inner)
	}
	v, _ := s.object(sel.X).(*types.Var)
	return v
}

// inChain tells whether a job is added in a chain that begins with a function: what makes it.
func (s *search) inChain(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	inner, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	of, f := s.called(inner)
	return of != nil && (!isMethod(f) && slices.Contains(of.made, f.Name()) || s.inChain(inner))
}

// wrongWith says what is wrong with a scheduler, in one line: only what can be seen.
func (s *search) wrongWith(c *scheduler) string {
	var wrong []string
	seen := len(c.jobs) > 0 // else what they do is not known
	if seen && c.panics && !s.mentions(c, "Recover", "WithPanicRecovery", "AfterJobRunsWithPanic") {
		wrong = append(wrong, "a panic in a job ends the process")
	}
	if seen && c.overlaps && !s.mentions(c, "SkipIfStillRunning", "DelayIfStillRunning",
		"WithSingletonMode", "SingletonMode", "SingletonModeAll", "WithLimitConcurrentJobs") {
		wrong = append(wrong, "a slow run is joined by the next")
	}
	if s.dropsErrors(c) {
		wrong = append(wrong, "a job that cannot be added is not noticed")
	}
	if c.v != nil && !c.v.IsField() && !s.stopped(c) {
		wrong = append(wrong, "nothing stops it")
	}
	jobs := fmt.Sprintf("%d jobs", len(c.jobs))
	switch len(c.jobs) {
	case 0:
		jobs = "its jobs are added elsewhere"
	case 1:
		jobs = "its job"
	}
	if len(wrong) > 0 {
		jobs += ": " + strings.Join(wrong, "; ")
	}
	return "cron scheduler: " + c.name + ", " + jobs + instead
}

// mentions tells whether the code that makes a scheduler, or adds a job to it, has one of these
// names in it.
func (s *search) mentions(c *scheduler, names ...string) (found bool) {
	for _, call := range slices.Concat([]*ast.CallExpr{c.makes}, c.jobs, c.others) {
		ast.Inspect(call, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && slices.Contains(names, id.Name)
			return !found
		})
	}
	return found
}

// dropsErrors tells whether a job is added by a statement that does not look at the error.
func (s *search) dropsErrors(c *scheduler) (drops bool) {
	for _, job := range c.jobs {
		_, alone := s.parent(job).(*ast.ExprStmt)
		drops = drops || alone && strings.Contains(s.typeOf(job), "error")
	}
	return drops
}

// stopped tells whether something is called that stops a scheduler, or it is handed on.
func (s *search) stopped(c *scheduler) bool {
	for _, call := range c.others {
		_, f := s.called(call)
		switch f.Name() {
		case "Stop", "Shutdown", "StopJobs", "Clear":
			return true
		}
	}
	return s.uses(c.v) > len(c.others)+len(c.jobs)
}

// parent is the node around another.
func (s *search) parent(n ast.Node) (parent ast.Node) {
	path := s.around(n)
	if len(path) < 2 {
		return nil
	}
	return path[1]
}

// around are a node and those around it, from the inside out.
func (s *search) around(n ast.Node) (path []ast.Node) {
	var stack []ast.Node
	ast.Inspect(s.fileAt(n), func(m ast.Node) bool {
		if m == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, m)
		if m == n {
			path = slices.Clone(stack)
			slices.Reverse(path)
		}
		return true
	})
	return path
}
