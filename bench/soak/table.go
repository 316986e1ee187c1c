package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/punctual-go/punctual/bench/soak/drill"
	features "github.com/punctual-go/punctual/internal/trust/pairs"
)

// heading has a column for everything that can be wrong.
var heading = []string{"part", "kind", "seeds", "ops", "lost", "duplicate", "early", "late", "wrong", "stuck", "raced", "leaked"}

// table returns what has been done and what was wrong, and then the faults in words.
func (s *schedule) table(o options) string {
	var text strings.Builder
	fmt.Fprintf(&text, "`%s`\n%s/%s, %d processors, %s\n\n", o.command, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	lines := [][]string{heading}
	sums := map[section]*drill.Report{}
	for _, r := range s.rows {
		lines = append(lines, line(r.label(), r.kind, r.report))
		if sums[r.section] == nil {
			sums[r.section] = new(drill.Report)
		}
		sums[r.section].Add(r.report)
	}
	for _, name := range sections {
		if sum := sums[name]; sum != nil {
			lines = append(lines, line("**"+string(name)+"**", "**all**", *sum))
		}
	}
	text.WriteString(markdown(lines))
	for _, r := range s.rows {
		for _, note := range r.report.Notes {
			fmt.Fprintf(&text, "\n%s", note)
		}
		if r.failed >= enough {
			fmt.Fprintf(&text, "\n%s %s: given up after %d failures", r.label(), r.kind, r.failed)
		}
		for _, name := range r.unseen() {
			fmt.Fprintf(&text, "\n%s: never seen: %s", r.kind, name)
		}
	}
	if c := s.effective(); c != nil {
		fmt.Fprintf(&text, "\n\n%s", c.Summary(10))
	}
	for _, r := range s.rows {
		if len(r.report.Faults) > 0 {
			fmt.Fprintf(&text, "\n\n%s %s:\n%s", r.label(), r.kind, words(r.report))
		}
	}
	if s.noRace {
		text.WriteString("\nNothing ran under the race detector: it could not be built here.\n")
	}
	return text.String() + "\n"
}

// effective returns in how many lives each pair of features was effective; nil if there were no
// lives.
func (s *schedule) effective() (c features.Counts) {
	for _, r := range s.rows {
		if r.part == drill.Pairs && r.report.Seeds > 0 {
			c.Add(features.CountsOf(r.report.Seen))
		}
	}
	return c
}

func (r *row) label() string {
	if r.raceful {
		return string(r.part) + ", -race"
	}
	return string(r.part)
}

func line(part, kind string, r drill.Report) []string {
	cells := []string{part, strings.ReplaceAll(kind, "|", `\|`)}
	for _, n := range []int64{r.Seeds, r.Ops, r.Lost, r.Duplicate, r.Early, r.Late, r.Wrong, r.Stuck, r.Raced, r.Leaked} {
		cells = append(cells, grouped(n))
	}
	return cells
}

// grouped writes a number with commas.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// markdown writes a table, the first two columns to the left and the others to the right.
func markdown(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	for _, l := range lines {
		for i, cell := range l {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var text strings.Builder
	for n, l := range lines {
		for i, cell := range l {
			if i < 2 {
				fmt.Fprintf(&text, "| %-*s ", widths[i], cell)
			} else {
				fmt.Fprintf(&text, "| %*s ", widths[i], cell)
			}
		}
		text.WriteString("|\n")
		if n > 0 {
			continue
		}
		for i, w := range widths {
			rule := strings.Repeat("-", w)
			if i >= 2 {
				rule = strings.Repeat("-", w-1) + ":"
			}
			fmt.Fprintf(&text, "| %s ", rule)
		}
		text.WriteString("|\n")
	}
	return text.String()
}
