package analyzer

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// bodyOf is the body of a loop as that of a function: what goes on with the next turn returns.
func (s *search) bodyOf(l *loop) string {
	var edits []analysis.TextEdit
	for _, st := range l.body {
		jumps(st, func(n ast.Node) {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.CONTINUE {
				edits = append(edits, analysis.TextEdit{
					Pos: n.Pos(), End: n.End(), NewText: []byte("return nil"),
				})
			}
		})
	}
	body := strings.TrimSpace(s.edited(l.from, l.to, edits))
	return strings.TrimSpace(body + "\nreturn nil")
}

// waits is the code that waits for a way out, ends the series, waits for its body, and leaves.
func (s *search) waits(l *loop, stops []ast.Stmt) string {
	last := l.goroutine.List[len(l.goroutine.List)-1] == l.node
	all := ""
	for _, out := range l.outs {
		var edits []analysis.TextEdit
		for _, st := range out.Body {
			ret, returns := st.(*ast.ReturnStmt)
			if contains(stops, st) || last && returns && len(ret.Results) == 0 {
				edits = append(edits, analysis.TextEdit{Pos: st.Pos(), End: st.End()})
			}
		}
		comm := s.source(out.Comm.Pos(), out.Comm.End())
		body := "\njob.Cancel()\n<-job.Stopped()\n"
		if rest := strings.TrimSpace(s.edited(out.Colon+1, l.endOf(out), edits)); rest != "" {
			body += rest + "\n"
		}
		if len(l.outs) == 1 {
			return comm + body
		}
		all += "case " + comm + ":" + body
	}
	return "select {\n" + all + "}\n"
}

// endOf is where the text of a way out ends.
func (l *loop) endOf(out *ast.CommClause) (end token.Pos) {
	ast.Inspect(l.node, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectStmt); ok {
			for i, c := range sel.Body.List {
				if c == out {
					end = endOf(sel, i)
				}
			}
		}
		return true
	})
	return end
}
