package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
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

// comment is the end of the comment that follows on the same line, or the place itself.
func (s *search) comment(to token.Pos) token.Pos {
	file := s.Fset.File(to)
	text, err := s.ReadFile(file.Name())
	if err != nil {
		return to
	}
	rest, _, _ := strings.Cut(string(text[file.Offset(to):]), "\n")
	if strings.HasPrefix(strings.TrimSpace(rest), "//") {
		return to + token.Pos(len(rest))
	}
	return to
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

// taken tells whether a name means something around a loop.
func (s *search) taken(l *loop, name string) bool {
	scope := s.Pkg.Scope().Innermost(l.node.Pos())
	if scope == nil {
		return true
	}
	_, found := scope.LookupParent(name, token.NoPos)
	return found != nil
}

// loses tells whether a fix would leave package time imported and not used.
func (s *search) loses(file *ast.File, l *loop, gone []ast.Node) bool {
	stays := []ast.Node{l.period}
	for _, st := range l.body {
		stays = append(stays, st)
	}
	for _, out := range l.outs {
		stays = append(stays, out)
	}
	among := func(id *ast.Ident, nodes []ast.Node) bool {
		for _, n := range nodes {
			if within(id, n) {
				return true
			}
		}
		return false
	}
	for id, used := range s.TypesInfo.Uses {
		name, ok := used.(*types.PkgName)
		if !ok || name.Imported().Path() != "time" || s.fileAt(id) != file {
			continue
		}
		if !among(id, gone) || among(id, stays) {
			return false
		}
	}
	return true
}

// imports are the edits that import what a fix needs. It is not ok if a name is taken.
func (s *search) imports(file *ast.File) (edits []analysis.TextEdit, ok bool) {
	text := ""
	for _, path := range []string{"context", executorPath} {
		there, ok := s.imported(file, path)
		if !ok {
			return nil, false
		}
		if !there {
			text += "\n\nimport " + strconv.Quote(path)
		}
	}
	if text == "" {
		return nil, true
	}
	return []analysis.TextEdit{{Pos: file.Name.End(), End: file.Name.End(), NewText: []byte(text)}}, true
}

// imported tells whether a file imports a package by its own name. It is not ok if the name is taken.
func (s *search) imported(file *ast.File, path string) (there, ok bool) {
	name := path[strings.LastIndex(path, "/")+1:]
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if p == path {
			return true, spec.Name == nil
		}
		if p[strings.LastIndex(p, "/")+1:] == name || spec.Name != nil && spec.Name.Name == name {
			return false, false
		}
	}
	if s.Pkg.Scope().Lookup(name) != nil {
		return false, false
	}
	for id := range s.TypesInfo.Defs {
		if id.Name == name && s.fileAt(id) == file {
			return false, false
		}
	}
	return false, true
}
