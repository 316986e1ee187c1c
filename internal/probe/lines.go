package probe

import "reflect"

// line is the size of what processors exchange: who writes to a line takes it from all others.
const line = 64

// Memory is what can be reached from somewhere, as it was at a moment: values by address.
type Memory map[uintptr]uint64

// MemoryOf returns what can be reached from root, a pointer, through pointers, interfaces and
// slices; not what is behind a map, a channel, a function or an unsafe pointer.
func MemoryOf(root any) Memory {
	m := walk{Memory{}, map[uintptr]bool{}}
	m.follow(reflect.ValueOf(root))
	return m.seen
}

// Changed returns which lines differ, of what there was at both moments.
func (m Memory) Changed(later Memory) map[uintptr]bool {
	changed := map[uintptr]bool{}
	for at, v := range m {
		if w, there := later[at]; there && v != w {
			changed[at/line] = true
		}
	}
	return changed
}

type walk struct {
	seen Memory
	been map[uintptr]bool
}

func (m *walk) follow(v reflect.Value) {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Pointer || v.IsNil() || m.been[v.Pointer()] {
		return
	}
	m.been[v.Pointer()] = true
	m.visit(v.Elem())
}

func (m *walk) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			m.visit(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			m.visit(v.Index(i))
		}
	case reflect.Slice:
		m.note(v, uint64(v.Pointer())^uint64(v.Len())<<48)
		for i := range v.Len() {
			m.visit(v.Index(i))
		}
	case reflect.Interface:
		m.follow(v)
	case reflect.Pointer:
		m.note(v, uint64(v.Pointer()))
		m.follow(v)
	case reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		m.note(v, uint64(v.Pointer()))
	case reflect.Bool:
		if m.note(v, 0); v.Bool() {
			m.note(v, 1)
		}
	case reflect.String:
		m.note(v, uint64(v.Len()))
	default:
		switch {
		case v.CanInt():
			m.note(v, uint64(v.Int()))
		case v.CanUint():
			m.note(v, v.Uint())
		}
	}
}

func (m *walk) note(v reflect.Value, value uint64) {
	if v.CanAddr() {
		m.seen[v.UnsafeAddr()] = value
	}
}
