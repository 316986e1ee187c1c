package bars

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
)

// A body is how many lines a function takes after the one with its opening brace.
type body struct {
	lines int
	name  string
}

// bodyAt returns how long bodies are at a percentile, and lists the longest of all.
func bodyAt(percentile int) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		var bodies []body
		for _, f := range h.files() {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					from, to := h.position(fn.Body.Lbrace), h.position(fn.Body.Rbrace)
					name := fmt.Sprintf("%s:%d %s", from.Filename, from.Line, fn.Name.Name)
					bodies = append(bodies, body{to.Line - from.Line, name})
				}
			}
		}
		if len(bodies) == 0 {
			return figure{}, errNothing
		}
		slices.SortFunc(bodies, func(a, b body) int {
			return cmp.Or(b.lines-a.lines, cmp.Compare(a.name, b.name))
		})
		f := figure{value: bodies[len(bodies)-1-len(bodies)*percentile/100].lines}
		for _, b := range bodies {
			f.parts = append(f.parts, fmt.Sprintf("%s: %d", b.name, b.lines))
		}
		return f, nil
	}
}
