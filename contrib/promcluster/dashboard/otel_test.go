package dashboard_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/metrics"
	"github.com/punctual-go/punctual/contrib/otelcluster"
	"github.com/punctual-go/punctual/contrib/promcluster"
)

// Both tell the same, each under its names.
func TestOpenTelemetryHasTheSameFigures(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	mail := mails(nil)
	f.serve(3, mail)
	failed, err := cluster.Submit(f.ctx, f.pool, mail, "fail")
	require.NoError(t, err)
	_, err = failed.Get(f.ctx)
	require.Error(t, err)
	_, err = cluster.Schedule(f.ctx, f.pool, time.Hour, unserved, "")
	require.NoError(t, err)
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	registration, err := otelcluster.Register(provider, otelcluster.Options{}, f.pool)
	require.NoError(t, err)
	registry := f.registryOf(promcluster.Options{})

	require.Eventually(t, func() bool {
		one, other := collected(t, f, reader), scraped(scrape(t, registry))
		for _, m := range []map[string]float64{one, other} { // it differs from one reading to the next
			delete(m, "s pool=tasks last_read")
		}
		return len(one) > 20 && maps.Equal(one, other)
	}, time.Minute, 50*time.Millisecond)

	one := collected(t, f, reader)
	require.Equal(t, 1.0, one["{task} pool=tasks task=mail task.failed"])
	require.Equal(t, 1.0, one["{task} pool=tasks state=waiting task=unserved tasks"])
	require.NoError(t, registration.Unregister())
	require.Empty(t, collected(t, f, reader))
	_, err = otelcluster.Register(provider, otelcluster.Options{}, nil)
	require.ErrorIs(t, err, cluster.ErrInvalid)
}

// collected is what a reader of OpenTelemetry gets: by the unit, the attributes and the name.
func collected(t *testing.T, f *fleet, reader sdkmetric.Reader) map[string]float64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(f.ctx, &all))
	values := map[string]float64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Gauge[float64]:
				for _, p := range data.DataPoints {
					values[m.Unit+" "+attributesOf(p)+m.Name[len("punctual.cluster."):]] = p.Value
				}
			case metricdata.Gauge[int64]:
				addWhole(values, m, data.DataPoints)
			case metricdata.Sum[int64]:
				require.Equal(t, m.Name == "punctual.cluster.healed", data.IsMonotonic, m.Name)
				addWhole(values, m, data.DataPoints)
			default:
				t.Fatalf("%s is a %T", m.Name, m.Data)
			}
		}
	}
	return values
}

func addWhole(values map[string]float64, m metricdata.Metrics, points []metricdata.DataPoint[int64]) {
	for _, p := range points {
		values[m.Unit+" "+attributesOf(p)+m.Name[len("punctual.cluster."):]] = float64(p.Value)
	}
}

func attributesOf[N int64 | float64](p metricdata.DataPoint[N]) (text string) {
	for _, a := range p.Attributes.ToSlice() { // in the order of their keys
		text += string(a.Key) + "=" + a.Value.AsString() + " "
	}
	return text
}

// scraped is what Prometheus gets, in the same form.
func scraped(fs families) map[string]float64 {
	values := map[string]float64{}
	for _, m := range metrics.Table() {
		for _, family := range fs {
			if family.GetHelp() != m.Help {
				continue
			}
			for _, point := range family.Metric {
				var text string
				labels := map[string]string{}
				for _, l := range point.Label {
					labels[l.GetName()] = l.GetValue()
				}
				for _, key := range slices.Sorted(maps.Keys(labels)) {
					text += key + "=" + labels[key] + " "
				}
				values[m.Unit+" "+text+m.Name[len("punctual.cluster."):]] = point.GetCounter().GetValue() +
					point.GetGauge().GetValue()
			}
		}
	}
	return values
}
