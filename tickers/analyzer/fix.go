package analyzer

import (
	"fmt"
	"go/ast"
	"go/format"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const executorPath = "github.com/punctual-go/punctual/executor"

// otherName is why there is no fix where a name that it needs is taken.
const otherName = "a name in it means something else where the task would go"

const refused = "panic(err) // the pool is shut down, or the period is not positive\n"

// fix replaces a loop by a task of a pool, if that means the same, or says why not.
func (s *search) fix(l *loop, method string) (fix analysis.SuggestedFix, why string) {
	if why := s.unmovable(l); why != "" {
		return fix, why
	}
	stops, ok := s.stopsOf(l)
	if !ok {
		return fix, "its ticker is made for more than this loop, or used elsewhere"
	}
	replaced := l.node
	alone := l.alone(stops)
	if alone {
		replaced = l.spawner.statement
	}
	at := replaced.Pos()
	file := s.fileAt(replaced)
	paths := []string{"context"}
	if l.options() != "" || alone && l.until != nil {
		paths = append(paths, executorPath)
	}
	imports, ok := s.imports(file, at, paths...)
	here := !alone && l.follows(stops) // the period is read where it is read now
	why = because(why, !s.fixed(l.period, here), "its period may change while it runs")
	why = because(why, !ok || !s.means(l.period, at) || !s.predeclared(at), otherName)
	pool, absent := s.pool(at)
	if why != "" {
		return fix, why
	}
	task := fmt.Sprintf("%s.%s(%s, func(context.Context) error {\n%s\n}%s",
		pool, method, s.times(l, method), s.bodyOf(l), l.options())
	var text string
	if alone {
		text, why = s.instead(l, task)
	} else {
		text, why = s.inPlace(l, task, stops)
	}
	var edits []analysis.TextEdit
	gone := []ast.Node{replaced}
	for _, st := range stops {
		if !within(st, replaced) {
			gone = append(gone, st)
			end := s.next(s.withComment(file, st))
			edits = append(edits, analysis.TextEdit{Pos: st.Pos(), End: end})
		}
	}
	formatted, err := format.Source([]byte(s.lost(file, gone, text) + text))
	why = because(why, err != nil, "it cannot be written as a function")
	why = because(why, s.loses(file, l, gone), "nothing else in its file needs package time")
	why = because(why, absent != "" && !preview(), absent)
	if why != "" {
		return fix, why
	}
	edits = append(edits, analysis.TextEdit{Pos: at, End: replaced.End(), NewText: formatted})
	return analysis.SuggestedFix{
		Message:   "run it on the scheduled pool " + pool,
		TextEdits: append(imports, edits...),
	}, absent
}

// instead is what starts a task in place of a goroutine. A context that has ended is no fault:
// nothing runs then, as before.
func (s *search) instead(l *loop, task string) (text, why string) {
	failed := "err != nil"
	if l.until != nil {
		at := l.spawner.statement.Pos()
		switch {
		case !s.means(l.until, at) || l.until.Name == "err":
			return "", otherName
		case !s.steady(l.until):
			return "", "its context may be another later"
		}
		task += ", executor.WithContext(" + l.until.Name + ")"
		failed += " && " + l.until.Name + ".Err() == nil"
	}
	return "if _, err := " + task + "); " + failed + " {\n" + refused + "}", ""
}

// inPlace is what starts a task in place of a loop, and then waits for a way out.
func (s *search) inPlace(l *loop, task string, stops []ast.Stmt) (text, why string) {
	switch {
	case len(l.outs) == 0:
		return "", "nothing stops it, and its goroutine does more than the loop"
	case !s.free(l):
		return "", "what ends it may be sent to, come from elsewhere, or change"
	}
	text = "job, err := " + task + ")\nif err != nil {\n" + refused + "}\n" +
		strings.TrimSpace(s.waits(l, stops))
	if s.clashes(l) {
		text = "{\n" + text + "\n}"
	}
	return text, ""
}

// times are the arguments that say when the task runs: the delay of the first run, which Every does
// not take, and the period.
func (s *search) times(l *loop, method string) string {
	switch period := s.text(l.period); {
	case method == "Every":
		return period
	case l.first:
		return "0, " + period
	default:
		return period + ", " + period
	}
}

// options are those of the task. Every does as a ticker does without any.
func (l *loop) options() string {
	if l.kind == ticks && l.first {
		return ", executor.CatchUp(executor.Coalesce)" // as a ticker, whose channel holds one tick
	}
	return ""
}

// alone tells whether a loop is all that a function literal on a goroutine does, but for making and
// stopping its ticker, and ends with nothing or with a context.
func (l *loop) alone(stops []ast.Stmt) bool {
	spawn := l.spawner.statement
	if spawn == nil || len(spawn.Call.Args) > 0 || len(l.outs) > 0 && l.until == nil {
		return false
	}
	for _, st := range stops {
		if !within(st, spawn) {
			return false
		}
	}
	for _, st := range l.goroutine.List {
		if st != l.node && !contains(stops, st) {
			return false
		}
	}
	return true
}

func contains(list []ast.Stmt, n ast.Node) bool {
	for _, st := range list {
		if st == n {
			return true
		}
	}
	return false
}

func within(n, outer ast.Node) bool { return outer.Pos() <= n.Pos() && n.End() <= outer.End() }
