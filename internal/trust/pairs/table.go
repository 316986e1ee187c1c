package pairs

import (
	"fmt"
	"slices"
	"strings"
)

// Enough is in how many lives a pair has to be effective in a long run.
const Enough = 200

// Summary says in a few lines how often pairs were effective, with the rarest.
func (c Counts) Summary(rarest int) string {
	ready()
	order := c.order()
	zero, few := 0, 0
	for _, i := range order {
		if c[i] == 0 {
			zero++
		}
		if c[i] < Enough {
			few++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| pairs of %d features | %d |\n|---|---:|\n", len(allFeatures),
		len(allPairs)+len(leftOut))
	reasons := map[string]int{}
	for _, e := range leftOut {
		reasons[e.Reason]++
	}
	for _, e := range exclusions {
		fmt.Fprintf(&b, "| left out: %s | %d |\n", e.reason, reasons[e.reason])
	}
	fmt.Fprintf(&b,
		"| drawn | %d |\n| never effective | %d |\n| effective in fewer than %d lives | %d |\n",
		len(allPairs), zero, Enough, few)
	for _, q := range []struct {
		name string
		part float64
	}{{"the rarest", 0}, {"of one in a hundred", 0.01}, {"of one in ten", 0.1}, {"half of them",
		0.5}} {
		fmt.Fprintf(&b, "| lives with an effect of both, %s | %d |\n", q.name,
			c[order[int(q.part*float64(len(order)-1))]])
	}
	b.WriteString("\n| the rarest | lives |\n|---|---:|\n")
	for _, i := range order[:min(rarest, len(order))] {
		fmt.Fprintf(&b, "| %v | %d |\n", allPairs[i], c[i])
	}
	return b.String()
}

// Table has a line for each pair, the rarest first, and for each that is left out.
func (c Counts) Table() string {
	ready()
	var b strings.Builder
	for _, i := range c.order() {
		fmt.Fprintf(&b, "%d\t%v\n", c[i], allPairs[i])
	}
	for _, e := range leftOut {
		fmt.Fprintf(&b, "-\t%v\t%s\n", e.Pair, e.Reason)
	}
	return b.String()
}

// order returns the pairs, the rarest first.
func (c Counts) order() []int {
	order := make([]int, len(allPairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(c[a] - c[b]) })
	return order
}
