package bars

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/tools/cover"
)

// A road is what one call executes: the functions of the module, by file. A function literal
// belongs to the function around it.
type road tally

// functionsOf counts the functions that a call executes.
func functionsOf(call string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		r, err := h.road(call)
		return tally(r).byItem(), err
	}
}

// filesOf counts the files with these functions.
func filesOf(call string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		r, err := h.road(call)
		return tally(r).byHeading(), err
	}
}

func (h *house) road(call string) (road, error) {
	roads, err := h.roads()
	if err != nil {
		return nil, err
	}
	if len(roads[call]) == 0 {
		return nil, fmt.Errorf("no road of %s: %w", call, errNothing)
	}
	return roads[call], nil
}

// walk builds the program with coverage counters of the module, runs it, and reads what it has
// written: into the folder it is given, a folder for each call, and in that one for each round.
func (h *house) walk(program string) (map[string]road, error) {
	dir, err := os.MkdirTemp("", "roads")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary, out := filepath.Join(dir, "program"), filepath.Join(dir, "out")
	if err := command(program, "go", "build", "-cover", "-covermode=atomic",
		"-coverpkg="+h.path()+"/...,.", "-o", binary, "."); err != nil {
		return nil, err
	}
	if err := command(dir, binary, out); err != nil {
		return nil, err
	}
	calls, err := os.ReadDir(out)
	if err != nil {
		return nil, err
	}
	spans := h.spans()
	roads := map[string]road{}
	for _, call := range calls {
		rounds, err := filepath.Glob(filepath.Join(out, call.Name(), "*"))
		if err != nil {
			return nil, err
		}
		roads[call.Name()], err = middle(rounds, spans)
		if err != nil {
			return nil, err
		}
	}
	return roads, nil
}

// middle returns the road of the round that is neither long nor short: in one of several a machine
// may have been late.
func middle(rounds []string, spans map[string][]span) (road, error) {
	roads := make([]road, len(rounds))
	for i, round := range rounds {
		r, err := read(round, spans)
		if err != nil {
			return nil, err
		}
		roads[i] = r
	}
	slices.SortFunc(roads, func(a, b road) int { return tally(a).items() - tally(b).items() })
	return roads[len(roads)/2], nil
}

// read returns the road of which a folder has the counters.
func read(round string, spans map[string][]span) (road, error) {
	text := filepath.Join(round, "text")
	err := command(round, "go", "tool", "covdata", "textfmt", "-i=.", "-o="+text)
	if err != nil {
		return nil, err
	}
	profiles, err := cover.ParseProfiles(text)
	if err != nil {
		return nil, err
	}
	r := tally{}
	for _, p := range profiles {
		for _, block := range p.Blocks {
			if block.Count == 0 {
				continue
			}
			for _, s := range spans[p.FileName] {
				if s.has(block) {
					r.addOnce(s.from.Filename, s.name)
				}
			}
		}
	}
	return road(r), nil
}

// A span is where a function is.
type span struct {
	name     string
	from, to token.Position
}

func (s span) has(b cover.ProfileBlock) bool {
	after := b.StartLine > s.from.Line ||
		b.StartLine == s.from.Line && b.StartCol >= s.from.Column
	before := b.StartLine < s.to.Line || b.StartLine == s.to.Line && b.StartCol < s.to.Column
	return after && before
}

// spans returns the functions of the module, by the names that profiles give its files.
func (h *house) spans() map[string][]span {
	all := map[string][]span{}
	for p, f := range h.files() {
		name := path.Join(p.PkgPath, path.Base(h.fileOf(f.Pos())))
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				all[name] = append(all[name], span{
					qualified(receiverName(fn), fn), h.position(fn.Pos()), h.position(fn.End()),
				})
			}
		}
	}
	return all
}

// command runs a program in a folder. Its error has what that has said.
func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", filepath.Base(name), args, err, out)
	}
	return nil
}
