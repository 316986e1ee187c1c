package otelpunctual_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/punctual-go/punctual/contrib/otelpunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/metrics"
)

// collected is what a reader has collected, by name.
type collected map[string]metricdata.Metrics

// collector returns a function that collects all metrics of the sources.
func collector(t *testing.T, sources ...metrics.Source) (collect func() collected, unregister func()) {
	t.Helper()
	producer, err := otelpunctual.NewProducer(sources...)
	require.NoError(t, err)
	reader := sdkmetric.NewManualReader(sdkmetric.WithProducer(producer))
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	registration, err := otelpunctual.Register(provider, sources...)
	require.NoError(t, err)
	return func() collected {
		var all metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(context.Background(), &all))
		found := collected{}
		for _, s := range all.ScopeMetrics {
			assert.Equal(t, "github.com/punctual-go/punctual/contrib/otelpunctual", s.Scope.Name)
			for _, m := range s.Metrics {
				assert.NotContains(t, found, m.Name)
				found[m.Name] = m
			}
		}
		return found
	}, func() { assert.NoError(t, registration.Unregister()) }
}

// points returns those of a metric: the attributes of each, and its value as text.
func (c collected) points(t *testing.T, name string) map[string]string {
	t.Helper()
	found := map[string]string{}
	add := func(set attribute.Set, value any) {
		found[set.Encoded(attribute.DefaultEncoder())] = fmt.Sprint(value)
	}
	switch data := c[name].Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Sum[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Gauge[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.ExponentialHistogram[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, p.Count)
		}
	default:
		require.Fail(t, "no metric", "%s: %T", name, data)
	}
	return found
}

// shapes describes the metrics: name, unit, kind, and attributes.
func (c collected) shapes(t *testing.T) (shapes []string) {
	for _, m := range c {
		kind := ""
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			kind = map[bool]string{true: "int counter", false: "int updowncounter"}[data.IsMonotonic]
			assert.Equal(t, metricdata.CumulativeTemporality, data.Temporality)
		case metricdata.Sum[float64]:
			kind = map[bool]string{true: "float counter", false: "float updowncounter"}[data.IsMonotonic]
		case metricdata.Gauge[int64]:
			kind = "int gauge"
		case metricdata.Gauge[float64]:
			kind = "float gauge"
		case metricdata.ExponentialHistogram[float64]:
			kind = "histogram"
			assert.Equal(t, metricdata.CumulativeTemporality, data.Temporality)
		}
		shapes = append(shapes, fmt.Sprintf("%s %s %s %s", m.Name, m.Unit, kind, strings.Join(c.keys(t, m.Name), ",")))
	}
	slices.Sort(shapes)
	return shapes
}

// keys returns the names of the attributes.
func (c collected) keys(t *testing.T, name string) (keys []string) {
	for set := range c.points(t, name) {
		for pair := range strings.SplitSeq(set, ",") {
			key, _, _ := strings.Cut(pair, "=")
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// playEverything makes the pool have a point of every metric.
func playEverything(t *testing.T, p *executor.ScheduledPool) {
	t.Helper()
	_, err := p.AtFixedRate(0, 10*ms, lasts(ms), executor.Name("poll"), executor.Unique(),
		executor.Expect(insight.SuccessWithin(time.Minute)))
	require.NoError(t, err)
	_, err = p.Schedule(0, fails, executor.Name("import"))
	require.NoError(t, err)
	time.Sleep(time.Second - 5*ms)
}

func TestEveryMetricIsCollected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, executor.Name("jobs"), executor.Watch(insight.Config{ExplainLate: ms}))
		collect, _ := collector(t, p)
		playEverything(t, p)
		assert.Equal(t, []string{
			"punctual.pool.health 1 int gauge pool",
			"punctual.pool.paused 1 int gauge pool",
			"punctual.queue.overdue s float gauge pool",
			"punctual.run.active {run} int updowncounter pool",
			"punctual.run.duration s histogram pool,task",
			"punctual.run.expired {run} int counter pool,task",
			"punctual.run.failures {run} int counter pool,task",
			"punctual.run.late.time s float counter cause,pool",
			"punctual.run.late.unexplained {run} int counter pool",
			"punctual.run.lateness s histogram pool,task",
			"punctual.run.longest s float gauge pool",
			"punctual.run.missed {period} int counter pool,task",
			"punctual.run.overrunning {run} int updowncounter pool",
			"punctual.run.retries {attempt} int counter pool",
			"punctual.run.skipped {run} int counter pool,task",
			"punctual.run.timeouts {run} int counter pool",
			"punctual.runs {run} int counter pool",
			"punctual.submitter.blocked {submitter} int updowncounter pool",
			"punctual.task.expected {task} int updowncounter pool,state",
			"punctual.task.health 1 int gauge pool,task",
			"punctual.task.last_success s float gauge pool,task",
			"punctual.task.next_run s float gauge pool,task",
			"punctual.task.period s float gauge pool,task",
			"punctual.task.queued {task} int updowncounter pool",
			"punctual.tasks {task} int counter pool,result",
			"punctual.worker.core {worker} int updowncounter pool",
			"punctual.worker.count {worker} int updowncounter pool,state",
			"punctual.worker.limit {worker} int updowncounter pool",
			"punctual.worker.wakeups {wakeup} int counter pool",
		}, collect().shapes(t))
	})
}

