package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// vectorTable writes how many groups of vectors each system passes, as Markdown.
func vectorTable(groups []group, verdicts [][]verdict, names bool) string {
	var b strings.Builder
	total := map[string]int{}
	for _, g := range groups {
		total[g.kind()]++
	}
	b.WriteString("vectors that are passed, under the policies that suit best\n\n| |")
	for _, k := range kinds {
		fmt.Fprintf(&b, " %s: %d |", k, total[k])
	}
	b.WriteString(" hangs |\n|---|" + strings.Repeat("--:|", len(kinds)+1) + "\n")
	var lists strings.Builder
	for i, s := range systems() {
		count, hangs := map[string]int{}, 0
		var bad []string
		for j, v := range verdicts[i] {
			switch v {
			case passed:
				count[groups[j].kind()]++
				continue
			case hung:
				hangs++
			}
			bad = append(bad, groups[j].id)
		}
		fmt.Fprintf(&b, "| %s |", s.name)
		for _, k := range kinds {
			fmt.Fprintf(&b, " %d |", count[k])
		}
		fmt.Fprintf(&b, " %d |\n", hangs)
		fmt.Fprintf(&lists, "\n%s fails %d: %s\n", s.name, len(bad), strings.Join(bad, " "))
	}
	if names {
		b.WriteString(lists.String())
	}
	return b.String()
}

// costTable writes the medians as Markdown: nanoseconds of this module, and how many times as much
// the others take.
func costTable(results []result, rounds int) string {
	var b strings.Builder
	b.WriteString("Next and parsing: ns of punctual, others as multiples of that; in brackets, allocations\n")
	fmt.Fprintf(&b, "medians of %d rounds, %s %s/%s, %d processors\n\n|",
		rounds, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	for _, s := range systems() {
		fmt.Fprintf(&b, " | %s", s.name)
	}
	b.WriteString(" |\n|---|" + strings.Repeat("--:|", len(systems())) + "\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s, %s |", r.question, r.zone)
		own := r.cells[0].median()
		for i, c := range r.cells {
			switch {
			case c.wrong:
				b.WriteString(" wrong |")
				continue
			case i == 0:
				fmt.Fprintf(&b, " %.0f ns", own)
			default:
				fmt.Fprintf(&b, " %.3g ×", c.median()/own)
			}
			if c.allocations >= 1 {
				fmt.Fprintf(&b, " (%.0f)", c.allocations)
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (c cell) median() float64 {
	values := slices.Sorted(slices.Values(c.rounds))
	return stat.Quantile(0.5, stat.Empirical, values, nil)
}
