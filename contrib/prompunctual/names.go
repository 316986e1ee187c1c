package prompunctual

import (
	"strings"

	"github.com/punctual-go/punctual/executor/metrics"
)

// names has the stems that are not made by rule: a moment is a timestamp, what is counted is said
// where it is not a run or task, and a gauge must not look like the count of a histogram.
var names = map[string]string{
	"punctual.run.late.time":     "punctual_run_late",
	"punctual.run.missed":        "punctual_run_missed_periods",
	"punctual.task.last_success": "punctual_task_last_success_timestamp",
	"punctual.task.next_run":     "punctual_task_next_run_timestamp",
	"punctual.worker.count":      "punctual_workers",
}

// nameOf returns the name of a metric in Prometheus: its stem, its unit, and "total" if it counts.
func nameOf(m metrics.Metric) string {
	name, ok := names[m.Name]
	if !ok {
		name = strings.ReplaceAll(m.Name, ".", "_")
	}
	if m.Unit == "s" {
		name += "_seconds"
	}
	if m.Kind == metrics.Counter {
		name += "_total"
	}
	return name
}
