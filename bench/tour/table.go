package main

import (
	"fmt"
	"strings"
	"time"
)

// latenessDefinition says what is measured, wherever lateness is shown.
const latenessDefinition = "start minus planned time of a run, over all runs, the stall included"

const tableNotes = `  planned   runs the system planned: one per period; with a fixed delay, one after each end
  missed    periods without a run: for the ticker planned minus actual, which it cannot tell;
            for the others what executor.RunFrom told the runs
  late      ` + latenessDefinition + `;
            half of the runs are at most p50 late, 99 of 100 at most p99
  in 100ms  the most runs that began within 100 ms: the burst
`

// drawTable returns the figures of all systems, one line each, and what the columns mean.
func drawTable(systems []system) string {
	const layout = "  %-*s %8v %6v %6v %8v %8v %8v  %s\n"
	var b strings.Builder
	w := nameWidth(systems)
	b.WriteString(strings.TrimRight(fmt.Sprintf(layout, w, "", "planned", "actual", "missed",
		"late p50", "late p99", "in 100ms", ""), " \n") + "\n")
	for _, s := range systems {
		fmt.Fprintf(&b, layout, w, s.Name, s.Planned, s.Actual, s.Missed,
			brief(s.LatenessP50), brief(s.LatenessP99), s.Burst, s.Verdict)
	}
	b.WriteString("\n" + tableNotes)
	return b.String()
}

// brief writes a duration in three digits or so; a dash stands for none.
func brief(d *time.Duration) string {
	if d == nil {
		return "-"
	}
	unit := time.Duration(1)
	for unit*1000 <= d.Abs() {
		unit *= 10
	}
	return d.Round(unit).String()
}
