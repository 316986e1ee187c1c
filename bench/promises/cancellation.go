package main

import (
	"fmt"
	"strings"
)

// cancellation has the promises about what is cancelled.
func cancellation() []promise {
	return []promise{
		{name: "a cancelled task never begins", program: cancelled(100), judge: judgeCancelled},
		{
			name:    "withdrawn or begun, never both",
			program: lines("open 2", "race 300"),
			judge:   judgeRace,
		},
		{name: "cancelled is gone from the count at once", program: counted(20, 300), judge: judgeCount},
	}
}

// cancelled are tasks that are overdue, and tasks that are not yet due.
func cancelled(n int) string {
	var b strings.Builder
	b.WriteString("open 1\nhold\n")
	for i := range n {
		fmt.Fprintf(&b, "after overdue%d 30ms\nafter later%d 300ms\n", i, i)
	}
	b.WriteString("sleep 100ms\n")
	for i := range n {
		fmt.Fprintf(&b, "cancel overdue%d\ncancel later%d\n", i, i)
	}
	b.WriteString("release\nsleep 500ms\n")
	return b.String()
}

func judgeCancelled(j journal, _ documents) verdict {
	over := map[string]bool{}
	began := 0
	for _, e := range j {
		switch {
		case e.what == "cancelled" && e.a != int64(no):
			over[e.id] = true
		case e.what == "begin" && over[e.id]:
			began++
		}
	}
	if began > 0 {
		return breaks("%d of %d began", began, len(over))
	}
	if len(over) == 0 {
		return breaks("all cancellations are refused")
	}
	return keeps()
}

func judgeRace(j journal, _ documents) verdict {
	e, _ := j.first("raced")
	if e.b > 0 {
		return breaks("both, or neither, in %d of %d rounds", e.b, e.a)
	}
	return keeps()
}

// counted has rounds of tasks that are scheduled, counted, cancelled and counted again.
func counted(rounds, n int) string {
	var b strings.Builder
	b.WriteString("open 1\n")
	for r := range rounds {
		for i := range n {
			fmt.Fprintf(&b, "after t%d-%d 1h\n", r, i)
		}
		b.WriteString("sleep 20ms\ncount\n")
		b.WriteString("sweep\nsleep 20ms\n")
	}
	return b.String()
}

func judgeCount(j journal, _ documents) verdict {
	waiting := 0
	var counts []int64
	worst := int64(0)
	for _, e := range j {
		switch e.what {
		case "asked":
			waiting++
		case "counted":
			counts = append(counts, e.a)
			if len(counts)%2 == 1 && e.a != int64(waiting) {
				return breaks("%d are counted, of %d that wait", e.a, waiting)
			}
			if len(counts)%2 == 0 {
				worst, waiting = max(worst, e.a), 0
			}
		}
	}
	if worst > 0 {
		return breaks("%d of %d are still counted", worst, len(j.all("asked"))/(len(counts)/2))
	}
	return keeps()
}
