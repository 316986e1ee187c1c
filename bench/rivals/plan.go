package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/punctual-go/punctual/bench/rivals/process"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// plan is what is going to be measured.
type plan struct {
	contenders []contender // at least one workload each
	workloads  []planned
	notices    []string // what is left out, and why
}

// planned is one workload with those who can do it.
type planned struct {
	workload.Workload
	params     workload.Params
	rounds     int
	contenders []contender
	quick      bool
}

func newPlan(o options, all []workload.Workload, contenders []contender) (plan, error) {
	workloads, unknownWorkload := choose("workload", o.workloads, all, func(w workload.Workload) string { return w.Name })
	systems, unknownSystem := choose("system", o.systems, contenders, func(c contender) string { return c.name })
	if err := errors.Join(unknownWorkload, unknownSystem); err != nil {
		return plan{}, err
	}
	var p plan
	for _, w := range workloads {
		x := planned{Workload: w, params: w.Params, rounds: o.rounds, quick: o.quick}
		if w.Rounds > 0 {
			x.rounds = min(x.rounds, w.Rounds)
		}
		if o.quick {
			x.params = w.Quick
		}
		for _, s := range systems {
			if slices.Contains(s.kinds, w.Kind) {
				x.contenders = append(x.contenders, s)
			}
		}
		switch err := process.CanWatch(); {
		case x.params == nil:
			p.notices = append(p.notices, w.Name+" is left out: it has no small size")
		case w.Kind == idleKind && err != nil:
			p.notices = append(p.notices, fmt.Sprintf("%s is left out: %v", w.Name, err))
		case len(x.contenders) > 0:
			p.workloads = append(p.workloads, x)
		}
	}
	for _, s := range systems {
		if slices.ContainsFunc(p.workloads, func(w planned) bool { return slices.Contains(s.kinds, w.Kind) }) {
			p.contenders = append(p.contenders, s)
		}
	}
	if len(p.workloads) == 0 {
		return plan{}, errors.New("there is nothing to measure: none of those systems can do any of those workloads" + because(p.notices))
	}
	return p, nil
}

func because(notices []string) string {
	if len(notices) == 0 {
		return ""
	}
	return " (" + strings.Join(notices, "; ") + ")"
}

// choose returns those of all that have one of the names, or begin with it if none has it. No names
// are all of them.
func choose[T any](what string, names []string, all []T, name func(T) string) ([]T, error) {
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, x := range all {
		known = append(known, name(x))
	}
	chosen := map[string]bool{}
	var errs []error
	for _, n := range names {
		matches := func(s string) bool { return strings.HasPrefix(s, n) }
		if slices.Contains(known, n) {
			matches = func(s string) bool { return s == n }
		}
		found := slices.DeleteFunc(slices.Clone(known), func(s string) bool { return !matches(s) })
		if len(found) == 0 {
			errs = append(errs, fmt.Errorf("there is no %s %q; there are %s", what, n, strings.Join(known, ", ")))
		}
		for _, f := range found {
			chosen[f] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !chosen[name(x)] }), errors.Join(errs...)
}

// sizes are the params as a driver gets them.
func (p planned) sizes() workload.Params {
	sizes := maps.Clone(p.params)
	if p.quick {
		sizes["quick"] = 1
	}
	return sizes
}
