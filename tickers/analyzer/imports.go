package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

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

// imports are the edits that import packages which a fix names. It is not ok if a name is taken.
func (s *search) imports(
	file *ast.File, at token.Pos, paths ...string,
) (edits []analysis.TextEdit, ok bool) {
	for _, path := range paths {
		name := path[strings.LastIndex(path, "/")+1:]
		switch found := s.lookup(name, at).(type) {
		case *types.PkgName:
			if found.Imported().Path() != path {
				return nil, false
			}
		case nil:
			if s.defines(file, name) || s.imported(file, path) {
				return nil, false
			}
			edits = append(edits, importing(file, path))
		default:
			return nil, false
		}
	}
	return edits, true
}

// importing is the edit that imports a package, beside others of its kind if there are some. Within
// a group of imports gofmt finds the right order.
func importing(file *ast.File, path string) analysis.TextEdit {
	at, text := file.Name.End(), "\n\nimport "+strconv.Quote(path)
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT || !decl.Lparen.IsValid() || len(decl.Specs) == 0 {
			continue
		}
		for _, spec := range decl.Specs {
			spec := spec.(*ast.ImportSpec)
			other, _ := strconv.Unquote(spec.Path.Value)
			if standard(other) == standard(path) && other != "C" {
				at, text = spec.Pos(), strconv.Quote(path)+"\n\t"
				return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
			}
		}
		if standard(path) {
			at, text = decl.Specs[0].Pos(), strconv.Quote(path)+"\n\n\t"
		} else {
			at, text = decl.Rparen, "\n\t"+strconv.Quote(path)+"\n"
		}
		break
	}
	return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
}

// imported tells whether a file imports a package, by whatever name.
func (s *search) imported(file *ast.File, path string) bool {
	for _, spec := range file.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == path {
			return true
		}
	}
	return false
}

// defines tells whether a file defines a name anywhere: there it would hide an import.
func (s *search) defines(file *ast.File, name string) bool {
	for id := range s.TypesInfo.Defs {
		if id.Name == name && s.fileAt(id) == file {
			return true
		}
	}
	return false
}
