package analyzer

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// pool is what the scheduled pool is called at a place: what -tickers.pool says, if it is one
// there, or a variable in scope. If there is none, it says so.
func (s *search) pool(at token.Pos) (name, absent string) {
	if poolName != "" {
		if !s.isNamed(poolName, at) {
			return poolName, poolName + " is no *executor.ScheduledPool there"
		}
		return poolName, ""
	}
	for scope := s.innermost(at); scope != nil; scope = scope.Parent() {
		for _, name := range scope.Names() {
			found := scope.Lookup(name)
			if v, ok := found.(*types.Var); ok && s.lookup(name, at) == found && isPool(v.Type()) {
				return name, ""
			}
		}
	}
	return "pool", "no *executor.ScheduledPool is in scope; -tickers.pool=EXPR names one"
}

// isNamed tells whether an expression is a pool at a place.
func (s *search) isNamed(pool string, at token.Pos) bool {
	e, err := parser.ParseExpr(pool)
	if err != nil {
		return false
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	err = types.CheckExpr(s.Fset, s.Pkg, at, e, info)
	return err == nil && info.Types[e].IsValue() && isPool(info.Types[e].Type)
}

func isPool(t types.Type) bool {
	return types.TypeString(types.Unalias(t), nil) == "*"+executorPath+".ScheduledPool"
}

func (s *search) innermost(at token.Pos) *types.Scope { return s.Pkg.Scope().Innermost(at) }

// lookup is what a name means at a place, or nil.
func (s *search) lookup(name string, at token.Pos) types.Object {
	scope := s.innermost(at)
	if scope == nil {
		return nil
	}
	_, found := scope.LookupParent(name, at)
	return found
}

// means tells whether the names in an expression mean the same at a place.
func (s *search) means(e ast.Expr, at token.Pos) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ok = ok && s.means(n.X, at)
			return false
		case *ast.Ident:
			ok = ok && s.lookup(n.Name, at) == s.TypesInfo.Uses[n]
		}
		return true
	})
	return ok
}

// predeclared tells whether the predeclared names that a fix uses mean what they should.
func (s *search) predeclared(at token.Pos) bool {
	for _, name := range []string{"error", "nil", "panic"} {
		if s.lookup(name, at) != types.Universe.Lookup(name) {
			return false
		}
	}
	return true
}

// clashes tells whether a name that a fix defines where a loop is means something around it
// already: the fix needs a block of its own.
func (s *search) clashes(l *loop) bool {
	names := map[string]bool{"job": true, "err": true}
	for _, out := range l.outs {
		ast.Inspect(out, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && s.TypesInfo.Defs[id] != nil {
				names[id.Name] = true
			}
			return true
		})
	}
	scope := s.innermost(l.node.Pos())
	for name := range names {
		if scope == nil {
			return true
		}
		if _, found := scope.LookupParent(name, token.NoPos); found != nil {
			return true
		}
	}
	return false
}
