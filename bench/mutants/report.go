package main

import (
	"fmt"
	"strings"
)

// The targets, in percent.
const (
	shortTarget = 80
	fullTarget  = 100
)

// report is what all results say together.
type report struct {
	results                []result
	shortOnly              bool
	byShort, byAll, broken int
}

func newReport(results []result, shortOnly bool) report {
	p := report{results: results, shortOnly: shortOnly}
	for _, r := range results {
		switch {
		case r.Outcome == broken:
			p.broken++
		case r.Outcome == killed:
			p.byAll++
			if r.Set == short.name {
				p.byShort++
			}
		}
	}
	return p
}

// met reports whether the targets are: with the short set alone, the first.
func (p report) met() bool {
	n := len(p.results)
	return p.broken == 0 && p.byShort*100 >= n*shortTarget && (p.shortOnly || p.byAll*100 >= n*fullTarget)
}

// by tells which test has found the mutant, and in what way.
func (r result) by() string {
	test := r.Test
	if test == "" {
		test = "its tests"
	}
	return fmt.Sprintf("%s: %s %s", r.Package, test, r.How)
}

// markdown is a table of the mutants, and the score.
func (p report) markdown() string {
	var b strings.Builder
	b.WriteString("| mutant | fault | killed by | set | s |\n| --- | --- | --- | --- | ---: |\n")
	for _, r := range p.results {
		by := r.by()
		if r.Outcome != killed {
			by = "**" + r.Outcome + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.1f |\n", r.ID, cell(r.Fault), cell(by), r.Set, r.Seconds)
	}
	n := len(p.results)
	fmt.Fprintf(&b, "\nkilled by the short set: %s, target %d %%\n", share(p.byShort, n), shortTarget)
	if !p.shortOnly {
		fmt.Fprintf(&b, "killed by all: %s, target %d %%\n", share(p.byAll, n), fullTarget)
	}
	for _, r := range p.results {
		if r.Outcome == broken {
			fmt.Fprintf(&b, "\n%s does not build, or cannot be tested:\n\n```\n%s\n```\n", r.ID, strings.TrimSpace(r.Output))
		}
	}
	return b.String()
}

// cell keeps a text from ending its cell of the table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func share(some, all int) string {
	if all == 0 {
		return "none of none"
	}
	return fmt.Sprintf("%d/%d (%d %%)", some, all, 100*some/all)
}
