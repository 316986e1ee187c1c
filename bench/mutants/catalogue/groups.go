package catalogue

// Tasks that stand and fall together, that run one after another, and that come of each other.
var groups = []Mutant{
	{
		ID:    "group-01",
		Fault: "a member of a group begins after the context has ended, if nobody has told the group yet",
		File:  "executor/bulk/group.go",
		From:  "if err := g.end(); err != nil { f.CancelCause(err)",
		To:    "if _, err := g.derived(); err != nil { f.CancelCause(err)",
	},
	{
		ID:    "group-02",
		Fault: "a member of a group that has been taken and does not begin counts as failed",
		File:  "executor/bulk/group.go",
		From:  "if err := g.end(); err != nil { f.CancelCause(err)",
		To:    "if err := g.end(); err != nil {",
	},
	{
		ID:    "group-03",
		Fault: "keys that have had tasks keep their room for ever",
		File:  "executor/internal/engine/shrinkingmap.go",
		From:  "m.entries, m.most = kept, left",
		To:    "m.most = left",
	},
	{
		ID:    "group-04",
		Fault: "keys that have tasks are forgotten with those that have none any more",
		File:  "executor/internal/engine/shrinkingmap.go",
		From:  "if left > 0 {",
		To:    "if left < 0 {",
	},
	{
		ID:    "group-05",
		Fault: "the plan of a key asks the base context with the lock of the pool held",
		File:  "executor/internal/run/maker.go",
		From:  `if options.Name != "" {`,
		To:    `if options.Name != "" || m.Name != "" {`,
	},
	{
		ID:    "group-06",
		Fault: "of a chain of futures each settles the next from inside of its own end",
		File:  "internal/cell/watch.go",
		From:  "next = w.to.Release()",
		To:    "w.to.Wake()",
	},
	{
		ID:    "group-07",
		Fault: "an error whose methods panic is asked what it is without care",
		File:  "internal/cell/matches.go",
		From:  "if recover() != nil {",
		To:    "if v := recover(); v != nil { panic(v)",
	},
}
