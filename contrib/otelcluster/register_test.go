package otelcluster

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/metrics"
)

// pool tells of each metric the values 1.5 and 2.5, as far as it has attributes for two.
type pool string

func (p pool) Read(context.Context) (families []metrics.Family) {
	for _, m := range metrics.Table() {
		f := metrics.Family{Metric: m}
		for i := range 2 {
			attributes := []string{string(p)}
			for range m.Attributes[1:] {
				attributes = append(attributes, []string{"a", "b"}[i])
			}
			if i == 0 || len(attributes) > 1 {
				f.Points = append(f.Points, metrics.Point{Attributes: attributes, Value: 1.5 + float64(i)})
			}
		}
		families = append(families, f)
	}
	return families
}

// kindOf is what a metric is, and how many points of a pool it has, and the sum of its values.
func kindOf(t *testing.T, data metricdata.Aggregation) (kind string, n int, sum float64) {
	t.Helper()
	switch data := data.(type) {
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			sum += p.Value
		}
		return "gauge of floats", len(data.DataPoints), sum
	case metricdata.Gauge[int64]:
		for _, p := range data.DataPoints {
			sum += float64(p.Value)
		}
		return "gauge", len(data.DataPoints), sum
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			sum += float64(p.Value)
		}
		if data.IsMonotonic {
			return "counter", len(data.DataPoints), sum
		}
		return "updowncounter", len(data.DataPoints), sum
	}
	t.Fatalf("%T", data)
	return "", 0, 0
}

func TestEachRowOfTheTableIsAnInstrument(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	registration, err := register(provider, []source{pool("p"), pool("q")})
	require.NoError(t, err)
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	require.Len(t, all.ScopeMetrics, 1)
	require.Equal(t, scope, all.ScopeMetrics[0].Scope.Name)
	told := map[string]metricdata.Metrics{}
	for _, m := range all.ScopeMetrics[0].Metrics {
		told[m.Name] = m
	}
	require.Len(t, told, len(metrics.Table()))
	for _, m := range metrics.Table() {
		require.Contains(t, told, m.Name)
		assert.Equal(t, m.Help, told[m.Name].Description)
		assert.Equal(t, m.Unit, told[m.Name].Unit)
		kind, n, sum := kindOf(t, told[m.Name].Data)
		want, each := m.Kind.String(), 1.0
		if m.Unit == "s" {
			want, each = want+" of floats", 1.5
		}
		assert.Equal(t, want, kind, m.Name)
		if len(m.Attributes) == 1 {
			assert.Equal(t, []any{2, 2 * each}, []any{n, sum}, m.Name)
		} else {
			assert.Equal(t, []any{4, 2 * (2*each + 1)}, []any{n, sum}, m.Name)
		}
	}
	require.NoError(t, registration.Unregister())
	all = metricdata.ResourceMetrics{}
	require.NoError(t, reader.Collect(t.Context(), &all))
	require.Empty(t, all.ScopeMetrics)
}

func TestRegisterRefuses(t *testing.T) {
	provider := sdkmetric.NewMeterProvider()
	_, err := Register(provider, Options{}, nil)
	require.ErrorIs(t, err, cluster.ErrInvalid)
	_, err = Register(provider, Options{}, new(cluster.Pool), new(cluster.Pool))
	require.ErrorIs(t, err, cluster.ErrInvalid)
	_, err = Register(provider, Options{Timeout: -time.Second}, new(cluster.Pool))
	require.ErrorIs(t, err, cluster.ErrInvalid)
}
