package analyzer

import (
	"go/ast"
	"go/token"
)

// wait takes a statement for the place where a loop waits for its next moment, or returns nil.
func (s *search) wait(st ast.Stmt) *loop {
	switch w := st.(type) {
	case *ast.ExprStmt:
		if call, ok := s.isTime(w.X, "Sleep"); ok {
			return &loop{kind: sleeps, period: call.Args[0]}
		}
	case *ast.SelectStmt:
		return s.selecting(w)
	}
	from, named := received(st)
	if from == nil {
		return nil
	}
	l := s.moment(from)
	if l != nil {
		l.odd = because(l.odd, named, usesTick)
	}
	return l
}

// moment takes a channel, which is received from again and again, for one of time, or returns nil.
func (s *search) moment(from ast.Expr) *loop {
	if call, ok := s.isTime(from, "Tick"); ok {
		return &loop{kind: sleeps, period: call.Args[0],
			odd: "it makes a new ticker each time"}
	}
	if call, ok := s.isTime(from, "After"); ok {
		return &loop{kind: sleeps, period: call.Args[0]}
	}
	return s.ticks(from)
}

// selecting looks at a select: one case is the moment, and the others have to be ways out.
func (s *search) selecting(sel *ast.SelectStmt) *loop {
	var l *loop
	var outs []*ast.CommClause
	for i, c := range sel.Body.List {
		clause := c.(*ast.CommClause)
		from, named := received(clause.Comm)
		if from == nil {
			return nil // a send, or a default
		}
		m := s.moment(from)
		if m == nil {
			m = s.again(from, clause.Body)
		}
		switch {
		case m == nil && s.alwaysExits(clause.Body):
			outs = append(outs, clause)
			continue
		case m == nil, s.exits(clause.Body):
			return nil // an event loop, or a time-out
		case l == nil:
			l = m
			l.from, l.to = clause.Colon+1, endOf(sel, i)
		default:
			l.several = true
		}
		l.body = append(l.body, clause.Body...)
		l.odd = because(l.odd, m.odd != "", m.odd)
		l.odd = because(l.odd, named, usesTick)
		l.odd = because(l.odd, l.several, "it has several periods")
	}
	if l == nil {
		return nil
	}
	l.outs, l.stops, l.inCase = outs, len(outs) > 0, len(l.body)
	if len(outs) == 1 && len(outs[0].Body) == 1 {
		if ret, ok := outs[0].Body[0].(*ast.ReturnStmt); ok && len(ret.Results) == 0 {
			from, named := received(outs[0].Comm)
			if ctx, ok := s.contextOf(from).(*ast.Ident); ok && !named {
				l.until = ctx
			}
		}
	}
	return l
}

// endOf is where the text of a case ends.
func endOf(sel *ast.SelectStmt, i int) token.Pos {
	if i+1 < len(sel.Body.List) {
		return sel.Body.List[i+1].Pos()
	}
	return sel.Body.Rbrace
}

// received is the channel that a statement receives from, and whether it names what it gets.
func received(st ast.Stmt) (from ast.Expr, named bool) {
	var e ast.Expr
	switch c := st.(type) {
	case *ast.ExprStmt:
		e = c.X
	case *ast.AssignStmt:
		e, named = c.Rhs[0], true
	default:
		return nil, false
	}
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return ast.Unparen(u.X), named
	}
	return nil, false
}
