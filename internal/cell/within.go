package cell

import (
	"context"
	"reflect"
)

// Run is one run of a cell, as found in a context.
type Run struct {
	carrier *Cell
	token   *Token // nil unless the cell runs repeatedly
}

// Live reports whether the run is in progress.
func (r Run) Live() bool {
	if r.token != nil {
		return r.token.live()
	}
	return r.carrier != nil && r.carrier.Live()
}

// Find returns the run in progress that ctx belongs to and whose cell match accepts. Runs may be
// nested; the innermost such run is returned. It tells on whose behalf somebody acts, not who that
// is: contexts are passed around.
func Find(ctx context.Context, match func(run *Cell) bool) (r Run, found bool) {
	for ctx != nil {
		if r = runOf(ctx); r.carrier == nil {
			break
		}
		if r.Live() && match(r.carrier.Main()) {
			return r, true
		}
		ctx = r.carrier.parent()
	}
	return Run{}, false
}

// Within reports whether Find finds a run.
func Within(ctx context.Context, match func(run *Cell) bool) bool {
	_, found := Find(ctx, match)
	return found
}

// EndsWith reports whether ctx is certain to end with a run in progress whose cell match accepts:
// it is the context of that run, or derives from it, and not by context.WithoutCancel. A context
// that derives by a type from outside package context does not count as certain. Whoever waits with
// ctx for something that comes after such a run waits in vain.
func EndsWith(ctx context.Context, match func(run *Cell) bool) bool {
	if !Within(ctx, match) {
		return false // the usual case, and cheaper to find out
	}
	for ctx != nil {
		var r Run
		switch run := ctx.(type) {
		case *Token:
			r = Run{run.carrier, run}
		case *runContext:
			r = Run{(*Cell)(run), nil}
		case *overlay:
			ctx = run.Context
			continue
		default:
			ctx = derivedFrom(ctx)
			continue
		}
		if r.Live() && match(r.carrier.Main()) {
			return true
		}
		ctx = r.carrier.parent()
	}
	return false
}

// derivedFrom returns the parent of ctx if ctx was made by package context, or nil. The types there
// embed their parent as Context, except that of WithoutCancel. Nothing but reflection tells: that
// package does not show its parents.
func derivedFrom(ctx context.Context) context.Context {
	v := reflect.ValueOf(ctx)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || v.Type().PkgPath() != "context" {
		return nil
	}
	field := v.FieldByName("Context")
	if !field.IsValid() || !field.CanInterface() {
		return nil
	}
	parent, _ := field.Interface().(context.Context)
	return parent
}

// runOf returns the run that ctx belongs to; its carrier is nil if there is none.
func runOf(ctx context.Context) Run {
	switch run := ctx.Value(runKey{}).(type) {
	case *Token:
		return Run{run.carrier, run}
	case *Cell:
		return Run{run, nil}
	}
	return Run{}
}
