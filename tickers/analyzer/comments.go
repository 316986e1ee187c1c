package analyzer

import (
	"go/ast"
	"go/scanner"
	"go/token"
)

// keepsComments tells whether the comments of what a fix takes away are in its text. One that
// stands behind a statement goes with it.
func (s *search) keepsComments(file *ast.File, gone []ast.Node, text string) bool {
	kept := commentsOf(text)
	for _, group := range file.Comments {
		for _, c := range group.List {
			for i, n := range gone {
				behind := i > 0 && c.Pos() >= n.End() && s.line(c.Pos()) == s.line(n.End())
				if !within(c, n) && !behind {
					continue
				}
				if kept[c.Text] == 0 {
					return false
				}
				kept[c.Text]--
			}
		}
	}
	return true
}

// commentsOf is how often each comment stands in a text.
func commentsOf(text string) map[string]int {
	found := map[string]int{}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var in scanner.Scanner
	in.Init(file, []byte(text), nil, scanner.ScanComments)
	for {
		switch _, what, comment := in.Scan(); what {
		case token.EOF:
			return found
		case token.COMMENT:
			found[comment]++
		}
	}
}

func (s *search) line(at token.Pos) int { return s.Fset.File(at).Line(at) }
