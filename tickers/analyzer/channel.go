package analyzer

import (
	"go/ast"
	"go/types"
	"strings"
)

// contextOf is ctx if an expression is ctx.Done(), or nil.
func (s *search) contextOf(e ast.Expr) ast.Expr {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Done" || s.typeOf(sel.X) != "context.Context" {
		return nil
	}
	return ast.Unparen(sel.X)
}

// again takes the channel of a timer for that of a ticker if the body of its case sets it again.
func (s *search) again(from ast.Expr, body []ast.Stmt) *loop {
	sel, ok := from.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "C" || strings.TrimPrefix(s.typeOf(sel.X), "*") != "time.Timer" {
		return nil
	}
	for _, st := range body {
		e, ok := st.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok {
			continue
		}
		reset, ok := call.Fun.(*ast.SelectorExpr)
		if ok && reset.Sel.Name == "Reset" && s.object(reset.X) == s.object(sel.X) {
			return &loop{kind: sleeps, odd: "a timer that its case sets again is no ticker"}
		}
	}
	return nil
}

// ticks takes a channel for that of a ticker, or returns nil.
func (s *search) ticks(e ast.Expr) *loop {
	if call, ok := s.isTime(e, "Tick"); ok {
		return &loop{kind: ticks, period: call.Args[0]}
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if e.Sel.Name != "C" || strings.TrimPrefix(s.typeOf(e.X), "*") != "time.Ticker" {
			return nil
		}
		l := &loop{kind: ticks}
		if id, ok := e.X.(*ast.Ident); ok {
			l.ticker, l.period = s.made(id, "NewTicker")
		}
		return l
	case *ast.Ident:
		if s.isParameter(e) && s.typeOf(e) == "<-chan time.Time" {
			return &loop{kind: ticks} // of a helper that is given the ticker's channel
		}
		if by, period := s.made(e, "Tick"); by != nil {
			return &loop{kind: ticks, ticker: by, period: period}
		}
	}
	return nil
}

func (s *search) isParameter(id *ast.Ident) bool {
	v, ok := s.TypesInfo.Uses[id].(*types.Var)
	return ok && v.Kind() == types.ParamVar
}

// made is the definition of a variable by a function of package time, and that function's argument.
func (s *search) made(id *ast.Ident, function string) (by *ast.AssignStmt, arg ast.Expr) {
	v := s.TypesInfo.Uses[id]
	file := s.fileAt(v)
	if file == nil {
		return nil, nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		st, ok := n.(*ast.AssignStmt)
		if !ok || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
			return true
		}
		if lhs, ok := st.Lhs[0].(*ast.Ident); ok && s.TypesInfo.Defs[lhs] == v {
			if call, ok := s.isTime(st.Rhs[0], function); ok {
				by, arg = st, call.Args[0]
			}
		}
		return true
	})
	return by, arg
}
