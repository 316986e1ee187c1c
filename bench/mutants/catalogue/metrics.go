package catalogue

// What monitoring systems are told.
var metrics = []Mutant{
	{
		ID:    "metrics-01",
		Fault: "what tasks with names have done is also told of those without",
		File:  "executor/metrics/tasks.go",
		From:  "subtract(&rest.Took, &t.Took)",
		To:    "",
	},
	{
		ID:    "metrics-02",
		Fault: "two tasks whose names look the same have two points",
		File:  "executor/metrics/tasks.go",
		From:  "if i, ok := index[t.Name]; ok {",
		To:    "if i, ok := index[t.Name]; ok && i < 0 {",
	},
	{
		ID:    "metrics-03",
		Fault: "two pools of one name are taken for two",
		File:  "executor/metrics/set.go",
		From:  "if other.name == next.name {",
		To:    "if other.name == next.name && next.name != \"\" {",
	},
	{
		ID:    "metrics-04",
		Fault: "a name that is not UTF-8 is told as it is",
		File:  "executor/metrics/source.go",
		From:  "if utf8.ValidString(name) {",
		To:    "if true {",
	},
	{
		ID:    "metrics-05",
		Fault: "the health of tasks beyond the bound is forgotten",
		File:  "executor/metrics/health.go",
		From:  "bounded(worst, math.Max)",
		To:    "bounded(worst, math.Min)",
	},
	{
		ID:    "metrics-06",
		Fault: "of several tasks of one name the health of the last is told",
		File:  "executor/metrics/health.go",
		From:  "worst[name] = max(worst[name], stateValue(t.State))",
		To:    "worst[name] = stateValue(t.State)",
	},
	{
		ID:    "metrics-07",
		Fault: "tasks on helpers make workers idle that are not there",
		File:  "executor/metrics/read.go",
		From:  "busy := min(s.Busy, s.Workers)",
		To:    "busy := s.Busy",
	},
	{
		ID:    "metrics-08",
		Fault: "a scheduled pool has no limit of workers",
		File:  "executor/metrics/sight.go",
		From:  "s.Maximum = max(s.Core, 1)",
		To:    "",
	},
	{
		ID:    "metrics-09",
		Fault: "the quantiles of tasks without names are those of all",
		File:  "executor/metrics/tasks.go",
		From:  "limit(&rest.Took)",
		To:    "",
	},
	{
		ID:    "metrics-10",
		Fault: "of names that look the same the first success is told",
		File:  "executor/metrics/tasks.go",
		From:  "t.LastSuccess.After(sum.LastSuccess)",
		To:    "t.LastSuccess.Before(sum.LastSuccess)",
	},
}
