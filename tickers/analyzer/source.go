package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// positioned is what has a place: a node, or an object.
type positioned interface{ Pos() token.Pos }

// fileAt is the file of this package where something is, or nil.
func (s *search) fileAt(p positioned) *ast.File {
	if obj, ok := p.(types.Object); ok && obj == nil || p == nil {
		return nil
	}
	for _, f := range s.Files {
		if f.FileStart <= p.Pos() && p.Pos() < f.FileEnd {
			return f
		}
	}
	return nil
}

func (s *search) text(e ast.Expr) string { return types.ExprString(e) }

// source is what is written from one place to another.
func (s *search) source(from, to token.Pos) string {
	file := s.Fset.File(from)
	text, err := s.ReadFile(file.Name())
	if err != nil {
		return ""
	}
	return string(text[file.Offset(from):file.Offset(to)])
}

// edited is what is written from one place to another, with edits in order.
func (s *search) edited(from, to token.Pos, edits []analysis.TextEdit) string {
	var text strings.Builder
	for _, edit := range edits {
		text.WriteString(s.source(from, edit.Pos))
		text.Write(edit.NewText)
		from = edit.End
	}
	return text.String() + s.source(from, to)
}

// next is where the text goes on after spaces, on this line or the next.
func (s *search) next(at token.Pos) token.Pos {
	file := s.Fset.File(at)
	text, err := s.ReadFile(file.Name())
	if err != nil {
		return at
	}
	rest := string(text[file.Offset(at):])
	gap := len(rest) - len(strings.TrimLeft(rest, " \t\n"))
	if strings.Count(rest[:gap], "\n") != 1 {
		return at
	}
	return at + token.Pos(gap)
}
