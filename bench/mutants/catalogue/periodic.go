package catalogue

// The arithmetic of time.
var periodic = []Mutant{
	{
		ID:    "time-01",
		Fault: "Skip drops the slot that falls on the very end of a run",
		File:  "internal/series/policy.go",
		From:  "passed = ceil(late-uint64(every)-window, period)",
		To:    "passed = ceil(late-uint64(every)-window+1, period)",
	},
	{
		ID:    "time-02",
		Fault: "Skip shifts the phase: it counts from the end of the late run",
		File:  "internal/series/policy.go",
		From:  "s.slot = clock.Later(s.last, time.Duration(every))\n return",
		To:    "s.slot = clock.Later(ended, time.Duration(every))\n return",
	},
	{
		ID:    "time-03",
		Fault: "Coalesce runs once for all that was missed, and then for each once more",
		File:  "internal/series/series.go",
		From:  "s.slot += passed * s.period()\n return at",
		To:    "return at",
	},
	{
		ID:    "time-04",
		Fault: "a fixed delay is counted from the plan of the run, not from its end",
		File:  "internal/series/series.go",
		From:  "s.slot = clock.Later(ended, time.Duration(every))",
		To:    "s.slot = clock.Later(s.slot, time.Duration(every))",
	},
	{
		ID:    "time-05",
		Fault: "a time past the end of the clock wraps, and lies in the past",
		File:  "internal/clock/clock.go",
		From:  "if t > Never-int64(d) { return Never }",
	},
	{
		ID:    "time-06",
		Fault: "a series has one run more than it may",
		File:  "internal/series/series.go",
		From:  "s.Runs-s.extras >= s.MaxRuns",
		To:    "s.Runs-s.extras > s.MaxRuns",
	},
	{
		ID:    "time-07",
		Fault: "jitter adds up from run to run",
		File:  "internal/series/series.go",
		From:  "return s.disturbed(s.slot, 0)",
		To:    "s.slot = s.disturbed(s.slot, 0); return s.slot",
	},
	{
		ID:    "time-08",
		Fault: "a series tells missed runs that its next run has nothing to do with",
		File:  "internal/series/series.go",
		From:  "s.Missed, s.dropped, s.shifted = s.dropped+s.lapsed, 0, 0",
		To:    "s.dropped, s.shifted = 0, 0",
	},
	{
		ID:    "time-09",
		Fault: "Skip judges by the slot, though the jitter has put off the run",
		File:  "internal/series/policy.go",
		From:  "uint64(s.period()), uint64(s.window())",
		To:    "uint64(s.period()), uint64(0)",
	},
	{
		ID:    "time-10",
		Fault: "a run of a series starts at a time that was read before the last had ended",
		File:  "executor/internal/run/execution.go",
		From:  "if now <= pl.Ended || now < c.When {",
		To:    "if now < c.When {",
	},
	{
		ID:    "time-11",
		Fault: "a late run counts for a time after the end of its series",
		File:  "internal/series/grid.go",
		From:  "g.until == 0 || off < g.until-at {",
		To:    "g.until == 0 || off >= 0 {",
	},
}
