package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/lateness"
)

// Measure has a pool or event loop keep histograms of how late runs begin and how long they take,
// of all runs and by the names of tasks; see [Pool.Measurements] and [Stats]. A run that has
// expired, see [BeginWithin], has not begun: it is counted, and in no histogram. Measure reads the
// clock once more for each run of a task that runs once, and keeps about 1 KiB for each of up to
// 200 names. A task of Execute then costs as much as one of Submit. Without the option nothing is
// kept.
func Measure() CommonOption { return forLoops(measured) }

func measured(s *run.Settings) {
	sight.ConfigOf(s).Measure = func(s *sight.Sight) any { return measurementsLocked(s) }
}

// Buckets is how many buckets a [Histogram] has.
const Buckets = lateness.Buckets

// Histogram counts durations in buckets. Their upper bounds, see [Histogram.Bound], are the powers
// of √2 of a second from about a microsecond to about an hour, so a quantile is too large by a
// factor of √2 at most. These bounds are those of scale 1 of an exponential histogram of
// OpenTelemetry, and of schema 1 of a native histogram of Prometheus.
type Histogram struct {
	Counts [Buckets]uint64 // the first bucket has everything shorter, the last everything longer
	Sum    time.Duration   // at most 292 years, where it stays
	Max    time.Duration
}

// Count returns how many durations have been counted.
func (h *Histogram) Count() uint64 { return h.inner().Count() }

// Quantile returns a duration than which the part q of all durations is not longer: 0.99 asks for
// the 99th percentile, 1 for the longest. Below 0, q counts as 0, as does NaN, and above 1 as 1.
// Quantile returns 0 if there are none.
func (h *Histogram) Quantile(q float64) time.Duration { return h.inner().Quantile(q) }

// Bound returns the upper bound of a bucket, which is itself in the next one.
func (h *Histogram) Bound(bucket int) time.Duration { return lateness.Bound(bucket) }

func (h *Histogram) inner() *lateness.Histogram { return (*lateness.Histogram)(h) }

// Distribution sums up a histogram. In JSON, durations are text, such as "1.5ms". Where the sum of
// the durations is more than 292 years, Mean is too short.
type Distribution struct {
	Count uint64
	Mean  time.Duration
	P50   time.Duration
	P90   time.Duration
	P99   time.Duration
	Max   time.Duration
}

// Distribution sums up the histogram.
func (h *Histogram) Distribution() *Distribution {
	d := &Distribution{Count: h.Count(), P50: h.Quantile(0.5), P90: h.Quantile(0.9),
		P99: h.Quantile(0.99), Max: h.Max}
	if d.Count > 0 {
		d.Mean = h.Sum / time.Duration(d.Count)
	}
	return d
}

// Measurements are what [Measure] keeps.
type Measurements struct {
	TaskMeasurements                    // of all runs
	Tasks            []TaskMeasurements // by name; beyond the first 200 they share the name "other"

	// Reasons has what the late runs that [ExplainLate] has explained had waited for, in all; those
	// that have expired included. Unexplained counts the others.
	Reasons     Lateness
	Unexplained uint64
}

// TaskMeasurements are those of the tasks of one name, or of all.
type TaskMeasurements struct {
	Name     string
	Late     Histogram // from when a run was due to when it began
	Took     Histogram // from when it began to the end of its body
	Failures uint64    // runs that have failed, as in Stats; no attempts that others follow
	Expired  uint64    // runs that did not begin in time, as in Stats; they are in no histogram
	Missed   uint64    // periods that got no run of their own

	LastSuccess time.Time // when a run last succeeded; zero before that
}

// Measurements returns what has been measured since the pool was made; without [Measure], nothing.
// It copies 1 KiB for each name with the pool locked.
func (p *Pool) Measurements() Measurements {
	o := p.runs()
	o.Lock.Lock()
	defer o.Lock.Unlock()
	m, _ := sight.Of(o).MeasurementsLocked().(Measurements)
	return m
}

func measurementsLocked(s *sight.Sight) (m Measurements) {
	total, parts, unexplained := s.ReasonsLocked()
	m.Unexplained = unexplained
	m.Reasons = Lateness{Total: total,
		Clock: parts[sight.PartClock], Previous: parts[sight.PartPrevious],
		Held: parts[sight.PartHeld], Busy: parts[sight.PartBusy], Queue: parts[sight.PartQueue],
		Slack: parts[sight.PartSlack], Wake: parts[sight.PartWake],
	}
	m.TaskMeasurements = taskMeasurements(s.AllLocked())
	for _, k := range s.KindsLocked() {
		m.Tasks = append(m.Tasks, taskMeasurements(k))
	}
	return m
}

func taskMeasurements(k *sight.Kind) TaskMeasurements {
	return TaskMeasurements{Name: k.Name, Late: Histogram(k.Late), Took: Histogram(k.Took),
		Failures: k.Failures, Expired: k.Expired, Missed: k.Missed, LastSuccess: k.Success}
}
