package analyzer

import (
	"go/ast"
	"go/token"
	"slices"
)

// places demands that jobs are added where they start: tasks of a pool do at once.
func (r *replacement) places() {
	var start *ast.CallExpr
	for _, call := range r.others {
		if _, f := r.called(call); f.Name() == "Start" {
			r.because(start != nil, "it is started in several places")
			start = call
		}
	}
	if start == nil {
		r.because(true, "where it is started is not seen")
		return
	}
	path := r.around(start)
	_, alone := path[1].(*ast.ExprStmt)
	r.because(!alone, "it is started in an unusual way")
	if !alone {
		return
	}
	list, first, last := listOf(path[2]), -1, slices.Index(listOf(path[2]), path[1].(ast.Stmt))
	added := 0
	for i, st := range list {
		for _, job := range r.jobs {
			if within(job, st) {
				added++
				r.because(!r.straight(job, st), "a job is added on a condition, or in a loop")
				if first < 0 {
					first = i
				}
			}
		}
	}
	r.because(added != len(r.jobs), "jobs are added in other places than where it is started")
	for i := max(first, 0); i < last && r.why == ""; i++ {
		r.because(!r.addsOnly(list[i]), "something happens between the first job and the start")
	}
}

// straight tells whether a job is added whenever a statement runs, once.
func (r *replacement) straight(job *ast.CallExpr, st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ExprStmt:
		return st.X == job
	case *ast.AssignStmt:
		return len(st.Rhs) == 1 && st.Rhs[0] == job
	case *ast.IfStmt:
		return st.Init != nil && r.straight(job, st.Init)
	}
	return false
}

// addsOnly tells whether a statement adds a job, or looks at the error of that.
func (r *replacement) addsOnly(st ast.Stmt) bool {
	for _, job := range r.jobs {
		if within(job, st) {
			return true
		}
	}
	q, ok := st.(*ast.IfStmt)
	if !ok || q.Init != nil || q.Else != nil {
		return false
	}
	b, ok := q.Cond.(*ast.BinaryExpr)
	return ok && r.typeOf(b.X) == "error"
}

// call replaces a call of another method.
func (r *replacement) call(call *ast.CallExpr) {
	sel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	r.known++
	_, f := r.called(call)
	path := r.around(call)
	st, alone := path[1].(*ast.ExprStmt)
	switch f.Name() {
	case "Start":
		if alone {
			r.edit(st.Pos(), r.next(r.withComment(r.file, st)), "")
		}
	case "Stop":
		if _, deferred := path[1].(*ast.DeferStmt); alone || deferred {
			r.edit(sel.Sel.Pos(), sel.Sel.End(), "Shutdown")
			return
		}
		waits, ok := r.waitsForStop(path)
		r.because(!ok, "what Stop returns is used")
		if ok {
			r.edit(waits.Pos(), waits.End(), r.source(sel.X.Pos(), sel.X.End())+".Close()")
		}
	case "Shutdown":
		r.edit(sel.Sel.Pos(), sel.Sel.End(), "Close")
	default:
		r.because(true, f.Name()+" of it is called")
	}
}

// waitsForStop is <-c.Stop().Done() around a call of Stop, if it stands alone.
func (r *replacement) waitsForStop(path []ast.Node) (waits ast.Expr, ok bool) {
	if len(path) < 5 {
		return nil, false
	}
	sel, isSel := path[1].(*ast.SelectorExpr)
	_, isCall := path[2].(*ast.CallExpr)
	unary, isUnary := path[3].(*ast.UnaryExpr)
	_, alone := path[4].(*ast.ExprStmt)
	stands := isSel && isCall && isUnary && alone
	return unary, stands && sel.Sel.Name == "Done" && unary.Op == token.ARROW
}

// listOf are the statements of a block, or of a case.
func listOf(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}
