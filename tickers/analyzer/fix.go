package analyzer

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const executorPath = "github.com/punctual-go/punctual/executor"

const refused = "panic(err) // the pool is shut down, or the period is not positive\n"

// fix replaces a loop by a task of a pool, if that means the same.
func (s *search) fix(l *loop, method string) (fix analysis.SuggestedFix, ok bool) {
	pool := s.pool(l)
	stops, ok := s.stopsOf(l)
	if !ok || pool == "" || !s.movable(l) {
		return fix, false
	}
	task := fmt.Sprintf("%s.%s(%s, %[4]s, func(context.Context) error {\n%[5]sreturn nil\n}%[6]s",
		pool, method, s.initial(l), s.text(l.period), s.bodyOf(l), l.options())
	var edits []analysis.TextEdit
	var gone []ast.Node
	var replaced ast.Node
	var text string
	switch alone, spawns := s.alone(l, stops); {
	case alone && (len(l.outs) == 0 || l.until != nil):
		if l.until != nil {
			task += ", executor.WithContext(" + s.text(l.until) + ")"
		}
		replaced, text = l.node, "if _, err := "+task+"); err != nil {\n"+refused+"}"
		if l.spawner.statement != nil {
			replaced, stops = l.spawner.statement, nil
		}
		for _, spawn := range spawns { // the function now returns at once
			edits = append(edits, analysis.TextEdit{Pos: spawn.Pos(), End: spawn.Call.Pos()})
		}
	case len(l.outs) > 0 && s.free(l.outs):
		replaced = l.node
		text = "job, err := " + task + ")\nif err != nil {\n" + refused + "}\n" + strings.TrimSpace(s.waits(l, stops))
		if s.taken(l, "job") || s.taken(l, "err") {
			text = "{\n" + text + "\n}"
		}
	default:
		return fix, false
	}
	gone = append(gone, replaced)
	for _, st := range stops {
		if !within(st, replaced) {
			gone = append(gone, st)
			edits = append(edits, analysis.TextEdit{Pos: st.Pos(), End: s.next(st.End())})
		}
	}
	file := s.fileAt(replaced)
	imports, ok := s.imports(file)
	formatted, err := format.Source([]byte(text))
	if !ok || err != nil || s.loses(file, l, gone) {
		return fix, false
	}
	edits = append(edits, analysis.TextEdit{Pos: replaced.Pos(), End: replaced.End(), NewText: formatted})
	return analysis.SuggestedFix{
		Message:   "run it on the scheduled pool " + pool,
		TextEdits: append(imports, edits...),
	}, true
}

// initial is the delay of the first run.
func (s *search) initial(l *loop) string {
	if l.first {
		return "0"
	}
	return s.text(l.period)
}

// options are those of the task.
func (l *loop) options() string {
	if l.kind == ticks {
		return ", executor.CatchUp(executor.Coalesce)" // as a ticker, whose channel holds one tick
	}
	return ""
}

// waits is the code that waits for a way out, ends the series, waits for its body, and leaves.
func (s *search) waits(l *loop, stops []ast.Stmt) string {
	last := l.goroutine.List[len(l.goroutine.List)-1] == l.node
	all := ""
	for _, out := range l.outs {
		comm, body := s.source(out.Comm.Pos(), out.Comm.End()), "\njob.Cancel()\n<-job.Stopped()\n"
		for _, st := range out.Body {
			ret, returns := st.(*ast.ReturnStmt)
			if !contains(stops, st) && !(last && returns && len(ret.Results) == 0) {
				body += s.source(st.Pos(), st.End()) + "\n"
			}
		}
		if len(l.outs) == 1 {
			return comm + body
		}
		all += "case " + comm + ":" + body
	}
	return "select {\n" + all + "}\n"
}

func contains(list []ast.Stmt, st ast.Stmt) bool {
	for _, other := range list {
		if other == st {
			return true
		}
	}
	return false
}

// pool is what the scheduled pool is called where a loop begins: what -pool says, or a variable in scope.
func (s *search) pool(l *loop) string {
	if poolName != "" {
		return poolName
	}
	at := l.node.Pos()
	if l.spawner.statement != nil {
		at = l.spawner.statement.Pos()
	}
	for scope := s.Pkg.Scope().Innermost(at); scope != nil; scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if ok && (v.Pos() < at || scope == s.Pkg.Scope()) &&
				types.TypeString(v.Type(), nil) == "*"+executorPath+".ScheduledPool" {
				return name
			}
		}
	}
	return ""
}

// bodyOf is the body of a loop as that of a function: what goes on with the next turn returns.
func (s *search) bodyOf(l *loop) string {
	if len(l.body) == 0 {
		return ""
	}
	from, to := l.body[0].Pos(), l.body[len(l.body)-1].End()
	var text strings.Builder
	for _, st := range l.body {
		jumps(st, func(n ast.Node) {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.CONTINUE {
				text.WriteString(s.source(from, b.Pos()) + "return nil")
				from = b.End()
			}
		})
	}
	return text.String() + s.source(from, s.comment(to)) + "\n"
}
