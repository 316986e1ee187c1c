package analyzer

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// add makes a job a task.
func (r *replacement) add(job *ast.CallExpr) {
	sel := ast.Unparen(job.Fun).(*ast.SelectorExpr)
	r.known++
	path := r.around(job)
	r.because(!r.predeclared(job.Pos()), otherName)
	if assign, ok := path[1].(*ast.AssignStmt); ok {
		id, isIdent := assign.Lhs[0].(*ast.Ident)
		r.because(len(assign.Lhs) != 2 || !isIdent || id.Name != "_", "what adds a job is used later")
	} else if _, ok := path[1].(*ast.ExprStmt); !ok {
		r.because(true, "what adds a job is used later")
	}
	text, why := "", ""
	_, f := r.called(job)
	switch f.Name() {
	case "AddFunc":
		text, why = r.on(job.Args[0], job.Args[1], false)
	case "NewJob":
		text, why = r.newJob(job)
	default:
		why = "a job is added by " + f.Name()
	}
	r.because(why != "", why)
	if why != "" {
		return
	}
	text = r.source(sel.X.Pos(), sel.X.End()) + "." + text + r.opts + ")"
	if st, ok := path[1].(*ast.ExprStmt); ok {
		r.edit(st.Pos(), st.End(),
			"if _, err := "+text+"; err != nil {\npanic(err) // the pool is shut down\n}")
		return
	}
	r.edit(job.Pos(), job.End(), text)
}

// newJob is a task for a job of gocron, with its own options.
func (r *replacement) newJob(job *ast.CallExpr) (text, why string) {
	if len(job.Args) < 2 || job.Ellipsis.IsValid() {
		return "", "the options of a job are a list"
	}
	function, args, ok := r.offer(job.Args[1], r.library)
	if !ok || function != "NewTask" || len(args) != 1 {
		return "", "one of its jobs has parameters"
	}
	if f, ok := r.TypesInfo.TypeOf(args[0]).(*types.Signature); ok && f.Params().Len() > 0 {
		return "", "one of its jobs has a context, which Shutdown ends"
	}
	when, given, ok := r.offer(job.Args[0], r.library)
	switch {
	case ok && when == "DurationJob" && r.TypesInfo.Types[given[0]].Value != nil:
		text, why = r.task(args[0], true)
		text = "Every(" + r.text(given[0]) + ", " + text
	case ok && when == "CronJob" && r.text(given[1]) == "false":
		text, why = r.on(given[0], args[0], true)
	default:
		return "", "one of its jobs runs at other times than those of a constant period or line"
	}
	for _, option := range job.Args[2:] {
		name, given, ok := r.offer(option, r.library)
		switch {
		case ok && name == "WithName" && r.TypesInfo.Types[given[0]].Value != nil:
			text += ", executor.Name(" + r.text(given[0]) + ")"
		case ok && name == "WithSingletonMode" &&
			strings.HasSuffix(r.text(given[0]), ".LimitModeReschedule"):
			text += ", executor.CatchUp(executor.Skip)"
		default:
			why = because(why, true, "one of the options of a job has no counterpart: "+r.text(option))
		}
	}
	return text, why
}

// on is a task on a line of cron, but for its options.
func (r *replacement) on(line, job ast.Expr, errors bool) (text, why string) {
	value := r.TypesInfo.Types[line].Value
	if value == nil || value.Kind() != constant.String {
		return "", "one of its lines is not a constant"
	}
	steady, why := cronLine(constant.StringVal(value))
	if why != "" {
		return "", why
	}
	r.lines = true
	args := r.text(line)
	if r.zone != "" {
		args += ", " + r.zone
	}
	if !steady && !r.utc {
		args += ", cron.Gap(cron.Skip), cron.Repeat(cron.Both)"
	}
	task, why := r.task(job, errors)
	return "On(cron.MustParse(" + args + "), " + task, why
}

// task is a function as that of a task.
func (r *replacement) task(job ast.Expr, errors bool) (text, why string) {
	signature, ok := r.TypesInfo.TypeOf(job).(*types.Signature)
	switch {
	case !ok || signature.Variadic():
		return "", "one of its jobs is no function"
	case types.TypeString(signature, nil) == "func(ctx context.Context) error",
		types.TypeString(signature, nil) == "func(context.Context) error":
		return r.source(job.Pos(), job.End()), ""
	case signature.Params().Len() > 0:
		return "", "one of its jobs has parameters"
	case signature.Results().Len() == 1 && errors && r.typeIsError(signature.Results().At(0).Type()):
		if literal, ok := job.(*ast.FuncLit); ok {
			return "func(context.Context) error " + r.source(literal.Body.Pos(), literal.Body.End()), ""
		}
		called := r.source(job.Pos(), job.End()) + "()"
		return "func(context.Context) error {\nreturn " + called + "\n}", r.unsteady(job)
	case signature.Results().Len() > 0:
		return "", "one of its jobs returns something"
	}
	literal, ok := job.(*ast.FuncLit)
	if !ok {
		called := r.source(job.Pos(), job.End()) + "()"
		return "func(context.Context) error {\n" + called + "\nreturn nil\n}", r.unsteady(job)
	}
	var edits []analysis.TextEdit
	ast.Inspect(literal.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			edits = append(edits, analysis.TextEdit{
				Pos: n.Pos(), End: n.End(), NewText: []byte("return nil"),
			})
		case *ast.CallExpr:
			why = because(why, r.mayEnd(n), "one of its jobs may end the process, or its goroutine")
		}
		return true
	})
	body := strings.TrimRight(r.edited(literal.Body.Lbrace+1, literal.Body.Rbrace, edits), " \t\n")
	return "func(context.Context) error {" + body + "\nreturn nil\n}", why
}

func (r *replacement) typeIsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// unsteady is why a function may be another when it is called later than it is named; or empty.
func (r *replacement) unsteady(job ast.Expr) string {
	if f, ok := r.object(job).(*types.Func); ok && !isMethod(f) {
		return ""
	}
	if !plain(job) {
		return "one of its jobs is computed"
	}
	if sel, ok := ast.Unparen(job).(*ast.SelectorExpr); ok {
		if f, ok := r.object(sel).(*types.Func); ok && isMethod(f) {
			job = sel.X
			of := types.Unalias(r.TypesInfo.TypeOf(sel.X)).Underlying()
			if _, isPointer := of.(*types.Pointer); !isPointer {
				return "one of its jobs is a method of a value"
			}
		}
	}
	return because("", !r.steady(job), "one of its jobs may be another later")
}
