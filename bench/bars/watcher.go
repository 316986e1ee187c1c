package bars

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// namesFrom counts the lines that name what the homes declare: what is at package level there, its
// methods and fields; and fields elsewhere whose type names a type from there. A home is a file, or
// the folder of a package. Lines in the homes themselves, and in their views, do not count.
func namesFrom(homes, views []string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		exempt := slices.Concat(homes, views)
		lines, named := tally{}, map[string]bool{}
		for id, o := range h.uses() {
			home := h.homeOf(o, homes)
			named[home] = true
			if home != "" && within(h.fileOf(id.Pos()), exempt) == "" {
				h.place(lines, id.Pos())
			}
		}
		for _, home := range homes {
			if !named[home] {
				return figure{}, fmt.Errorf("nothing is used from %s: %w", home, errNothing)
			}
		}
		return lines.byItem(), nil
	}
}

// homeOf returns the home in which an object is declared, or else a type that the type of the field
// names; "" if there is none.
func (h *house) homeOf(o types.Object, homes []string) string {
	if !reachable(o) {
		return ""
	}
	if home := within(h.fileOf(o.Pos()), homes); home != "" {
		return home
	}
	if v, ok := o.(*types.Var); ok && v.IsField() {
		for name := range typesIn(v.Type(), map[*types.TypeName]bool{}) {
			if home := within(h.fileOf(name.Pos()), homes); home != "" {
				return home
			}
		}
	}
	return ""
}

// within returns the file or folder among some to which a file belongs, or "".
func within(file string, some []string) string {
	i := slices.IndexFunc(some, func(one string) bool {
		return file == one || strings.HasPrefix(file, one+"/")
	})
	if i < 0 {
		return ""
	}
	return some[i]
}

// typesIn adds the named types that are written in t to a set.
func typesIn(t types.Type, set map[*types.TypeName]bool) map[*types.TypeName]bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		set[t.Obj()] = true
		for arg := range t.TypeArgs().Types() {
			typesIn(arg, set)
		}
	case *types.Map:
		typesIn(t.Key(), set)
		typesIn(t.Elem(), set)
	case *types.Signature:
		for v := range t.Params().Variables() {
			typesIn(v.Type(), set)
		}
		for v := range t.Results().Variables() {
			typesIn(v.Type(), set)
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		typesIn(t.Elem(), set)
	}
	return set
}
