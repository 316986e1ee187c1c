package bars

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A graph has the files of a package, and to which of the others each refers.
type graph map[string]map[string]bool

// largestCircle counts the files of a package that refer to each other, directly or through others,
// in the package where these are most.
func largestCircle(h *house) (figure, error) {
	var most []string
	for _, p := range h.rooms {
		for _, circle := range graphOf(h, p).circles() {
			if len(circle) > len(most) {
				most = circle
			}
		}
	}
	if most == nil {
		return figure{}, errNothing
	}
	return figure{len(most), []string{strings.Join(most, " ")}}, nil
}

// graphOf returns the references between the files of a package: to what is declared at package
// level, and to methods and fields.
func graphOf(h *house, p *packages.Package) graph {
	g := graph{}
	for _, f := range p.Syntax {
		from := h.fileOf(f.Pos())
		g[from] = map[string]bool{}
		for _, o := range usesIn(p, f) {
			if o.Pkg() != p.Types || !reachable(o) {
				continue
			}
			if to := h.fileOf(o.Pos()); to != from {
				g[from][to] = true
			}
		}
	}
	return g
}

// reachable reports whether another file could refer to an object of its package.
func reachable(o types.Object) bool {
	switch o := o.(type) {
	case *types.Var:
		return o.IsField() || o.Parent() == o.Pkg().Scope()
	case *types.Func:
		return true
	}
	return o.Parent() == o.Pkg().Scope()
}

// circles returns the files of the graph in groups: those from which each leads to all others.
func (g graph) circles() (all [][]string) {
	reach := map[string]map[string]bool{}
	for file := range g {
		reach[file] = map[string]bool{file: true}
		g.follow(file, reach[file])
	}
	done := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(g)) {
		if done[file] {
			continue
		}
		var circle []string
		for _, other := range slices.Sorted(maps.Keys(reach[file])) {
			if reach[other][file] {
				circle = append(circle, other)
				done[other] = true
			}
		}
		all = append(all, circle)
	}
	return all
}

// follow marks all files to which one leads.
func (g graph) follow(file string, seen map[string]bool) {
	for next := range g[file] {
		if !seen[next] {
			seen[next] = true
			g.follow(next, seen)
		}
	}
}
