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
	{
		ID:    "ease-05",
		Fault: "a task that runs its own pool waits for itself",
		File:  "executor/service.go",
		From:  "if p.outlives(context.Background()) {",
		To:    "if false {",
	},
	{
		ID:    "ease-06",
		Fault: "a pool that somebody else has shut down still counts as a running service",
		File:  "executor/service.go",
		From:  "case <-p.closing.Done():",
		To:    "case <-chan struct{}(nil):",
	},
	{
		ID:    "ease-07",
		Fault: "a service without a task fails if its workers need a moment to leave",
		File:  "executor/service.go",
		From:  "if err == nil || running+dropped == 0 {",
		To:    "if err == nil {",
	},
}
