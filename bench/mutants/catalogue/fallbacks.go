package catalogue

var fallbacks = []Mutant{
	{
		ID:    "fallback-01",
		Fault: "a failure of the body is taken for lateness",
		File:  "executor/internal/run/overtime.go",
		From:  "pl.Late != nil && cell.Matches(err, pl.Late)",
		To:    "pl.Late != nil",
	},
	{
		ID:    "fallback-02",
		Fault: "a fallback hides that a late run has ended a series",
		File:  "executor/internal/run/overtime.go",
		From:  "return !pl.Periodic() && (",
		To:    "return (",
	},
}
