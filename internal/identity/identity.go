// Package identity compares configurations: whether two values mean the same, where == and
// reflect.DeepEqual say more than that. A zone that is loaded twice is one zone; a function, a memo
// or a counter is no part of what its owner means.
package identity

import (
	"fmt"
	"reflect"
	"time"
)

// Verdict is what can be said of two values.
type Verdict uint8

// Same and Other are certain. Unknown says that no difference was found, but that there are parts
// which cannot be compared.
const (
	Same Verdict = iota
	Other
	Unknown
)

// Compare compares two values. They are never the same if their types differ. Else what counts is,
// in this order:
//
//   - an Equal method of theirs that takes the other one and returns a bool, as that of time.Time;
//   - their parts, one by one: numbers, text, times, zones by their names, structs, arrays and
//     slices of such, and what interfaces hold; also behind a pointer, if that leads to a struct
//     of exported fields with numbers, text, times and zones alone;
//   - where a part is something else, such as a function or a map, what their String methods say.
//
// Compare calls user code. It reads nothing that a method of the value might be changing at the
// same time, unless that is behind a slice or in such a struct.
func Compare(a, b any) Verdict {
	if a == nil || b == nil {
		return Certain(a == nil && b == nil)
	}
	return compare(reflect.ValueOf(a), reflect.ValueOf(b), deepest)
}

// Comparer is a value of this module that does what others do by an Equal method, and can also tell
// that parts of it cannot be compared. It reports false for a value of another type: a struct in
// which it is embedded has its methods.
type Comparer interface {
	Compare(other any) (v Verdict, ok bool)
}

// Zones reports whether two zones are the same. Each loading of a zone makes a new location, which
// also has a memory of what it was asked last. A nil zone is no zone.
func Zones(a, b *time.Location) bool {
	switch {
	case a == b:
		return true
	case a == nil || b == nil || a.String() != b.String():
		return false
	}
	// Zones with a fixed offset may have any name, or none.
	_, offsetA := sample.In(a).Zone()
	_, offsetB := sample.In(b).Zone()
	return offsetA == offsetB
}

// sample is any moment: zones that differ in it are different.
var sample = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)

// deepest is how deep values are compared, as a slice may contain itself.
const deepest = 32

// Certain returns Same or Other.
func Certain(same bool) Verdict {
	if same {
		return Same
	}
	return Other
}

// compare is Compare for values that may be parts of others.
func compare(a, b reflect.Value, depth int) Verdict {
	if a.Type() != b.Type() {
		return Other
	}
	if !a.CanInterface() { // of an unexported field, whose methods are not to be called
		return compareParts(a, b, depth)
	}
	if a.Type() == zone {
		return Certain(Zones(a.Interface().(*time.Location), b.Interface().(*time.Location)))
	}
	if c, ok := a.Interface().(Comparer); ok {
		if v, ok := c.Compare(b.Interface()); ok {
			return v
		}
	}
	if same, has := equal(a, b); has {
		return Certain(same)
	}
	v := compareParts(a, b, depth)
	if text, ok := a.Interface().(fmt.Stringer); ok && v == Unknown {
		return Certain(text.String() == b.Interface().(fmt.Stringer).String())
	}
	return v
}

var (
	zone   = reflect.TypeFor[*time.Location]()
	moment = reflect.TypeFor[time.Time]()
)

// equal asks the Equal method of a about b, and reports whether there is one.
func equal(a, b reflect.Value) (same, has bool) {
	method := a.MethodByName("Equal")
	if !method.IsValid() {
		return false, false
	}
	t := method.Type()
	if t.NumIn() != 1 || t.IsVariadic() || !b.Type().AssignableTo(t.In(0)) ||
		t.NumOut() != 1 || t.Out(0).Kind() != reflect.Bool {
		return false, false
	}
	return method.Call([]reflect.Value{b})[0].Bool(), true
}

// compareParts compares two values of one type by what they consist of.
func compareParts(a, b reflect.Value, depth int) Verdict {
	if depth == 0 {
		return Unknown
	}
	switch a.Kind() {
	case reflect.Func, reflect.Map, reflect.Chan, reflect.UnsafePointer:
		return Unknown
	case reflect.Pointer:
		return comparePointers(a, b, depth)
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return Certain(a.IsNil() && b.IsNil())
		}
		return compare(a.Elem(), b.Elem(), depth-1)
	case reflect.Struct:
		if locks(a.Type()) {
			return Unknown
		}
		return compareAll(a.NumField(), func(i int) Verdict {
			return compare(a.Field(i), b.Field(i), depth-1)
		})
	case reflect.Array, reflect.Slice:
		if a.Len() != b.Len() {
			return Other
		}
		return compareAll(a.Len(), func(i int) Verdict {
			return compare(a.Index(i), b.Index(i), depth-1)
		})
	}
	return Certain(a.Equal(b))
}

// compareAll returns what can be said of values with n parts.
func compareAll(n int, part func(i int) Verdict) (all Verdict) {
	for i := range n {
		switch v := part(i); v {
		case Other:
			return Other
		case Unknown:
			all = Unknown
		}
	}
	return all
}

// comparePointers compares what two pointers lead to, if that can be no state.
func comparePointers(a, b reflect.Value, depth int) Verdict {
	switch {
	case a.Pointer() == b.Pointer():
		return Same
	case a.IsNil() || b.IsNil():
		return Other
	case !a.CanInterface() || !isConfiguration(a.Type().Elem()):
		return Unknown
	}
	return compare(a.Elem(), b.Elem(), depth-1)
}

// isConfiguration reports whether a type is a struct that its users fill in: state is not exported.
func isConfiguration(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || locks(t) {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		switch k := f.Type.Kind(); {
		case !f.IsExported():
			return false
		case f.Type == zone, f.Type == moment, k == reflect.String:
		case k >= reflect.Bool && k <= reflect.Complex128:
		default:
			return false
		}
	}
	return true
}

// locks reports whether a type is one by which goroutines share state.
func locks(t reflect.Type) bool { return t.PkgPath() == "sync" || t.PkgPath() == "sync/atomic" }
