package promcluster

import (
	"strings"

	"github.com/punctual-go/punctual/cluster/metrics"
)

// names has the stems that are not made by rule: a moment is a timestamp, the unit says what a size
// is, and a gauge must not look like the count of a histogram.
var names = map[string]string{
	"punctual.cluster.last_read":    "punctual_cluster_last_read_timestamp",
	"punctual.cluster.series.count": "punctual_cluster_series",
	"punctual.cluster.stored.size":  "punctual_cluster_stored",
}

// nameOf returns the name of a metric in Prometheus: its stem, its unit, and "total" if it counts.
func nameOf(m metrics.Metric) string {
	name, ok := names[m.Name]
	if !ok {
		name = strings.ReplaceAll(m.Name, ".", "_")
	}
	switch m.Unit {
	case "s":
		name += "_seconds"
	case "By":
		name += "_bytes"
	}
	if counts(m) {
		name += "_total"
	}
	return name
}

// counts tells whether a metric only grows.
func counts(m metrics.Metric) bool { return m.Kind.String() == "counter" }
