package metrics

import "github.com/punctual-go/punctual/executor/insight"

// Kind says what the values of a metric are.
type Kind uint8

// The kinds of metrics.
const (
	Counter       Kind = iota + 1 // only grows; its rate is of interest
	UpDownCounter                 // how many there are now; sums make sense
	Gauge                         // as it is now; sums make no sense
	Histogram                     // durations, as counts in buckets
)

// String returns the name of the kind: "counter", "updowncounter", "gauge" or "histogram".
func (k Kind) String() string {
	switch k {
	case Counter:
		return "counter"
	case UpDownCounter:
		return "updowncounter"
	case Gauge:
		return "gauge"
	case Histogram:
		return "histogram"
	}
	return "unknown"
}

// Metric is a row of the table: what is told, without the values.
type Metric struct {
	Name       string   // such as "punctual.run.duration"
	Unit       string   // of UCUM: "s", "1", "{run}"
	Kind       Kind     //
	Help       string   // what it is, in a sentence
	Attributes []string // by which points are told apart; "pool" is the first
}

// Family is a metric with its values of one moment.
type Family struct {
	Metric
	Points []Point // none if no pool has the figure
}

// Point is one value.
type Point struct {
	Attributes []string           // values, in the order of Metric.Attributes
	Value      float64            // for all kinds but Histogram
	Histogram  *insight.Histogram // for that kind; to be read only
}

// Table returns all metrics, without values. The order stays.
func Table() []Metric {
	all := make([]Metric, len(table))
	for i, row := range table {
		all[i] = row.Metric
	}
	return all
}
