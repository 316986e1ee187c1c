package catalogue

// What stands upon the pools to make them easier to use.
var ease = []Mutant{
	{
		ID:    "ease-01",
		Fault: "nobody is told of the failure of a task that was given to Execute with an option",
		File:  "executor/submit.go",
		From:  "pl.Reports = true",
		To:    "pl.Reports = false",
	},
	{
		ID:    "ease-02",
		Fault: "an overrun of a task without a future is told only when its body returns",
		File:  "executor/internal/run/overrun.go",
		From:  "case pl.Reports:",
		To:    "case false:",
	},
	{
		ID:    "ease-03",
		Fault: "an overrun of a task without a future is told twice",
		File:  "executor/internal/run/execution.go",
		From:  "case x.Failed && pl.Reports: if !x.told || x.Abrupt {",
		To:    "case x.Failed && pl.Reports: {",
	},
	{
		ID:    "ease-04",
		Fault: "a task that is given to a Serial with an option, and without a future, is not in its order",
		File:  "executor/serial.go",
		From:  "pl == p.executed { c.Plan = l.executed.Cells() } else {",
		To:    "pl == p.executed { c.Plan = l.executed.Cells() } else if false {",
	},
}
