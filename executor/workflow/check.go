package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
		if text := jobs[i].complete(known); text != "" {
			return nil, &fault{jobs[i].Name, text}
		}
	}
	if cycle := cycleIn(jobs); cycle != nil {
		return nil, &fault{cycle[0], "it follows itself: " + strings.Join(cycle, " <- ")}
	}
	return jobs, nil
}

// complete fills in what is left open, and returns what is wrong, if anything.
func (j *Job) complete(known map[string]bool) (wrong string) {
	if len(j.After) == 0 {
		return ""
	}
	if j.Every != 0 || j.Rate != 0 || j.Delay != 0 || j.On != nil || j.Initial != 0 {
		return "a job that follows others has no times of its own"
	}
	j.OnDemand, j.After = true, slices.Clone(j.After)
	before := map[string]bool{}
	for k := range j.After {
		up := &j.After[k]
		up.When = cmp.Or(up.When, OnSuccess)
		switch {
		case up.When != OnSuccess && up.When != OnFailure && up.When != Always:
			return fmt.Sprintf("condition %q is unknown", up.When)
		case !known[up.Name]:
			return fmt.Sprintf("it follows %q, which is no job", up.Name)
		case before[up.Name]:
			return fmt.Sprintf("it follows %q twice", up.Name)
		}
		before[up.Name] = true
	}
	return ""
}

// search looks for a cycle.
type search struct {
	after map[string][]Upstream
	seen  map[string]bool // what leads to no cycle, or is on the path
	path  []string
}

// cycleIn returns jobs of which each follows the next, and the last is the first; nil if there are
// none.
func cycleIn(jobs []Job) (cycle []string) {
	s := search{after: map[string][]Upstream{}, seen: map[string]bool{}}
	for _, j := range jobs {
		s.after[j.Name] = j.After
	}
	for _, j := range jobs {
		if cycle = s.visit(j.Name); cycle != nil {
			break
		}
	}
	return cycle
}

// visit returns a cycle that begins on the path or at the job, or that the job leads to.
func (s *search) visit(name string) []string {
	if start := slices.Index(s.path, name); start >= 0 {
		return append(slices.Clone(s.path[start:]), name)
	}
	if s.seen[name] {
		return nil
	}
	s.seen[name] = true
	s.path = append(s.path, name)
	for _, up := range s.after[name] {
		if cycle := s.visit(up.Name); cycle != nil {
			return cycle
		}
	}
	s.path = s.path[:len(s.path)-1]
	return nil
}
