package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const cronPath = "github.com/punctual-go/punctual/timer/cron"

// replacement is how a scheduler of another library becomes a pool: edits of one file.
type replacement struct {
	*search
	*scheduler
	file  *ast.File
	zone  string // an option for lines, if the scheduler has a zone
	utc   bool   // that has no changes of the clock
	opts  string // of all tasks
	lines bool   // package cron is needed
	edits []analysis.TextEdit
	known int // uses of the variable that have been looked at
	why   string
}

// replace makes a scheduler a scheduled pool, if that means the same, or says why not.
func (s *search) replace(c *scheduler) (fix analysis.SuggestedFix, why string) {
	r := &replacement{search: s, scheduler: c, file: s.fileAt(c.makes)}
	switch {
	case !c.library.fixed:
		return fix, "there are fixes for robfig/cron/v3 and gocron/v2 only"
	case c.v == nil:
		return fix, "where it is kept is not seen"
	case c.twice:
		return fix, "it is made in several places"
	case c.v.Exported() && (c.v.IsField() || c.v.Parent() == s.Pkg.Scope()) || s.ignored(c.v.Name()):
		return fix, "others may use it, too"
	case len(c.jobs) == 0:
		return fix, "no job is added to it here"
	}
	r.make()
	r.places()
	for _, job := range c.jobs {
		r.add(job)
	}
	for _, call := range c.others {
		r.call(call)
	}
	r.types()
	r.imports()
	if r.why != "" {
		return fix, r.why
	}
	return analysis.SuggestedFix{Message: "make it a scheduled pool", TextEdits: r.edits}, ""
}

func (r *replacement) because(holds bool, why string) { r.why = because(r.why, holds, why) }

func (r *replacement) edit(from, to token.Pos, text string) {
	r.because(r.fileAt(place(from)) != r.file, "it is used in several files")
	for _, name := range []string{"executor", "context", "cron"} {
		if found := r.lookup(name, from); found != nil {
			_, isPackage := found.(*types.PkgName)
			r.because(!isPackage, otherName)
		}
	}
	r.edits = append(r.edits, analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)})
}

type place token.Pos

func (p place) Pos() token.Pos { return token.Pos(p) }

// make replaces the call that makes the scheduler, with its options.
func (r *replacement) make() {
	for _, arg := range r.makes.Args {
		name, args, ok := r.offer(arg, r.library)
		switch {
		case ok && name == "WithLocation" && len(args) == 1:
			r.zone = "cron.Zone(" + r.text(args[0]) + ")"
			r.utc = r.text(args[0]) == "time.UTC"
			r.because(!r.utc && r.text(args[0]) != "time.Local", "its zone is a variable")
		case ok && name == "WithChain":
			r.chain(args)
		default:
			r.because(true, "one of its options has no counterpart: "+r.text(arg))
		}
	}
	text := fmt.Sprintf("executor.NewScheduledPool(%d)", len(r.jobs))
	assign, ok := r.parent(r.makes).(*ast.AssignStmt)
	if ok && len(assign.Lhs) == 2 { // with an error
		r.withoutError(assign, text)
		return
	}
	r.edit(r.makes.Pos(), r.makes.End(), text)
}

// chain makes the wrappers of jobs options of tasks.
func (r *replacement) chain(wrappers []ast.Expr) {
	for _, wrapper := range wrappers {
		name, args, ok := r.offer(wrapper, r.library)
		plainLogger := ok && len(args) == 1 && libraryOf(r.object(args[0])) == r.library
		option := map[string]string{
			"SkipIfStillRunning":  "executor.CatchUp(executor.Skip)",
			"DelayIfStillRunning": "executor.CatchUp(executor.Burst)",
			"Recover":             "executor.FailurePolicy(executor.Continue)",
		}[name]
		r.because(!plainLogger || option == "" || strings.Contains(r.opts, option),
			"one of its wrappers has no counterpart: "+r.text(wrapper))
		r.opts += ", " + option
	}
}

// withoutError replaces what makes a scheduler and an error, and the statement that looks at that.
func (r *replacement) withoutError(st *ast.AssignStmt, text string) {
	path := r.around(st)
	list := listOf(path[1])
	i := slices.Index(list, ast.Stmt(st))
	errVar := r.object(st.Lhs[1])
	ok := st.Tok == token.DEFINE && i >= 0 && i+1 < len(list) && errVar != nil &&
		r.checks(list[i+1], errVar) && r.TypesInfo.Defs[st.Lhs[1].(*ast.Ident)] != nil
	r.because(!ok, "the error of making it is not looked at in the usual way")
	if !ok {
		return
	}
	inside := 1 // the question itself
	ast.Inspect(list[i+1].(*ast.IfStmt).Body, func(n ast.Node) bool {
		if id, isIdent := n.(*ast.Ident); isIdent && r.TypesInfo.Uses[id] == errVar {
			inside++
		}
		return true
	})
	text = r.source(st.Lhs[0].Pos(), st.Lhs[0].End()) + " := " + text
	if r.uses(errVar) > inside {
		r.because(!r.read(list[i+2:], errVar), "nothing looks at the error of its jobs")
		text = "var " + errVar.Name() + " error\n" + text
	}
	r.edit(st.Pos(), list[i+1].End(), text)
}

// read tells whether statements ask for an error, and do not only set it.
func (r *replacement) read(list []ast.Stmt, err types.Object) (found bool) {
	for _, st := range list {
		ast.Inspect(st, func(n ast.Node) bool {
			q, ok := n.(*ast.BinaryExpr)
			found = found || ok && r.object(q.X) == err
			return !found
		})
	}
	return found
}

// checks tells whether a statement is if err != nil, with nothing else.
func (r *replacement) checks(st ast.Stmt, err types.Object) bool {
	q, ok := st.(*ast.IfStmt)
	if !ok || q.Init != nil || q.Else != nil {
		return false
	}
	b, ok := q.Cond.(*ast.BinaryExpr)
	return ok && b.Op == token.NEQ && r.object(b.X) == err && r.TypesInfo.Types[b.Y].IsNil()
}
