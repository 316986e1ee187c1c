package catalogue

// Where two options, or an option and a command, meet.
var meetings = []Mutant{
	{
		ID:    "meet-01",
		Fault: "a zone that is loaded again, in another season, makes another calendar of the same",
		File:  "internal/identity/identity.go",
		From:  "_, offsetA := sample.In(a).Zone() _, offsetB := sample.In(b).Zone() return offsetA == offsetB",
		To:    "return reflect.DeepEqual(a, b)",
	},
	{
		ID:    "meet-02",
		Fault: "a job whose last time has passed keeps all others from being applied",
		File:  "executor/apply.go",
		From:  "case old == nil || !w.same() && w.replaces():",
		To:    "case old == nil || w.over != nil || !w.same() && w.replaces():",
	},
	{
		ID:    "meet-03",
		Fault: "a job goes by how it compares with one that has been replaced meanwhile",
		File:  "executor/samejob.go",
		From:  "if w.like.to != p.jobs[w.Name] {",
		To:    "if w.like.to == nil && p.jobs[w.Name] != nil {",
	},
	{
		ID:    "meet-04",
		Fault: "what is due after virtual time has stopped keeps a worker busy",
		File:  "internal/clock/clock.go",
		From:  "if t >= c.end {",
		To:    "if t == Never {",
	},
	{
		ID:    "meet-05",
		Fault: "the handle of a series that has ended keeps its calendar",
		File:  "executor/internal/run/register.go",
		From:  "pl.LetGo()",
		To:    "",
	},
	{
		ID:    "meet-06",
		Fault: "a sleep that was meant is told as a slow wake-up",
		File:  "internal/parking/lot.go",
		From:  "l.leader, l.woke, l.meant = nil, woke, min(l.armed, woke)",
		To:    "l.leader, l.woke = nil, woke",
	},
	{
		ID:    "meet-07",
		Fault: "the sum of the lateness of a long backlog is negative",
		File:  "internal/lateness/histogram.go",
		From:  "h.Sum = Added(h.Sum, d)",
		To:    "h.Sum += d",
	},
	{
		ID:    "meet-08",
		Fault: "a series that has given up after failures is in good health",
		File:  "executor/internal/run/expect.go",
		From:  "return e.plan.Paused() && !e.plan.GaveUp()",
		To:    "return e.plan.Paused()",
	},
	{
		ID:    "meet-09",
		Fault: "a run that has expired counts as one that began in time",
		File:  "executor/internal/run/expect.go",
		From:  "*slot = x.skip == tardy || x.Task.Started",
		To:    "*slot = x.Task.Started",
	},
	{
		ID:    "meet-10",
		Fault: "a series of which nothing is expected dies in good health",
		File:  "executor/internal/run/execution.go",
		From:  "o.bury(pl)",
		To:    "",
	},
}
