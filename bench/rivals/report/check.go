package report

import (
	"math"
	"slices"
)

// The outcomes of a check.
const (
	Met     = "met"
	Missed  = "missed"
	NoRival = "no rival" // its figure is not there: not asked for, not installed, or failed
)

// Check is a target held against the medians of a run.
type Check struct {
	Workload string   `json:"workload"`
	Figure   string   `json:"figure"`
	Left     Side     `json:"left"`
	Right    *Side    `json:"right,omitempty"` // absent if the bound is one by itself
	Op       string   `json:"op"`
	Bound    float64  `json:"bound"`
	Ratio    *float64 `json:"ratio,omitempty"` // left to right, if there is one
	Outcome  string   `json:"outcome"`
}

// Side is one of the two figures. The workload is told if it is another than the check's.
type Side struct {
	System   string   `json:"system"`
	Workload string   `json:"workload,omitempty"`
	Value    *float64 `json:"value,omitempty"` // absent if there is none
}

// check holds those targets against the medians that have something to do with this run. A workload
// or a system of this module that was not asked for is no reason to complain; one that has failed
// is.
func (r *Report) check(ts []target) []Check {
	checks := []Check{}
	for _, t := range ts {
		if r.asked(t.left) && r.asked(t.right) {
			checks = append(checks, r.checkOne(t))
		}
	}
	return checks
}

// asked reports whether the figure would be there, had all gone well and were all rivals present.
func (r *Report) asked(p place) bool {
	if p == (place{}) {
		return true
	}
	w := r.workload(p.workload)
	if w == nil || !isOwn(p.system) {
		return w != nil
	}
	result := w.result(p.system)
	return result != nil && (result.Failure != "" || len(result.Rounds) > 0)
}

func (r *Report) checkOne(t target) Check {
	c := Check{
		Workload: t.left.workload, Figure: t.left.figure, Op: t.op, Bound: t.bound, Outcome: Missed,
		Left: Side{System: t.left.system, Value: r.value(t.left, t.step)},
	}
	limit := &t.bound
	if t.right != (place{}) {
		c.Right = &Side{System: t.right.system, Value: r.value(t.right, t.step)}
		if t.right.workload != t.left.workload {
			c.Right.Workload = t.right.workload
		}
		limit = nil
		if right := c.Right.Value; right != nil {
			product := t.bound * *right
			limit = &product
		}
	}
	switch left := c.Left.Value; {
	case left == nil && !isOwn(t.left.system), limit == nil && !isOwn(t.right.system):
		c.Outcome = NoRival
	case left != nil && limit != nil && compare(*left, t.op, *limit):
		c.Outcome = Met
	}
	c.Ratio = ratio(c.Left.Value, c.Right)
	return c
}

func (r *Report) value(p place, step float64) *float64 {
	result := r.workload(p.workload).result(p.system)
	if result == nil || result.Summary[p.figure] == nil {
		return nil
	}
	v := result.Summary[p.figure].Median
	if step > 0 {
		v = math.Round(v/step) / math.Round(1/step) // 1/step is whole, so that tenths come out exact
	}
	return &v
}

func compare(left float64, op string, right float64) bool {
	switch op {
	case "≤":
		return left <= right
	case "<":
		return left < right
	default:
		return left >= right
	}
}

func ratio(left *float64, right *Side) *float64 {
	if left == nil || right == nil || right.Value == nil || *right.Value == 0 {
		return nil
	}
	q := *left / *right.Value
	return &q
}

// AllMet reports whether no target has been missed.
func (r *Report) AllMet() bool {
	return !slices.ContainsFunc(r.Targets, func(c Check) bool { return c.Outcome == Missed })
}
