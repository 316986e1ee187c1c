package catalogue

// Who is told of a failure, when, and what it means for a series.
var failures = []Mutant{
	{
		ID:    "failure-01",
		Fault: "an error that a run returns ends its series",
		File:  "internal/series/grid.go",
		From:  "g.OnError == Continue || g.OnError == StopOnPanic && !abruptly",
		To:    "g.OnError == Continue",
	},
	{
		ID:    "failure-02",
		Fault: "a run that outlives its timeout is told when its body returns, if ever",
		File:  "executor/internal/run/overrun.go",
		From:  "c.Phase() != cell.Running || !pl.Expire(c.Started, ov.Clock.Now())",
		To:    "c.Phase() != cell.Running || pl.Survives(false) || !pl.Expire(c.Started, ov.Clock.Now())",
	},
	{
		ID:    "failure-03",
		Fault: "a panic of a task that somebody has a future of is told to nobody else",
		File:  "executor/internal/run/execution.go",
		From:  "case x.Abrupt:\n o.Report(x.Info(), x.Err)",
	},
	{
		ID:    "failure-04",
		Fault: "a run that has outlived its timeout counts once more as its body returns",
		File:  "executor/internal/run/execution.go",
		From:  "case x.Failed && !x.told:",
		To:    "case x.Failed:",
	},
	{
		ID:    "failure-05",
		Fault: "a pool ends while its handler is being told of a run that has outlived its timeout",
		File:  "executor/internal/run/overrun.go",
		From:  "ov.settling.SettlesLocked()\n ov.Counts.TimedOut++",
		To:    "ov.Counts.TimedOut++",
	},
	{
		ID:    "failure-06",
		Fault: "an error that tells of the panic of another task is taken for a panic",
		File:  "executor/internal/run/execution.go",
		From:  "x.Abrupt = !future.Invoke(x.Ctx, x.Task.Body, &x.Err)",
		To: "x.Abrupt = !future.Invoke(x.Ctx, x.Task.Body, &x.Err)\n" +
			"if _, ok := x.Err.(*future.PanicError); ok { x.Abrupt = true }",
	},
	{
		ID:    "failure-07",
		Fault: "a timeout that comes late is told of the next run",
		File:  "internal/series/watch.go",
		From:  "s.watch != inTime || now-started < int64(s.Timeout)",
		To:    "s.watch != inTime",
	},
	{
		ID:    "failure-08",
		Fault: "each failure of a series that goes on is logged",
		File:  "internal/series/streak.go",
		From:  "s.Length++\n return powerOfTwo(s.Length)",
		To:    "s.Length++\n return true",
	},
	{
		ID:    "failure-09",
		Fault: "a failure in a loop is told to nobody but its future",
		File:  "executor/eventloop/execution.go",
		From:  "defer w.exec.Finish()\n }\n w.exec.Tell()",
		To:    "defer w.exec.Finish()\n }",
	},
}
