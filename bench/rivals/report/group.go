package report

import "slices"

// group is the workloads that share a table.
type group struct {
	title string
	kinds []string
}

var groups = []group{
	{"Timers", []string{"schedule-cancel", "soon", "due", "cancelled"}},
	{"Timers from many goroutines", []string{"pairs"}},
	{"Timeouts of requests", []string{"timeouts"}},
	{"Pools", []string{"execute", "submit-get", "fan-out", "service"}},
	{"Pools from many goroutines", []string{"producers", "askers", "bounded"}},
	{"Periodic work", []string{"lateness", "mixed", "served", "busy"}},
	{"What it costs to be pending", []string{"pending", "allocations", "idle", "pools", "shutdown"}},
}

// column is one figure of one workload.
type column struct {
	*Workload
	figure Figure
}

// columns returns those of the group that this run has, in the order of the group.
func (g group) columns(r *Report) (cs []column) {
	for _, kind := range g.kinds {
		for i := range r.Workloads {
			if w := &r.Workloads[i]; w.Kind == kind {
				for _, f := range w.Figures {
					cs = append(cs, column{w, f})
				}
			}
		}
	}
	return cs
}

// rows returns the systems that have done something of the columns, or have tried to.
func rows(r *Report, cs []column) (names []string) {
	for _, s := range r.Systems {
		if slices.ContainsFunc(cs, func(c column) bool {
			result := c.result(s.Name)
			return result != nil && (result.Failure != "" || len(result.Summary) > 0)
		}) {
			names = append(names, s.Name)
		}
	}
	return names
}

// head tells the workload and the figure apart, if there is more than one.
func (c column) head() string {
	if c.figure.Title != "" {
		return c.Name + ": " + c.figure.text()
	}
	return c.Name + ", " + c.figure.text()
}

// cells returns the medians of the column as text, by system. The best is bold, unless there is no
// choice, or most are as good.
func (c column) cells() map[string]string {
	cells := map[string]string{}
	var best *Summary
	for _, result := range c.Results {
		s := result.Summary[c.figure.Name]
		if s == nil {
			continue
		}
		if best == nil || s.Median < best.Median {
			best = s
		}
		cells[result.System] = number(s.Median)
	}
	var winners []string
	for system, cell := range cells {
		if cell == number(best.Median) {
			winners = append(winners, system)
		}
	}
	if 2*len(winners) > len(cells) {
		return cells
	}
	for _, system := range winners {
		cells[system] = "**" + cells[system] + "**"
	}
	return cells
}
