package cell

import (
	"context"
	"reflect"
	"slices"
)

// Values are contexts of which the values count, and neither the end nor the run that they belong
// to. The first that knows a key answers. Each is made by context.WithoutCancel: otherwise package
// context would take one of them for the parent of what derives from an [overlay].
type Values []context.Context

// Bare returns ctx without the layers that have no values for a run of the host: those that only
// end, and a run of the same host to which nobody has given values. It returns nil if nothing is
// left. The usual contexts without values cost next to nothing.
func Bare(ctx context.Context, host Host) context.Context {
	for ctx != nil && ctx != context.Background() && ctx != context.TODO() {
		next := ctx
		switch c := ctx.(type) {
		case *faithful:
			next = c.Context
		case *Token, *runContext:
			run := runOf(ctx).carrier
			switch {
			case run.Plan == nil:
				next = run.parent()
			case run.Plan.adds(host) == nil:
				return nil
			default:
				return ctx
			}
		default:
			if next = endOnly(ctx); next == nil {
				return ctx
			}
		}
		ctx = next
	}
	return nil
}

// ValuesOf returns what a run of the host has to be given so that it knows the values of ctx. The
// host may be nil, for one that is not known.
//
// If ctx is the context of a run, that run itself is left out: only what it was given counts, and
// the base context of its executor. So tasks that submit each other forever, each with its own
// context, do not make a list that grows, and keep no earlier run in memory.
func ValuesOf(ctx context.Context, host Host) (vs Values) {
	switch c := Bare(ctx, host).(type) {
	case nil:
		return nil
	case *overlay:
		vs = slices.Clip(c.values)
		for _, v := range ValuesOf(c.Context, host) {
			vs = vs.with(v)
		}
		return vs
	case *Token, *runContext:
		return runOf(c).carrier.Plan.adds(host)
	default:
		return Values{context.WithoutCancel(c)}
	}
}

// adds returns what the runs of the plan know beside what each run of the host knows.
func (p *Plan) adds(host Host) (vs Values) {
	if o, ok := p.Base.(*overlay); ok {
		vs = o.values
	}
	if p.Host == host {
		return vs
	}
	if given := Bare(p.Given, host); given != nil {
		vs = slices.Clip(vs).with(context.WithoutCancel(given))
	}
	return vs
}

// with returns the list with v at its end, unless it is there already.
func (vs Values) with(v context.Context) Values {
	if slices.ContainsFunc(vs, func(other context.Context) bool { return same(other, v) }) {
		return vs
	}
	return append(vs, v)
}

// same reports whether a and b are the same context. One of a type that cannot be compared is the
// same as no other.
func same(a, b context.Context) bool {
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// Over returns a context that is base but also knows the values: it asks first labels, which may be
// nil, then the values, then base. A nil base knows nothing and never ends.
func (vs Values) Over(base, labels context.Context) context.Context {
	if base == nil {
		base = context.Background()
	}
	return &overlay{base, labels, vs}
}

// overlay is what Over returns. It ends with its base alone, and a context that derives from it
// attaches to the base: to a context of the standard library without a goroutine.
type overlay struct {
	context.Context
	labels context.Context
	values Values
}

// Value implements context.Context. The run that a context belongs to is never one of the values:
// that run is somebody else's.
func (o *overlay) Value(key any) any {
	if key == (runKey{}) {
		return o.Context.Value(key)
	}
	if o.labels != nil {
		if v := o.labels.Value(key); v != nil {
			return v
		}
	}
	for _, ctx := range o.values {
		if v := ctx.Value(key); v != nil {
			return v
		}
	}
	return o.Context.Value(key)
}

// AfterFunc is the method that package context looks for in a parent that it does not know: the
// base may have it.
func (o *overlay) AfterFunc(f func()) func() bool { return context.AfterFunc(o.Context, f) }

// endOnly returns the parent of ctx if ctx is one of package context that adds an end to it and no
// values, or else nil. Nothing but its name tells; one of another name is taken to have values. The
// parent comes first in each of these types, and to look for it by name would allocate.
func endOnly(ctx context.Context) context.Context {
	t, v := reflect.TypeOf(ctx), reflect.ValueOf(ctx)
	if t.Kind() == reflect.Pointer {
		t, v = t.Elem(), v.Elem()
	}
	if t.PkgPath() != "context" {
		return nil
	}
	switch t.Name() {
	case "timerCtx":
		v = v.Field(0) // the cancelCtx in it
	case "cancelCtx", "stopCtx":
	default:
		return nil
	}
	if v.Kind() != reflect.Struct || v.NumField() == 0 || !v.Field(0).CanInterface() {
		return nil
	}
	parent, _ := v.Field(0).Interface().(context.Context)
	return parent
}
