package metrics

import (
	"time"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor/metrics"
)

// The types of the table, which are those of package executor/metrics.
type (
	Metric = metrics.Metric // a row of the table: what is told, without the values
	Family = metrics.Family // a metric with its values of one moment
	Point  = metrics.Point  // one value
)

// OverdueBy is from when on a series counts as overdue: longer than its runs are late by the death
// of a worker, with the default lease, or by that of the leading server.
const OverdueBy = 30 * time.Second

// row is a metric, and how it is read from what has been seen of a pool.
type row struct {
	Metric
	read func(*sight, *points)
}

// The rows that say how old the others are, which a [Reader] writes itself if it cannot read.
const (
	up = iota
	lastRead
)

var table = []row{
	{metric("punctual.cluster.up", "1", metrics.Gauge,
		"Whether the figures were read when they were asked for: 1 if they were.", ofPool),
		func(_ *sight, to *points) { to.add(1) }},
	{metric("punctual.cluster.last_read", "s", metrics.Gauge,
		"When the figures were read, in seconds since 1970.", ofPool),
		func(s *sight, to *points) { to.add(seconds(s.at)) }},

	{metric("punctual.cluster.tasks", "{task}", metrics.UpDownCounter,
		"Tasks and series, by whether they wait for their time, are due, or are held by workers.",
		[]string{pool, "task", "state"}), readTasks},
	{metric("punctual.cluster.task.oldest", "s", metrics.Gauge,
		"For how long the oldest task waits for a worker that is due; 0 if none is.", ofTask),
		greatest(func(t *cluster.TaskSummary) float64 { return t.Age.Seconds() })},
	{metric("punctual.cluster.task.repeated", "{task}", metrics.UpDownCounter,
		"Tasks that are held and were given out before, as their worker died or gave them back.", ofTask),
		each(func(t *cluster.TaskSummary) float64 { return float64(t.Repeated) })},
	{metric("punctual.cluster.task.workers", "{worker}", metrics.UpDownCounter,
		"Processes that serve the task.", ofTask),
		greatest(func(t *cluster.TaskSummary) float64 { return float64(t.Workers) })},
	{metric("punctual.cluster.task.failed", "{task}", metrics.UpDownCounter,
		"Tasks in the failed set.", ofTask), readFailed},

	{metric("punctual.cluster.workers", "{worker}", metrics.UpDownCounter,
		"Processes that serve, by whether they are about to end.",
		[]string{pool, "state"}), readWorkers},
	{metric("punctual.cluster.slots", "{slot}", metrics.UpDownCounter,
		"How many tasks all workers together can run at once, by whether they run one.",
		[]string{pool, "state"}), readSlots},

	{metric("punctual.cluster.series.count", "{series}", metrics.UpDownCounter,
		"Series, by whether they are paused.", []string{pool, "task", "state"}), readSeries},
	{metric("punctual.cluster.series.overdue", "{series}", metrics.UpDownCounter,
		"Series whose next run should have begun half a minute ago or longer.", ofTask),
		eachSeries(func(t *cluster.TaskSeriesStats) float64 { return float64(t.Overdue) })},
	{metric("punctual.cluster.series.failing", "{series}", metrics.UpDownCounter,
		"Series whose last run has failed.", ofTask),
		eachSeries(func(t *cluster.TaskSeriesStats) float64 { return float64(t.Failing) })},
	{metric("punctual.cluster.series.lateness", "s", metrics.Gauge,
		"How late the latest run began of those that have ended within the last minute.", ofTask),
		readLateness},
	{metric("punctual.cluster.series.delay", "s", metrics.Gauge,
		"For how long the next run of a series should have begun, of the twenty most overdue ones.",
		[]string{pool, "task", "series"}), readDelays},
	{metric("punctual.cluster.series.most_overdue", "s", metrics.Gauge,
		"For how long the next run of the most overdue series should have begun; 0 if none is overdue.",
		ofPool), readMostOverdue},

	{metric("punctual.cluster.healed", "{task}", metrics.Counter,
		"Tasks that the server had forgotten, and that were queued again.", ofPool),
		func(s *sight, to *points) { to.add(float64(s.stats.Healed)) }},
	{metric("punctual.cluster.stored.messages", "{message}", metrics.UpDownCounter,
		"Messages of the queue: one for each task without an outcome, and for each series.", ofPool),
		func(s *sight, to *points) { to.add(float64(s.stats.Stored)) }},
	{metric("punctual.cluster.stored.size", "By", metrics.UpDownCounter,
		"What the queue takes on each replica.", ofPool),
		func(s *sight, to *points) { to.add(float64(s.stats.Bytes)) }},
}

const pool = "pool"

var ofPool, ofTask = []string{pool}, []string{pool, "task"}

func metric(name, unit string, kind metrics.Kind, help string, attributes []string) Metric {
	return Metric{Name: name, Unit: unit, Kind: kind, Help: help, Attributes: attributes}
}

// Table returns all metrics, without values. The order stays.
func Table() []Metric {
	all := make([]Metric, len(table))
	for i, row := range table {
		all[i] = row.Metric
	}
	return all
}
