package analyzer

import (
	"go/ast"
	"go/types"
	"regexp"
)

// library is a package that runs jobs at their times.
type library struct {
	name string
	path *regexp.Regexp
	made []string // functions that make a scheduler
	adds []string // methods that add a job

	// What happens to jobs unless something is said to that.
	panics   bool // a panic in one ends the process
	overlaps bool // a run begins although the last one goes on
	fixed    bool // there are fixes
}

var libraries = []*library{
	{name: "robfig/cron", path: regexp.MustCompile(`^github\.com/robfig/cron/v3$`),
		made: []string{"New"}, adds: []string{"AddFunc", "AddJob", "Schedule"},
		panics: true, overlaps: true, fixed: true},
	{name: "robfig/cron",
		path: regexp.MustCompile(`^(github\.com/robfig/cron(/v2)?|gopkg\.in/robfig/cron\.v\d)$`),
		made: []string{"New", "NewWithLocation"}, adds: []string{"AddFunc", "AddJob", "Schedule"},
		overlaps: true},
	{name: "gocron", path: regexp.MustCompile(`^github\.com/go-co-op/gocron/v2$`),
		made: []string{"NewScheduler"}, adds: []string{"NewJob"},
		panics: true, overlaps: true, fixed: true},
	{name: "gocron", path: regexp.MustCompile(`^github\.com/(go-co-op|jasonlvhit)/gocron$`),
		made: []string{"NewScheduler"}, adds: []string{"Do", "DoWithJobDetails"}, overlaps: true},
}

// libraryOf is the library that a function or a type is of, or nil.
func libraryOf(o types.Object) *library {
	if o == nil || o.Pkg() == nil {
		return nil
	}
	for _, l := range libraries {
		if l.path.MatchString(o.Pkg().Path()) {
			return l
		}
	}
	return nil
}

// called is the function or method of a library that a call calls, or nil.
func (s *search) called(call *ast.CallExpr) (of *library, f *types.Func) {
	f, ok := s.object(call.Fun).(*types.Func)
	if !ok {
		return nil, nil
	}
	return libraryOf(f), f
}

// isMethod tells whether a function has a receiver.
func isMethod(f *types.Func) bool { return f.Signature().Recv() != nil }

// offer is the function of a library that an expression calls, with its arguments: an option.
func (s *search) offer(e ast.Expr, of *library) (name string, args []ast.Expr, ok bool) {
	call, isCall := ast.Unparen(e).(*ast.CallExpr)
	if !isCall {
		return "", nil, false
	}
	if l, f := s.called(call); l == of && f != nil && !isMethod(f) {
		return f.Name(), call.Args, true
	}
	return "", nil, false
}
