package analyzer

import (
	"go/ast"
	"go/token"
)

type kind int

const (
	ticks  kind = iota // by a ticker
	sleeps             // by time.Sleep, or time.After
	rearms             // by time.AfterFunc
)

// Reasons for which there is no fix that several places have.
const (
	usesTick  = "its body uses the tick"
	asksFirst = "it asks whether to stop before each turn"
)

// loop is an ad-hoc ticker.
type loop struct {
	kind      kind
	node      ast.Node
	goroutine *ast.BlockStmt
	spawner   spawner
	stops     bool              // there is a way out
	period    ast.Expr          // nil if it is not seen
	odd       string            // why there is no fix for loops that look like this; else empty
	ticker    *ast.AssignStmt   // makes the ticker, if it is a variable
	body      []ast.Stmt        // without the wait
	inCase    int               // how many of the body are in the case of a select
	from, to  token.Pos         // where the body is written
	outs      []*ast.CommClause // the ways out
	first     bool              // a loop that begins with its body
	several   bool              // more than one period in one loop
	until     *ast.Ident        // the context whose end is the only way out
}

// loop takes a statement for an ad-hoc ticker, or returns nil.
func (s *search) loop(statement ast.Stmt) *loop {
	switch st := statement.(type) {
	case *ast.RangeStmt:
		l := s.ticks(st.X)
		if l == nil || s.leaves(st.Body.List, false) {
			return nil
		}
		l.node, l.body = st, st.Body.List
		l.from, l.to = st.Body.Lbrace+1, st.Body.Rbrace
		l.odd = because(l.odd, st.Key != nil, usesTick)
		return l
	case *ast.ForStmt:
		switch {
		case st.Init == nil && st.Cond == nil && st.Post == nil:
			return s.endless(st)
		case st.Init == nil && st.Cond == nil:
			return s.posted(st)
		case st.Init == nil && st.Post == nil && s.asks(st.Cond, token.EQL):
			if l := s.endless(st); l != nil {
				l.stops, l.odd = true, because(l.odd, true, asksFirst)
				return l
			}
		}
	}
	return nil
}

// posted looks at a loop that waits after its body: for ; ; <-t.C.
func (s *search) posted(st *ast.ForStmt) *loop {
	l := s.wait(st.Post)
	if l == nil {
		return nil
	}
	l.node, l.body = st, st.Body.List
	l.odd = because(l.odd, true, "it waits in the head of its loop")
	return s.repeats(l)
}

// endless looks at a loop without a condition. It has one place where it waits, at its top or its
// end; a loop that waits in the middle paces its steps.
func (s *search) endless(st *ast.ForStmt) *loop {
	list, asked := s.unasked(st.Body.List)
	if len(list) == 0 {
		return nil
	}
	l := s.wait(list[0])
	if last := len(list) - 1; l != nil {
		l.odd = because(l.odd, len(l.body) > 0 && last > 0, "its body is in two pieces")
		if l.from == token.NoPos || last > 0 {
			l.from, l.to = list[0].End(), st.Body.Rbrace
		}
		l.body = append(l.body, list[1:]...)
	} else {
		l = s.wait(list[last])
		switch {
		case l == nil:
			return nil
		case len(l.body) == 0:
			l.body, l.first = list[:last], true
			l.from, l.to = st.Body.Lbrace+1, list[last].Pos()
		case assigns(list[:last]):
			l.odd = because(l.odd, true, "its period is computed anew each time")
		default:
			return nil
		}
	}
	l.node, l.stops, l.odd = st, l.stops || asked, because(l.odd, asked, asksFirst)
	return s.repeats(l)
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

// repeats is the loop, or nil if it waits for something to come true and then goes on: its body
// leaves it. A question at the beginning of the body, whether to stop, is another way out, if
// there is one or if it is asked of a context. Nor is it a ticker if it skips its wait: then it
// works until there is nothing to do, and looks again later.
func (s *search) repeats(l *loop) *loop {
	if l.first && continues(l.body) {
		return nil
	}
	body, inCase := l.body, l.inCase
	if len(body) > 1 {
		if q := s.question(body[0], inCase > 0); q != nil {
			asks := s.asks(q.Cond, token.NEQ)
			if asks || l.stops && l.kind == ticks {
				body, inCase = body[1:], max(inCase-1, 0)
				l.stops = true
			}
		}
	}
	if s.leaves(body[:inCase], true) || s.leaves(body[inCase:], false) {
		return nil
	}
	return l
}

// continues tells whether statements of a loop go on with its next turn.
func continues(list []ast.Stmt) (found bool) {
	for _, st := range list {
		jumps(st, func(n ast.Node) {
			b, ok := n.(*ast.BranchStmt)
			found = found || ok && b.Tok == token.CONTINUE
		})
	}
	return found
}