// The rules of OpenTelemetry's semantic conventions for metrics that are not of theirs.
func TestNamesKeepToTheConventions(t *testing.T) {
	name := regexp.MustCompile(`^punctual(\.[a-z]+(_[a-z]+)*)+$`)
	unit := regexp.MustCompile(`^(s|1|\{[a-z]+\})$`)
	units := regexp.MustCompile(`(^|[._])(s|ms|ns|seconds?|total|ratio|percent|counter|gauge)($|[._])`)
	all := metrics.Table()
	for _, m := range all {
		assert.Regexp(t, name, m.Name)
		assert.Regexp(t, unit, m.Unit, m.Name)
		assert.NotRegexp(t, units, m.Name, "the unit is not in the name, nor is the kind")
		assert.False(t, strings.HasSuffix(m.Unit, "s}"), "%s: annotations are singular", m.Name)
		last := m.Name[strings.LastIndex(m.Name, ".")+1:]
		plural := strings.HasSuffix(last, "s") && last != "missed"
		if m.Kind == metrics.Counter { // of things: the things, or what has happened to them
			what := plural || slices.Contains([]string{"expired", "skipped", "missed", "unexplained", "time"}, last)
			assert.True(t, what, m.Name)
		}
		if m.Kind == metrics.UpDownCounter {
			assert.False(t, plural, "%s: what goes down is not in the plural", m.Name)
			assert.NotEqual(t, "s", m.Unit, m.Name)
		}
		if m.Kind == metrics.Histogram || m.Kind == metrics.Gauge {
			assert.NotRegexp(t, `^\{`, m.Unit, "%s: what is counted is no gauge", m.Name)
		}
		for _, a := range m.Attributes {
			assert.Regexp(t, `^[a-z]+$`, a, m.Name)
		}
		for _, other := range all {
			assert.NotEqual(t, m.Name+".", other.Name[:min(len(other.Name), len(m.Name)+1)],
				"a name is no namespace as well")
		}
	}
}

func TestTheValuesAreThoseOfTheRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		p := newPool(t, 1, executor.Name("jobs"), executor.Watch(insight.Config{ExplainLate: ms}))
		collect, unregister := collector(t, p)
		for range 2 {
			_, err := p.Schedule(0, lasts(10*ms), executor.Name("x"))
			require.NoError(t, err)
		}
		_, err := p.Schedule(0, fails)
		require.NoError(t, err)
		time.Sleep(time.Second)
		c := collect()
		assert.Equal(t, map[string]string{"pool=jobs": "3"}, c.points(t, "punctual.runs"))
		assert.Equal(t, map[string]string{"pool=jobs,task=x": "0", "pool=jobs": "1"},
			c.points(t, "punctual.run.failures"), "a task without a name has no attribute")
		assert.Equal(t, map[string]string{"pool=jobs,state=busy": "0", "pool=jobs,state=idle": "1"},
			c.points(t, "punctual.worker.count"))
		assert.Equal(t, map[string]string{
			"pool=jobs,result=accepted": "3", "pool=jobs,result=cancelled": "0", "pool=jobs,result=completed": "3",
			"pool=jobs,result=rejected": "0", "pool=jobs,result=returned": "0"}, c.points(t, "punctual.tasks"))
		assert.Equal(t, map[string]string{"pool=jobs,task=x": "2", "pool=jobs": "1"},
			c.points(t, "punctual.run.duration"))
		success := float64(begun.Add(20*ms).UnixNano()) / 1e9
		assert.Equal(t, map[string]string{"pool=jobs,task=x": fmt.Sprint(success)},
			c.points(t, "punctual.task.last_success"))

		p.ShutdownNow()
		time.Sleep(time.Second)
		assert.Equal(t, map[string]string{"pool=jobs": "2"}, collect().points(t, "punctual.pool.health"))
		unregister()
		assert.NotContains(t, collect(), "punctual.runs")
	})
}

func TestPoolsThatCannotBeToldApartAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newPool(t, 1), newPool(t, 1)
		_, err := otelpunctual.Register(nil, a, b)
		require.ErrorIs(t, err, executor.ErrInvalid)
		_, err = otelpunctual.NewProducer(a, b)
		require.ErrorIs(t, err, executor.ErrInvalid)
		_, err = otelpunctual.NewProducer(nil)
		require.ErrorIs(t, err, executor.ErrInvalid)
	})
}

func TestNoProviderIsTheGlobalOne(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	before := otel.GetMeterProvider()
	otel.SetMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)))
	defer otel.SetMeterProvider(before)
	registration, err := otelpunctual.Register(nil, newPool(t, 1))
	require.NoError(t, err)
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(context.Background(), &all))
	assert.Len(t, all.ScopeMetrics, 1)
	require.NoError(t, registration.Unregister())
}

// Outside of a bubble, for the race detector.
func TestManyCollectionsAtOnce(t *testing.T) {
	p := newPool(t, 2, executor.Watch(insight.Config{ExplainLate: insight.Any}))
	collect, _ := collector(t, p)
	_, err := p.AtFixedRate(0, 100*time.Microsecond, lasts(0), executor.Name("poll"))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				collect()
			}
		})
	}
	wg.Wait()
}
