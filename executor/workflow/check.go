package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// fault is what is wrong with a job.
type fault struct{ job, text string }

// completed returns jobs with what is left open filled in, and what is wrong with one of them, or
// nil.
func completed(jobs []Job) ([]Job, *fault) {
	jobs = slices.Clone(jobs)
	known := map[string]bool{}
	for _, j := range jobs {
		known[j.Name] = true
	}
	for i := range jobs {
		j := &jobs[i]
		if len(j.After) == 0 {
			continue
		}
		if j.Every != 0 || j.Rate != 0 || j.Delay != 0 || j.On != nil || j.Initial != time.Duration(0) {
			return nil, &fault{j.Name, "a job that follows others has no times of its own"}
		}
		j.OnDemand, j.After = true, slices.Clone(j.After)
		for k := range j.After {
			up := &j.After[k]
			up.When = cmp.Or(up.When, OnSuccess)
			switch {
			case up.When != OnSuccess && up.When != OnFailure && up.When != Always:
				return nil, &fault{j.Name, fmt.Sprintf("condition %q is unknown", up.When)}
			case !known[up.Name]:
				return nil, &fault{j.Name, fmt.Sprintf("it follows %q, which is no job", up.Name)}
			case slices.ContainsFunc(j.After[:k], func(u Upstream) bool { return u.Name == up.Name }):
				return nil, &fault{j.Name, fmt.Sprintf("it follows %q twice", up.Name)}
			}
		}
	}
	if cycle := cycleIn(jobs); cycle != nil {
		return nil, &fault{cycle[0], "it follows itself: " + strings.Join(cycle, " <- ")}
	}
	return jobs, nil
}

// cycleIn returns jobs of which each follows the next, and the last is the first; nil if there are
// none.
func cycleIn(jobs []Job) []string {
	after := map[string][]Upstream{}
	for _, j := range jobs {
		after[j.Name] = j.After
	}
	seen := map[string]bool{} // what leads to no cycle, or is on the path
	var path []string
	var visit func(name string) []string
	visit = func(name string) []string {
		if start := slices.Index(path, name); start >= 0 {
			return append(slices.Clone(path[start:]), name)
		}
		if seen[name] {
			return nil
		}
		seen[name] = true
		path = append(path, name)
		for _, up := range after[name] {
			if cycle := visit(up.Name); cycle != nil {
				return cycle
			}
		}
		path = path[:len(path)-1]
		return nil
	}
	for _, j := range jobs {
		if cycle := visit(j.Name); cycle != nil {
			return cycle
		}
	}
	return nil
}
