package prompunctual_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/prompunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/metrics"
)

const ms = time.Millisecond

var errBad = errors.New("bad")

func lasts(d time.Duration) executor.Task {
	return func(context.Context) error { time.Sleep(d); return nil }
}

func fails(context.Context) error { return errBad }

// newPool returns a pool that logs nothing and ends with the test.
func newPool(t *testing.T, opts ...executor.Option) *executor.ScheduledPool {
	p := executor.NewScheduledPool(1, append(opts, executor.Logger(slog.New(slog.DiscardHandler)))...)
	t.Cleanup(func() {
		p.ShutdownNow()
		assert.NoError(t, p.AwaitTermination(context.Background()))
	})
	return p
}

// registryOf returns a registry with a collector for the sources.
func registryOf(t *testing.T, opts prompunctual.Options, sources ...metrics.Source) *prometheus.Registry {
	t.Helper()
	c, err := prompunctual.New(opts, sources...)
	require.NoError(t, err)
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(c))
	return registry
}

// families is a scrape, by name.
type families map[string]*dto.MetricFamily

// scrape asks over HTTP, and reads the answer with the parser of Prometheus' own library.
func scrape(t *testing.T, registry prometheus.Gatherer) families {
	t.Helper()
	answer := httptest.NewRecorder()
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	found, err := parser.TextToMetricFamilies(answer.Body)
	require.NoError(t, err)
	return found
}

// metric returns the one with these labels: names and values by turns.
func (fs families) metric(t *testing.T, name string, labels ...string) *dto.Metric {
	t.Helper()
	require.Contains(t, fs, name)
	for _, m := range fs[name].Metric {
		if len(m.Label) == len(labels)/2 && !slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool {
			i := slices.Index(labels, l.GetName())
			return i < 0 || labels[i+1] != l.GetValue()
		}) {
			return m
		}
	}
	require.Fail(t, "no such metric", "%s%q: %v", name, labels, fs[name].Metric)
	return nil
}

func (fs families) value(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	m := fs.metric(t, name, labels...)
	return m.GetCounter().GetValue() + m.GetGauge().GetValue()
}

// shape describes a family: its name, type and labels.
func shape(f *dto.MetricFamily) string {
	names := map[string]bool{}
	for _, m := range f.Metric {
		for _, l := range m.Label {
			names[l.GetName()] = true
		}
	}
	var list []string
	for name := range names {
		list = append(list, name)
	}
	sort.Strings(list)
	return f.GetName() + " " + strings.ToLower(f.GetType().String()) + " " + strings.Join(list, ",")
}

func (fs families) shapes() (shapes []string) {
	for _, f := range fs {
		shapes = append(shapes, shape(f))
	}
	slices.Sort(shapes)
	return shapes
}

// playEverything makes the pool have a point of every metric.
func playEverything(t *testing.T, p *executor.ScheduledPool) {
	t.Helper()
	_, err := p.AtFixedRate(0, 10*ms, lasts(ms), executor.Name("poll"), executor.Unique(),
		executor.Expect(insight.SuccessWithin(time.Minute)))
	require.NoError(t, err)
	_, err = p.Schedule(0, fails, executor.Name("import"))
	require.NoError(t, err)
	time.Sleep(time.Second - 5*ms) // between two runs
	assert.Len(t, p.Insight().Measurements().Tasks, 2)
}
