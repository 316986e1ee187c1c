package prompunctual

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/metrics"
)

// Micrometer lists the names that [Options.Micrometer] adds, as Micrometer's registry for
// Prometheus spells them. Their one label is "name", the name of the pool.
//
//	executor_active_threads         runs in progress
//	executor_completed_tasks_total  bodies that have ended: a ThreadPoolExecutor counts each run too
//	executor_queued_tasks           tasks that wait, also those that are not due
//	executor_pool_size_threads      workers present
//	executor_pool_core_threads      the core size
//	executor_pool_max_threads       the maximum size; without one, Java's 2147483647
//	executor_seconds                histogram of how long runs take, with Watch
//
// Left out is what pools do not know: the room left in a queue, the maximum of a sliding window,
// and executor_idle_seconds, the time that tasks have waited, which says nothing of tasks with a
// time. punctual_run_lateness_seconds is to be used in its place.
func Micrometer() []string {
	list := make([]string, len(micrometer))
	for i, row := range micrometer {
		list[i] = row.name
	}
	return list
}

// translation is a metric of Micrometer's. It adds up what a pool has under another name.
type translation struct {
	name, help string
	from       string
	kind       prometheus.ValueType // not for histograms
}

const inJava = math.MaxInt32 // as a size: there is no bound

const limit = "punctual.worker.limit"

var micrometer = []translation{
	{"executor_active_threads", "Runs in progress.", "punctual.run.active",
		prometheus.GaugeValue},
	{"executor_completed_tasks_total", "Bodies of tasks that have ended.", "punctual.runs",
		prometheus.CounterValue},
	{"executor_queued_tasks", "Tasks that wait.", "punctual.task.queued",
		prometheus.GaugeValue},
	{"executor_pool_size_threads", "Workers present.", "punctual.worker.count",
		prometheus.GaugeValue},
	{"executor_pool_core_threads", "The core size.", "punctual.worker.core",
		prometheus.GaugeValue},
	{"executor_pool_max_threads", "The maximum size.", limit,
		prometheus.GaugeValue},
	{"executor_seconds", "How long runs take.", "punctual.run.duration", 0},
}

func describeMicrometer(pool string) (descs []*prometheus.Desc) {
	for _, row := range micrometer {
		descs = append(descs, prometheus.NewDesc(row.name, row.help, nil,
			prometheus.Labels{"name": pool}))
	}
	return descs
}

// collectMicrometer tells the same once more.
func (c *Collector) collectMicrometer(families []metrics.Family, to chan<- prometheus.Metric) {
	for _, pool := range c.set.Pools() {
		for i, desc := range c.pools[pool].micrometer {
			row := micrometer[i]
			value, h, ok := sumOf(families, row.from, pool)
			switch {
			case h != nil:
				to <- c.metric(desc, metrics.Histogram, metrics.Point{
					Attributes: []string{pool}, Histogram: h})
			case row.from == limit && !ok:
				to <- prometheus.MustNewConstMetric(desc, row.kind, inJava)
			case ok:
				to <- prometheus.MustNewConstMetric(desc, row.kind, value)
			}
		}
	}
}

// sumOf adds up the points of a pool, and reports whether there are any.
func sumOf(families []metrics.Family, name, pool string) (
	sum float64, h *insight.Histogram, ok bool,
) {
	for _, f := range families {
		if f.Name != name {
			continue
		}
		for _, p := range f.Points {
			if p.Attributes[0] != pool {
				continue
			}
			sum, ok = sum+p.Value, true
			h = plus(h, p.Histogram)
		}
	}
	return sum, h, ok
}

// plus returns the sum of two histograms, without changing them. Either may be nil.
func plus(a, b *insight.Histogram) *insight.Histogram {
	switch {
	case b == nil:
		return a
	case a == nil:
		return b
	}
	sum := *a
	for i, n := range b.Counts {
		sum.Counts[i] += n
	}
	if sum.Sum += b.Sum; sum.Sum < 0 { // beyond the longest duration
		sum.Sum = math.MaxInt64
	}
	sum.Max = max(a.Max, b.Max)
	return &sum
}
