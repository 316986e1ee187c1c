package metrics

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// row is a metric, and how it is read from what has been seen of a pool.
type row struct {
	Metric
	read func(*sight, *points)
}

var table = []row{
	{Metric{"punctual.runs", "{run}", Counter,
		"Bodies of tasks that have ended; each run of a series and each attempt counts.", ofPool},
		one(func(s *sight) float64 { return float64(s.Runs) })},
	{Metric{"punctual.run.failures", "{run}", Counter,
		"Runs that have failed, by timeout too.", ofTask},
		counted(func(t *insight.TaskMeasurements) uint64 { return t.Failures })},
	{Metric{"punctual.run.retries", "{attempt}", Counter,
		"Failed attempts that another has followed.", ofPool},
		one(func(s *sight) float64 { return float64(s.Retries) })},
	{Metric{"punctual.run.expired", "{run}", Counter,
		"Runs that have not begun because it was too late for them.", ofTask},
		counted(func(t *insight.TaskMeasurements) uint64 { return t.Expired })},
	{Metric{"punctual.run.skipped", "{run}", Counter,
		"Runs that have left their work out, which is no failure.", ofTask},
		counted(func(t *insight.TaskMeasurements) uint64 { return t.Skipped })},
	{Metric{"punctual.run.timeouts", "{run}", Counter,
		"Runs that have exceeded their timeout.", ofPool},
		one(func(s *sight) float64 { return float64(s.TimedOut) })},
	{Metric{"punctual.run.missed", "{period}", Counter,
		"Periods of periodic tasks that got no run of their own.", ofTask},
		each(func(t *insight.TaskMeasurements) float64 { return float64(t.Missed) })},
	{Metric{"punctual.run.duration", "s", Histogram,
		"How long runs take, from when they begin to the end of their bodies.", ofTask},
		histograms(func(t *insight.TaskMeasurements) *insight.Histogram { return &t.Took })},
	{Metric{"punctual.run.lateness", "s", Histogram,
		"How late runs begin, from when they are due.", ofTask},
		histograms(func(t *insight.TaskMeasurements) *insight.Histogram { return &t.Late })},
	{Metric{"punctual.run.late.time", "s", Counter,
		"What late and expired runs have waited for, as far as they were explained.",
		[]string{pool, "cause"}}, readReasons},
	{Metric{"punctual.run.late.unexplained", "{run}", Counter,
		"Late and expired runs that were not explained, because there were too many.", ofPool},
		ifMeasured(func(s *sight) float64 { return float64(s.Unexplained) })},
	{Metric{"punctual.run.active", "{run}", UpDownCounter,
		"Runs in progress.", ofPool},
		one(func(s *sight) float64 { return float64(s.Busy) })},
	{Metric{"punctual.run.overrunning", "{run}", UpDownCounter,
		"Runs in progress that have exceeded their timeout.", ofPool}, readOverrunning},
	{Metric{"punctual.run.longest", "s", Gauge,
		"For how long the longest run in progress has been running.", ofPool},
		ifMeasured(func(s *sight) float64 { return s.longest.Seconds() })},
	{Metric{"punctual.run.progress", "1", Gauge,
		"How far the run in progress of a task says it is, from 0 to 1; of several, the least far.",
		ofTask}, readProgress},
	{Metric{"punctual.tasks", "{task}", Counter,
		"Tasks, by what has become of them.", []string{pool, "result"}}, readTasks},
	{Metric{"punctual.task.queued", "{task}", UpDownCounter,
		"Tasks that wait, also those that are not due.", ofPool},
		one(func(s *sight) float64 { return float64(s.Queued) })},
	{Metric{"punctual.queue.overdue", "s", Gauge,
		"For how long the task has been due that is due next; 0 if none is.", ofPool}, readOverdue},
	{Metric{"punctual.submitter.blocked", "{submitter}", UpDownCounter,
		"Submitters that wait for room.", ofPool},
		one(func(s *sight) float64 { return float64(s.Blocked) })},
	{Metric{"punctual.worker.count", "{worker}", UpDownCounter,
		"Workers, by what they do.", []string{pool, "state"}}, readWorkers},
	{Metric{"punctual.worker.limit", "{worker}", UpDownCounter,
		"How many workers there may be at a time; missing if that is not bounded.", ofPool},
		readLimit},
	{Metric{"punctual.worker.core", "{worker}", UpDownCounter,
		"How many workers the pool keeps, its core size.", ofPool},
		one(func(s *sight) float64 { return float64(s.Core) })},
	{Metric{"punctual.worker.wakeups", "{wakeup}", Counter,
		"Times that an idle worker was woken.", ofPool},
		one(func(s *sight) float64 { return float64(s.Wakeups) })},
	{Metric{"punctual.pool.health", "1", Gauge,
		"How the pool is: 0 ok, 1 degraded, 2 down.", ofPool},
		one(func(s *sight) float64 { return statusValue(s.health.Status) })},
	{Metric{"punctual.pool.paused", "1", Gauge,
		"Whether the pool is paused: 1 if it is.", ofPool}, readPaused},
	{Metric{"punctual.task.expected", "{task}", UpDownCounter,
		"Tasks of which something is expected, by how they are.",
		[]string{pool, "state"}}, readExpected},
	{Metric{"punctual.task.health", "1", Gauge,
		"How a task is of which something is expected: 0 ok, new or paused, 1 late, 2 failed.",
		ofTask}, readTaskHealth},
	{Metric{"punctual.task.last_success", "s", Gauge,
		"When a run of the task last succeeded, in seconds since 1970.", ofTask}, readLastSuccess},
	{Metric{"punctual.task.next_run", "s", Gauge,
		"When the next run is due of a series that has its name alone, in seconds since 1970.",
		ofTask}, readNextRun},
	{Metric{"punctual.task.period", "s", Gauge,
		"The period of a series that has its name alone.", ofTask}, readPeriod},
}

const pool = "pool"

var ofPool, ofTask = []string{pool}, []string{pool, "task"}

// one reads a figure that every pool has.
func one(value func(*sight) float64) func(*sight, *points) {
	return func(s *sight, to *points) { to.add(value(s)) }
}

// ifMeasured reads a figure that a pool has if it is measured.
func ifMeasured(value func(*sight) float64) func(*sight, *points) {
	return func(s *sight, to *points) {
		if s.measured {
			to.add(value(s))
		}
	}
}

// each reads a figure of each kind of tasks.
func each(value func(*insight.TaskMeasurements) float64) func(*sight, *points) {
	return func(s *sight, to *points) {
		for i := range s.tasks {
			to.add(value(&s.tasks[i]), s.tasks[i].Name)
		}
	}
}

func seconds(t time.Time) float64 {
	return float64(t.Unix()) + float64(t.Nanosecond())/float64(time.Second)
}
