// Package draw shows a plan: as text, and as a picture. In both there is a row for each job,
// columns are elapsed time, so a day of 23 hours is narrower than others, and a strip tells how
// many workers are busy.
package draw

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/bench/preview/plan"
)

// Chart is a plan, and how to show it.
type Chart struct {
	Plan *plan.Plan
	Sums *plan.Sums
	Zone *time.Location // of the hours
	Rows int            // for jobs, at most; others share one
}

// row is a job, or the jobs that share the last row.
type row struct {
	name, line, estimate string
	runs                 []plan.Run // in order of time
	job                  int        // -1 for the last row
	dense                bool       // its runs are too many to be told apart
}

// rows returns the rows, in the order of the jobs. If there are too many, those stay that wait
// most, then those that work most.
func (c *Chart) rows() []row {
	all := make([]row, len(c.Plan.Jobs))
	for i, j := range c.Plan.Jobs {
		all[i] = row{name: j.Name, line: j.Line, estimate: estimate(j.Estimate), job: i}
	}
	for _, r := range c.Plan.Runs {
		all[r.Job].runs = append(all[r.Job].runs, r)
	}
	for i := range all {
		all[i].dense = all[i].isDense()
	}
	if len(all) <= c.Rows {
		return all
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b row) int { return cmp.Compare(b.weight(), a.weight()) })
	kept, others := ranked[:c.Rows-1], ranked[c.Rows-1:]
	slices.SortFunc(kept, func(a, b row) int { return cmp.Compare(a.job, b.job) })
	return append(kept, shared(others))
}

// shared joins rows to one.
func shared(rows []row) row {
	one := row{name: fmt.Sprintf("%s others", number(len(rows))), job: -1, dense: true}
	for _, r := range rows {
		one.runs = append(one.runs, r.runs...)
	}
	slices.SortStableFunc(one.runs, func(a, b plan.Run) int { return cmp.Compare(a.Start, b.Start) })
	return one
}

// isDense reports whether most runs are due less than a minute after the one before.
func (r row) isDense() bool {
	n := len(r.runs)
	return n > 2 && (r.runs[n-1].Due-r.runs[0].Due)/time.Duration(n-1) < plan.Dense
}

// weight says how much there is to see in a row: waits are what one looks for.
func (r row) weight() (w time.Duration) {
	for _, run := range r.runs {
		w += 100*(run.Start-run.Due) + run.End - run.Start
	}
	return w
}

func (c *Chart) length() time.Duration { return c.Plan.Window.Length() }

// days reports whether the window has several dates, so that times need the day.
func (c *Chart) days() bool {
	w := c.Plan.Window
	return w.From.In(c.Zone).Format(time.DateOnly) != w.To.Add(-1).In(c.Zone).Format(time.DateOnly)
}

// zone tells the zone.
func (c *Chart) zone() string {
	if c.Zone != time.Local {
		return c.Zone.String()
	}
	name, _ := c.Plan.Window.From.In(c.Zone).Zone()
	return name + ", the local zone"
}
