package catalogue

// What is recorded of runs, and played again.
var recordings = []Mutant{
	{
		ID:    "recording-01",
		Fault: "a recording tells when a run was planned after the catch-up has moved that",
		File:  "executor/internal/sight/tap.go",
		From:  "s.recorder.Began(x.Task, info, x.Due)",
		To:    "s.recorder.Began(x.Task, info, x.Task.When)",
	},
	{
		ID:    "recording-02",
		Fault: "a slow writer makes the buffer grow without a bound",
		File:  "executor/internal/tape/writer.go",
		From:  "case len(w.buffer) >= mostWaiting:",
		To:    "case len(w.buffer) < 0:",
	},
	{
		ID:    "recording-03",
		Fault: "the rest is not written at the end",
		File:  "executor/internal/tape/writer.go",
		From:  "w.tasks, w.buffer, w.spare = true, nil, nil, nil\n }()\n w.pass()",
		To:    "w.tasks, w.buffer, w.spare = true, nil, nil, nil\n }()",
	},
	{
		ID:    "recording-04",
		Fault: "a writer that has failed is called again and again",
		File:  "executor/internal/tape/writer.go",
		From:  "w.closed = w.closed || failed",
		To:    "",
	},
	{
		ID:    "recording-05",
		Fault: "a replay plays a cancelled series to its end",
		File:  "executor/replay/play.go",
		From:  "p.futures[s.task].Cancel()",
		To:    "",
	},
	{
		ID:    "recording-06",
		Fault: "a series that was moved is played on its grid",
		File:  "executor/replay/play.go",
		From:  "return r.extra || !shifts && min(off, t.spec.Rate-off) > slop",
		To:    "return off < 0 && shifts",
	},
	{
		ID:    "recording-07",
		Fault: "a replayed run succeeds though it failed",
		File:  "executor/replay/play.go",
		From:  "return ErrRecorded\n",
		To:    "return nil\n",
	},
	{
		ID:    "recording-08",
		Fault: "attempts are played as runs of a series",
		File:  "executor/replay/play.go",
		From:  "if r.Attempt > 1 {",
		To:    "if r.Attempt > 9 {",
	},
}
