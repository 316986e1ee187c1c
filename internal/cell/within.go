package cell

import (
	"context"
	"reflect"
)

// Run is one run of a cell, as its context tells it.
type Run struct {
	carrier *Cell
	token   *Token // of a cell that runs again and again, or nil
}

// Live reports whether the run is still in progress.
func (r Run) Live() bool {
	if r.token != nil {
		return r.token.live()
	}
	return r.carrier != nil && r.carrier.Live()
}

// Find returns the run in progress that ctx is the context of, or derives from, whose cell is
// accepted by match; runs may be inside of others. It tells on behalf of whom somebody acts, not who
// that is: contexts are passed on.
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

// Within reports whether there is such a run.
func Within(ctx context.Context, match func(run *Cell) bool) bool {
	_, found := Find(ctx, match)
	return found
}

// EndsWith reports whether ctx is certain to end with a run in progress whose cell is accepted by
// match: it is the context of that run, or derived from it, and never by context.WithoutCancel. What
// derives from it by types of others than package context counts as not certain. Whoever waits with
// ctx for something that comes after that run waits in vain.
func EndsWith(ctx context.Context, match func(run *Cell) bool) bool {
	if !Within(ctx, match) {
		return false // most often, and cheaper to find out
	}
	for ctx != nil {
		var r Run
		switch run := ctx.(type) {
		case *Token:
			r = Run{run.carrier, run}
		case *runContext:
			r = Run{(*Cell)(run), nil}
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

// derivedFrom returns the context that ctx ends with, if it is one that package context has made, or
// nil. The types there embed the parent, but for that of WithoutCancel.
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

// runOf returns the run that ctx was made in. That has no carrier if there is none.
func runOf(ctx context.Context) Run {
	switch run := ctx.Value(runKey{}).(type) {
	case *Token:
		return Run{run.carrier, run}
	case *Cell:
		return Run{run, nil}
	}
	return Run{}
}
