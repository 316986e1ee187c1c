package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// table writes the medians as Markdown.
func table(results []result, sizes []int, rounds int) string {
	var b strings.Builder
	b.WriteString("insert, cancel: ns; expire: ns of all processors; late: µs in an idle process\n")
	fmt.Fprintf(&b, "medians of %d rounds, %s %s/%s, %d processors\n\n",
		rounds, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	head, rule := "| pending: |", "|---|"
	for _, what := range []string{"insert", "cancel", "expire"} {
		for _, n := range sizes {
			head += fmt.Sprintf(" %s %s |", what, brief(n))
			rule += "--:|"
		}
	}
	largest, smallest := sizes[len(sizes)-1], sizes[0]
	fmt.Fprintf(&b, "%s insert+cancel, %s to %s | late p50 | late p99 |\n", head, brief(largest), brief(smallest))
	fmt.Fprintf(&b, "%s--:|--:|--:|\n", rule)
	for _, r := range results {
		fmt.Fprintf(&b, "| %s |", r.name)
		for _, pick := range []func(cost) float64{
			func(c cost) float64 { return c.insert },
			func(c cost) float64 { return c.cancel },
			func(c cost) float64 { return c.expire },
		} {
			for _, n := range sizes {
				fmt.Fprintf(&b, " %.0f |", r.median(n, pick))
			}
		}
		both := func(c cost) float64 { return c.insert + c.cancel }
		fmt.Fprintf(&b, " %.2f |", r.median(largest, both)/r.median(smallest, both))
		fmt.Fprintf(&b, " %.0f | %.0f |\n",
			median(r.late, func(l lateness) float64 { return float64(l.p50.Nanoseconds()) / 1000 }),
			median(r.late, func(l lateness) float64 { return float64(l.p99.Nanoseconds()) / 1000 }))
	}
	return b.String()
}

func (r result) median(n int, pick func(cost) float64) float64 { return median(r.costs[n], pick) }

func median[T any](rounds []T, pick func(T) float64) float64 {
	var values []float64
	for _, r := range rounds {
		values = append(values, pick(r))
	}
	slices.Sort(values)
	return stat.Quantile(0.5, stat.Empirical, values, nil)
}

// brief writes a size with its unit.
func brief(n int) string {
	switch {
	case n%1_000_000 == 0:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n%1_000 == 0:
		return fmt.Sprintf("%dk", n/1_000)
	default:
		return fmt.Sprint(n)
	}
}
