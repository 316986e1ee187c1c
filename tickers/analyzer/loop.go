package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

type kind int

const (
	ticks  kind = iota // by a ticker
	sleeps             // by time.Sleep, or time.After
	rearms             // by time.AfterFunc
)

// loop is an ad-hoc ticker.
type loop struct {
	kind      kind
	node      ast.Node
	goroutine *ast.BlockStmt
	spawner   spawner
	stops     bool              // there is a way out
	period    ast.Expr          // nil if it is not seen, or not the same each time
	ticker    *ast.AssignStmt   // makes the ticker, if it is a variable
	body      []ast.Stmt        // without the wait
	outs      []*ast.CommClause // the ways out
	first     bool              // a loop that begins with its body
	several   bool              // more than one period in one loop
	until     ast.Expr          // the context whose end is the only way out
}

// loop takes a statement for an ad-hoc ticker, or returns nil.
func (s *search) loop(statement ast.Stmt) *loop {
	switch st := statement.(type) {
	case *ast.RangeStmt:
		if l := s.ticks(st.X); l != nil && !leaves(st.Body) {
			l.node, l.body = st, st.Body.List
			if st.Key != nil {
				l.period = nil // the time is used: no fix
			}
			return l
		}
	case *ast.ForStmt:
		if st.Cond == nil && st.Init == nil && st.Post == nil {
			return s.endless(st)
		}
	}
	return nil
}

// endless looks at a loop without a condition. It has one place where it waits, at its top or its end;
// a loop that waits in the middle paces its steps.
func (s *search) endless(st *ast.ForStmt) *loop {
	list := st.Body.List
	if len(list) == 0 {
		return nil
	}
	if l := s.wait(list[0]); l != nil {
		if len(l.body) > 0 && len(list) > 1 {
			l.period = nil // the body is in two pieces: no fix
		}
		l.node, l.body = st, append(l.body, list[1:]...)
		return l.repeats()
	}
	last := len(list) - 1
	l := s.wait(list[last])
	if l == nil {
		return nil
	}
	l.node = st
	switch {
	case len(l.body) == 0:
		l.body, l.first = list[:last], true
	case assigns(list[:last]):
		l.period = nil // it is computed anew each time: no fix
	default:
		return nil
	}
	return l.repeats()
}

// assigns tells whether statements do nothing but set variables.
func assigns(list []ast.Stmt) bool {
	for _, st := range list {
		switch st.(type) {
		case *ast.AssignStmt, *ast.DeclStmt:
		default:
			return false
		}
	}
	return true
}

// repeats is the loop, or nil if it waits for something to come true and then goes on: its body leaves
// it. A question at the beginning of the body, whether to stop, is another way out, if there is one.
func (l *loop) repeats() *loop {
	body := l.body
	if l.stops && l.kind == ticks && len(body) > 1 {
		if first, ok := body[0].(*ast.IfStmt); ok && first.Init == nil && first.Else == nil && leaves(first.Body) {
			body = body[1:]
		}
	}
	if leaves(&ast.BlockStmt{List: body}) {
		return nil
	}
	return l
}

// wait takes a statement for the place where a loop waits for its next moment, or returns nil.
func (s *search) wait(st ast.Stmt) *loop {
	switch w := st.(type) {
	case *ast.ExprStmt:
		if call, ok := s.isTime(w.X, "Sleep"); ok {
			return &loop{kind: sleeps, period: call.Args[0]}
		}
		if receive, ok := w.X.(*ast.UnaryExpr); ok && receive.Op == token.ARROW {
			if l := s.moment(receive.X); l != nil {
				return l
			}
		}
	case *ast.SelectStmt:
		return s.selecting(w)
	}
	return nil
}

// moment takes a channel for one of time, or returns nil.
func (s *search) moment(from ast.Expr) *loop {
	if l := s.ticks(from); l != nil {
		return l
	}
	if call, ok := s.isTime(from, "After"); ok {
		return &loop{kind: sleeps, period: call.Args[0]}
	}
	return nil
}

// selecting looks at a select: one case is the moment, and the others have to be ways out.
func (s *search) selecting(sel *ast.SelectStmt) *loop {
	var l *loop
	var outs []*ast.CommClause
	for _, c := range sel.Body.List {
		clause := c.(*ast.CommClause)
		from, named := received(clause.Comm)
		if from == nil {
			return nil // a send, or a default
		}
		m := s.moment(from)
		switch {
		case m == nil && exits(clause.Body):
			outs = append(outs, clause)
			continue
		case m == nil, exits(clause.Body):
			return nil // an event loop, or a time-out
		case l == nil:
			l = m
		default:
			l.several = true
		}
		l.body = append(l.body, clause.Body...)
		if named || l.several {
			l.period = nil
		}
	}
	if l == nil {
		return nil
	}
	l.outs, l.stops = outs, len(outs) > 0
	if len(outs) == 1 && len(outs[0].Body) == 1 {
		if ret, ok := outs[0].Body[0].(*ast.ReturnStmt); ok && len(ret.Results) == 0 {
			from, _ := received(outs[0].Comm)
			l.until = s.contextOf(from)
		}
	}
	return l
}

// received is the channel that a case receives from, and whether it names what it gets.
func received(comm ast.Stmt) (from ast.Expr, named bool) {
	var e ast.Expr
	switch c := comm.(type) {
	case *ast.ExprStmt:
		e = c.X
	case *ast.AssignStmt:
		e, named = c.Rhs[0], true
	}
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u.X, named
	}
	return nil, false
}

// contextOf is ctx if an expression is ctx.Done().
func (s *search) contextOf(e ast.Expr) ast.Expr {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Done" {
		return nil
	}
	if id, ok := sel.X.(*ast.Ident); ok && types.TypeString(s.TypesInfo.TypeOf(id), nil) == "context.Context" {
		return id
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
		t := s.TypesInfo.TypeOf(e.X)
		if t == nil || e.Sel.Name != "C" || strings.TrimPrefix(types.TypeString(t, nil), "*") != "time.Ticker" {
			return nil
		}
		l := &loop{kind: ticks}
		if id, ok := e.X.(*ast.Ident); ok {
			l.ticker, l.period = s.made(id, "NewTicker")
		}
		return l
	case *ast.Ident:
		if s.isParameter(e) && types.TypeString(s.TypesInfo.TypeOf(e), nil) == "<-chan time.Time" {
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

// exits tells whether statements end by leaving the loop, or the function.
func exits(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch st := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return st.Tok == token.BREAK && st.Label != nil || st.Tok == token.GOTO
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			return f.Name == "panic"
		case *ast.SelectorExpr:
			return f.Sel.Name == "Exit" || f.Sel.Name == "Goexit"
		}
	}
	return false
}

// leaves tells whether there is a statement that leaves a loop whose body this is.
func leaves(body *ast.BlockStmt) (found bool) {
	var look func(n ast.Node, inner bool)
	look = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				found = true
			case *ast.BranchStmt:
				if m.Tok == token.GOTO || m.Tok == token.BREAK && (m.Label != nil || !inner) {
					found = true
				}
			case *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
				if m != n {
					look(m, true)
					return false
				}
			case *ast.CallExpr:
				if id, ok := m.Fun.(*ast.Ident); ok && id.Name == "panic" {
					found = true
				}
				if sel, ok := m.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Exit" || sel.Sel.Name == "Goexit" || sel.Sel.Name == "Fatal" || sel.Sel.Name == "Fatalf") {
					found = true
				}
			}
			return true
		})
	}
	look(body, false)
	return found
}
