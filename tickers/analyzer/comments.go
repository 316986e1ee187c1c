package analyzer

import (
	"go/ast"
	"go/scanner"
	"go/token"
)

// lost are the comments of what a fix takes away that are not in its text, each with a line end.
func (s *search) lost(file *ast.File, gone []ast.Node, text string) (lost string) {
	kept := commentsOf(text)
	for _, group := range file.Comments {
		for _, c := range group.List {
			for i, n := range gone {
				if !within(c, n) && (i == 0 || !s.behind(c, n)) {
					continue
				}
				if kept[c.Text]--; kept[c.Text] < 0 {
					lost += c.Text + "\n"
				}
			}
		}
	}
	return lost
}

// behind tells whether a comment stands on the line on which a statement ends, and is about it.
func (s *search) behind(c *ast.Comment, n ast.Node) bool {
	return c.Pos() >= n.End() && s.line(c.Pos()) == s.line(n.End())
}

// withComment is where a statement ends that goes with the comment behind it.
func (s *search) withComment(file *ast.File, n ast.Node) token.Pos {
	end := n.End()
	for _, group := range file.Comments {
		for _, c := range group.List {
			if s.behind(c, n) {
				end = c.End()
			}
		}
	}
	return end
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
