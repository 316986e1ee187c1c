package analyzer

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// object is the function, method or variable that an expression names; of a generic one, what is
// declared.
func (s *search) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return origin(s.TypesInfo.ObjectOf(e))
	case *ast.SelectorExpr:
		return origin(s.TypesInfo.ObjectOf(e.Sel))
	case *ast.IndexExpr:
		return s.instantiated(e.X)
	case *ast.IndexListExpr:
		return s.instantiated(e.X)
	}
	return nil
}

// instantiated is the function of f[int], and nothing for an element of a list of functions.
func (s *search) instantiated(e ast.Expr) types.Object {
	if f, ok := s.object(e).(*types.Func); ok {
		return f
	}
	return nil
}

// origin is the declared object that an object is an instance of, or itself.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return o
}

// uses is how often this package names an object after its declaration.
func (s *search) uses(o types.Object) (n int) {
	for _, used := range s.TypesInfo.Uses {
		if origin(used) == o {
			n++
		}
	}
	return n
}

// isTime tells whether a call is of a function of package time, with all its arguments.
func (s *search) isTime(e ast.Expr, name string) (*ast.CallExpr, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	f, ok := s.object(call.Fun).(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "time" || f.Name() != name {
		return nil, false
	}
	signature := f.Signature()
	return call, signature.Recv() == nil && len(call.Args) == signature.Params().Len()
}

// typeOf is how the type of an expression is written in full.
func (s *search) typeOf(e ast.Expr) string {
	t := s.TypesInfo.TypeOf(e)
	if t == nil {
		return ""
	}
	return types.TypeString(types.Unalias(t), nil)
}

// inInterface tells whether an interface of this package has a method of this name, by which it may
// be called.
func (s *search) inInterface(name string) bool {
	for id, o := range s.TypesInfo.Defs {
		f, ok := o.(*types.Func)
		if !ok || id.Name != name {
			continue
		}
		if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			return true
		}
	}
	return false
}

// tested tells whether a test beside a function has its name in it, and so may call it: a package is
// looked at without its tests, too.
func (s *search) tested(f *ast.FuncDecl) bool {
	folder := filepath.Dir(s.Fset.File(f.Pos()).Name())
	tests, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	return slices.ContainsFunc(tests, func(test string) bool {
		text, err := os.ReadFile(test)
		return err != nil || wordOf(f.Name.Name).Match(text)
	})
}

func wordOf(name string) *regexp.Regexp {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
}

// ignored tells whether a file that is left out of this build has a name in it.
func (s *search) ignored(name string) bool {
	word := wordOf(name)
	for _, file := range s.IgnoredFiles {
		text, err := s.ReadFile(file)
		if err != nil || word.Match(text) {
			return true
		}
	}
	return false
}
