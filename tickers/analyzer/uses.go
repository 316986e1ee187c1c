package analyzer

import (
	"cmp"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// types replaces the type of the variable, and demands that nothing else is done with that.
func (r *replacement) types() {
	inspect(r.Files, func(n ast.Node) {
		var names []*ast.Ident
		var of ast.Expr
		switch n := n.(type) {
		case *ast.Field:
			names, of = n.Names, n.Type
		case *ast.ValueSpec:
			names, of = n.Names, n.Type
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN && n.Rhs[0] == r.makes && r.object(n.Lhs[0]) == r.v {
				r.known++
			}
		case *ast.KeyValueExpr:
			if n.Value == r.makes {
				r.known++
			}
		case *ast.BinaryExpr:
			if r.object(n.X) == r.v && r.TypesInfo.Types[n.Y].IsNil() {
				r.known++
			}
		}
		for _, name := range names {
			if r.TypesInfo.Defs[name] == r.v && of != nil {
				r.because(len(names) > 1, "it shares its type")
				r.edit(of.Pos(), of.End(), "*executor.ScheduledPool")
			}
		}
	})
	r.because(r.known != r.uses(r.v), "it is handed on, or used in another way")
}

// imports replaces the import of the library, which nothing else may need.
func (r *replacement) imports() {
	spec := r.importOf()
	if spec == nil {
		r.because(true, "its import is not seen")
		return
	}
	inspect([]*ast.File{r.file}, func(n ast.Node) {
		id, ok := n.(*ast.Ident)
		if !ok {
			return
		}
		name, ok := r.TypesInfo.Uses[id].(*types.PkgName)
		if ok && r.of(name) && !r.covered(id) {
			r.because(true, "its file needs "+r.name+" for something else")
		}
	})
	if r.lines {
		found := r.lookup("cron", r.makes.Pos())
		name, isPackage := found.(*types.PkgName)
		theirs := isPackage && r.of(name)
		r.because(found != nil && !theirs || found == nil && r.defines(r.file, "cron"), otherName)
		r.edit(spec.Pos(), spec.End(), `"`+cronPath+`"`)
	} else {
		decl := r.around(spec)[1].(*ast.GenDecl)
		var gone ast.Node = spec
		if !decl.Lparen.IsValid() {
			gone = decl
		}
		r.edit(gone.Pos(), r.next(gone.End()), "")
	}
	more, ok := r.search.imports(r.file, r.makes.Pos(), "context", executorPath)
	r.because(!ok, otherName)
	r.edits = append(r.edits, more...)
	r.because(r.losesComment(), "a comment in it would be lost")
	r.because(r.unformatted(), "it cannot be written as a task")
}

// of tells whether a name is that of the library.
func (r *replacement) of(name *types.PkgName) bool {
	return r.path.MatchString(name.Imported().Path())
}

// covered tells whether an edit replaces the place of a name.
func (r *replacement) covered(id *ast.Ident) bool {
	return slices.ContainsFunc(r.edits, func(e analysis.TextEdit) bool {
		return e.Pos <= id.Pos() && id.End() <= e.End
	})
}

// importOf is the import of the library in the file.
func (r *replacement) importOf() *ast.ImportSpec {
	for _, spec := range r.file.Imports {
		if r.path.MatchString(strings.Trim(spec.Path.Value, `"`)) {
			return spec
		}
	}
	return nil
}

// losesComment tells whether a comment stands in what is replaced, and not in what replaces it.
// What is said of a start goes with that.
func (r *replacement) losesComment() (loses bool) {
	for _, group := range r.file.Comments {
		for _, c := range group.List {
			for _, e := range r.edits {
				inside := e.Pos <= c.Pos() && c.End() <= e.End
				loses = loses || inside && len(e.NewText) > 0 && !strings.Contains(string(e.NewText), c.Text)
			}
		}
	}
	return loses
}

// unformatted tells whether the file is not one of Go with the edits.
func (r *replacement) unformatted() bool {
	edits := slices.Clone(r.edits)
	slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.End, b.End))
	})
	_, err := format.Source([]byte(r.edited(r.file.FileStart, r.file.FileEnd, edits)))
	return err != nil
}
