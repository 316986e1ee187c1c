package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/punctual-go/punctual/bench/mutants/catalogue"
)

// hunt has the tests of a module look for faults.
type hunt struct {
	module, root string
	options
	packages []*tested
	scratch  string // directory
}

// set is a way to run the tests of the packages that a fault concerns.
type set struct {
	name        string
	far         int // how distant they may be
	args        []string
	environment []string
	patience    time.Duration // with a package, at least
	waits       int           // or so many times what it takes without a fault
}

var (
	short = set{name: "short", far: 2, patience: 30 * time.Second, waits: 5}

	// What the tests know is how much more they may do.
	more  = []string{"PUNCTUAL_STRESS=20s", "PUNCTUAL_LITMUS=200000", "PUNCTUAL_SEEDS=20000"}
	longs = []set{
		{name: "long", far: 1, environment: more, patience: 15 * time.Minute},
		{name: "long, -race", far: 1, args: []string{"-race"}, environment: more, patience: 30 * time.Minute},
	}
)

// The outcomes of a hunt.
const (
	killed   = "killed"
	survived = "survived"
	broken   = "broken" // it does not build
)

// result is what became of one mutant.
type result struct {
	ID      string  `json:"id"`
	Fault   string  `json:"fault"`
	Outcome string  `json:"outcome"`
	Set     string  `json:"set,omitempty"`
	Package string  `json:"package,omitempty"`
	Test    string  `json:"test,omitempty"`
	How     string  `json:"how,omitempty"`
	Seconds float64 `json:"seconds"`
	Output  string  `json:"output,omitempty"`
}

func newHunt(ctx context.Context, module string, o options) (*hunt, error) {
	root, err := rootOf(ctx, module)
	if err != nil {
		return nil, err
	}
	packages, err := packagesOf(ctx, root)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	return &hunt{module, root, o, packages, scratch}, nil
}

func (h *hunt) close() { _ = os.RemoveAll(h.scratch) }

// control runs the short set for the mutants without any fault, once, and notes what it costs.
func (h *hunt) control(ctx context.Context, mutants []catalogue.Mutant) error {
	for _, m := range mutants {
		for _, p := range near(h.packages, h.faulty(m), short.far) {
			if p.cost > 0 {
				continue
			}
			v, err := h.test(ctx, short, p, "")
			switch {
			case err != nil:
				return err
			case v.broken, v.failed:
				return fmt.Errorf("%s %s in %s, without any fault:\n%s", v.test, v.how, p.dir, v.output)
			}
			p.cost = v.took
		}
	}
	return nil
}

// all hunts the mutants, some at a time, and returns the results in their order.
func (h *hunt) all(ctx context.Context, mutants []catalogue.Mutant, p *progress) []result {
	results := make([]result, len(mutants))
	var group errgroup.Group
	group.SetLimit(h.parallel)
	for i, m := range mutants {
		group.Go(func() error {
			if r := h.one(ctx, m); ctx.Err() == nil { // or else it is of no use
				results[i] = r
				p.done(r)
			}
			return nil
		})
	}
	_ = group.Wait()
	p.end()
	return slices.DeleteFunc(results, func(r result) bool { return r.ID == "" })
}

// one hunts a mutant, with the short set, and then with the long ones.
func (h *hunt) one(ctx context.Context, m catalogue.Mutant) (r result) {
	begin := time.Now()
	r = result{ID: m.ID, Fault: m.Fault, Outcome: survived}
	defer func() { r.Seconds = time.Since(begin).Seconds() }()
	overlay, err := h.overlay(m)
	if err == nil {
		_, err = goCommand(ctx, h.root, "build", "-overlay", overlay, "./"+m.Package())
	}
	if err != nil {
		r.Outcome, r.Output = broken, err.Error()
		return r
	}
	sets := []set{short}
	if !h.short {
		sets = append(sets, longs...)
	}
	for _, s := range sets {
		for _, p := range near(h.packages, h.faulty(m), s.far) {
			v, err := h.test(ctx, s, p, overlay)
			switch {
			case err != nil:
				r.Outcome, r.Output = broken, err.Error()
				return r
			case v.broken:
				r.Outcome, r.Package, r.Output = broken, p.dir, v.output
				return r
			case v.failed:
				r.Outcome, r.Set, r.Package, r.Test, r.How, r.Output = killed, s.name, p.dir, v.test, v.how, v.output
				return r
			}
		}
	}
	return r
}

// faulty is the import path of the package that the fault is in.
func (h *hunt) faulty(m catalogue.Mutant) string { return path.Join(h.module, m.Package()) }

// test runs the tests of one package, with an overlay if there is one.
func (h *hunt) test(ctx context.Context, s set, p *tested, overlay string) (verdict, error) {
	limit := max(s.patience, time.Duration(s.waits)*p.cost)
	args := append([]string{"-timeout", limit.String()}, s.args...)
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	} else {
		args = append(args, "-timeout", (10 * time.Minute).String()) // nobody knows yet
	}
	if h.skip != "" {
		args = append(args, "-skip", h.skip)
	}
	return goTest(ctx, h.root, environment(s.environment...), append(args, p.path)...)
}

// overlay writes the mutant down, and returns what go build takes to have it in place of the file.
func (h *hunt) overlay(m catalogue.Mutant) (string, error) {
	original := filepath.Join(h.root, filepath.FromSlash(m.File))
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	mutated, err := m.Apply(source)
	if err != nil {
		return "", fmt.Errorf("%s: %w", m.File, err)
	}
	file := filepath.Join(h.scratch, m.ID+".go")
	overlay := filepath.Join(h.scratch, m.ID+".json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: file}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, mutated, 0o600); err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, replace, 0o600)
}
