package catalogue

// Who is told of a failure, when, and what it means for a series.
var failures = []Mutant{
	{
		ID:    "failure-01",
		Fault: "an error that a run returns ends its series",
		File:  "internal/series/series.go",
		From:  "s.OnError == Continue || s.OnError == StopOnPanic && !abruptly",
		To:    "s.OnError == Continue",
	},
	{
		ID:    "failure-02",
		Fault: "a run that outlives its time-out is told when its body returns, if ever",
		File:  "executor/host.go",
		From:  "c.Phase() != cell.Running || !pl.Expire(c.Started, p.clock.Now())",
		To:    "c.Phase() != cell.Running || pl.Survives(false) || !pl.Expire(c.Started, p.clock.Now())",
	},
	{
		ID:    "failure-03",
		Fault: "a panic of a task that somebody has a future of is told to nobody else",
		File:  "executor/execution.go",
		From:  "case x.abrupt:\n p.report(run, x.err)",
	},
	{
		ID:    "failure-04",
		Fault: "a run that has outlived its time-out counts once more as its body returns",
		File:  "executor/execution.go",
		From:  "if x.failed && !x.told { p.counts.failures++ }",
		To:    "if x.failed { p.counts.failures++ }",
	},
	{
		ID:    "failure-05",
		Fault: "a pool ends while its handler is being told of a run that has outlived its time-out",
		File:  "executor/host.go",
		From:  "p.settling++\n o.Run = p.describe(c)",
		To:    "o.Run = p.describe(c)",
	},
	{
		ID:    "failure-06",
		Fault: "an error that tells of the panic of another task is taken for a panic",
		File:  "executor/execution.go",
		From:  "x.abrupt = !future.Invoke(x.ctx, c.Body, &x.err)",
		To: "x.abrupt = !future.Invoke(x.ctx, c.Body, &x.err)\n" +
			"if _, ok := x.err.(*future.PanicError); ok { x.abrupt = true }",
	},
	{
		ID:    "failure-07",
		Fault: "a time-out that comes late is told of the next run",
		File:  "internal/series/watch.go",
		From:  "s.watch != inTime || now-started < int64(s.Timeout)",
		To:    "s.watch != inTime",
	},
	{
		ID:    "failure-08",
		Fault: "each failure of a series that goes on is logged",
		File:  "internal/series/streak.go",
		From:  "s.failures++\n return powerOfTwo(s.failures)",
		To:    "s.failures++\n return true",
	},
	{
		ID:    "failure-09",
		Fault: "a panic of a task of a loop is told to nobody but its future",
		File:  "executor/eventloop/execution.go",
		From:  "case x.abrupt:\n l.report(l.runOf(x.task), x.err)",
	},
}
