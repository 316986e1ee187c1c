package catalogue

// runLog are faults in what is kept of the runs that log.
var runLog = []Mutant{
	{
		ID:    "runlog-01",
		Fault: "lines of the level from which on they are kept are not",
		File:  "executor/runlog/handler.go",
		From:  "level >= r.log.level.Level()",
		To:    "level > r.log.level.Level()",
	},
	{
		ID:    "runlog-02",
		Fault: "of many lines the last replaces the first for ever",
		File:  "executor/runlog/record.go",
		From:  "r.first = (r.first + 1) % len(r.lines)",
		To:    "r.first = 0",
	},
	{
		ID:    "runlog-03",
		Fault: "what is forgotten stays counted",
		File:  "executor/runlog/record.go",
		From:  "r.growLocked(-r.bytes)",
		To:    "r.growLocked(0)",
	},
	{
		ID:    "runlog-04",
		Fault: "a run that is forgotten keeps its later lines",
		File:  "executor/runlog/record.go",
		From:  "if r.forgotten {",
		To:    "if false {",
	},
	{
		ID:    "runlog-05",
		Fault: "a run that goes on is forgotten before one that has ended",
		File:  "executor/runlog/log.go",
		From:  "cmp.Or(firstBut(&l.ended, r), firstBut(&l.running, r))",
		To:    "cmp.Or(firstBut(&l.running, r), firstBut(&l.ended, r))",
	},
	{
		ID:    "runlog-06",
		Fault: "a run that has ended still says how far it is",
		File:  "executor/runlog/log.go",
		From:  "r.over = true",
		To:    "r.over = r.place == nil",
	},
}
