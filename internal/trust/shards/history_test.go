package shards

import (
	"fmt"
	"slices"
	"strings"
)

// history is the calls of a trial, each with the moments at which it began and returned.
type history struct {
	moment int
	calls  []*call
}

type call struct {
	kind            kind
	began, returned int
	of              *task   // nil for a take that finds none, and for a cancel that comes too late
	due             int64   // of a take: what the clock showed when it began
	tasks           []*task // of a list
}

type kind string

const (
	submitting kind = "submit"
	taking     kind = "take"
	cancelling kind = "cancel"
	listing    kind = "list"
)

func (h *history) begin(k kind, of *task) *call {
	h.moment++
	c := &call{kind: k, began: h.moment, of: of}
	h.calls = append(h.calls, c)
	return c
}

func (h *history) end(c *call) {
	h.moment++
	c.returned = h.moment
}

// check reports whether there is an order of the calls, one after the other, in which a queue with
// one lock would have given the same answers, and in which none comes before one that had returned
// when it began; and whether equal times are in the order of their submissions.
func (h *history) check() error {
	for _, a := range h.calls {
		for _, b := range h.calls {
			if a.kind == submitting && b.kind == submitting && a.returned < b.began &&
				a.of.when == b.of.when && !a.of.before(b.of) {
				return fmt.Errorf("%s was submitted before %s, and comes after it", a.of.name, b.of.name)
			}
		}
	}
	if !linear(h.calls, nil) {
		return fmt.Errorf("no one lock gives these answers:\n%s", h)
	}
	return nil
}

// linear tries each call that may come next.
func linear(open []*call, waiting []*task) bool {
	if len(open) == 0 {
		return true
	}
	first := slices.MinFunc(open, func(a, b *call) int { return a.returned - b.returned })
	for i, c := range open {
		if c.began > first.returned {
			continue
		}
		if next, ok := c.apply(waiting); ok && linear(without(open, i), next) {
			return true
		}
	}
	return false
}

func without(calls []*call, i int) []*call {
	return append(slices.Clone(calls[:i]), calls[i+1:]...)
}

// apply is the call at a queue with one lock. It reports whether that gives the same answer.
func (c *call) apply(waiting []*task) (after []*task, ok bool) {
	switch c.kind {
	case submitting:
		after = append(slices.Clone(waiting), c.of)
		slices.SortFunc(after, (*task).compare)
		return after, true
	case listing:
		listed := slices.SortedFunc(slices.Values(c.tasks), (*task).compare)
		return waiting, slices.Equal(listed, waiting)
	case taking:
		if c.of == nil {
			return waiting, len(waiting) == 0 || waiting[0].when > c.due
		}
		ok = len(waiting) > 0 && waiting[0] == c.of
	case cancelling:
		if c.of == nil {
			return waiting, true
		}
		ok = slices.Contains(waiting, c.of)
	}
	if !ok {
		return nil, false
	}
	i := slices.Index(waiting, c.of)
	return append(slices.Clone(waiting[:i]), waiting[i+1:]...), true
}

func (h *history) String() string {
	var text strings.Builder
	for _, c := range h.calls {
		fmt.Fprintf(&text, "%d–%d %s", c.began, c.returned, c.kind)
		for _, t := range append([]*task{c.of}, c.tasks...) {
			if t != nil {
				fmt.Fprintf(&text, " %s(%d, %d)", t.name, t.when, t.stamp)
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}
