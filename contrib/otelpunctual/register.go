package otelpunctual

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/punctual-go/punctual/executor/metrics"
)

// scope is the instrumentation scope of all metrics and spans.
const scope = "github.com/punctual-go/punctual/contrib/otelpunctual"

// Register makes observable instruments for all metrics of pools and loops but the histograms, for
// which there is [NewProducer]. A nil provider is the global one. Whenever a reader collects, the
// pools are asked, which takes about 0.1 ms each; a run costs nothing more.
//
// The registration keeps the pools until its Unregister is called. Register returns the error of
// [metrics.Of], and that of the provider. Register a pool once: of two registrations with one
// provider, one overwrites the other.
func Register(
	provider metric.MeterProvider, sources ...metrics.Source,
) (metric.Registration, error) {
	set, err := metrics.Of(sources...)
	if err != nil {
		return nil, err
	}
	if provider == nil {
		provider = otel.GetMeterProvider()
	}
	meter := provider.Meter(scope)
	var observers []observer
	var instruments []metric.Observable
	for _, m := range metrics.Table() {
		observe, instrument, err := observerOf(meter, m)
		if err != nil {
			return nil, err
		}
		observers = append(observers, observe)
		if instrument != nil {
			instruments = append(instruments, instrument)
		}
	}
	return meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		for i, f := range set.Read() {
			for _, p := range f.Points {
				observers[i](to, p.Value, metric.WithAttributeSet(attributesOf(f.Metric, p)))
			}
		}
		return nil
	}, instruments...)
}

// observer tells one value of one instrument.
type observer func(to metric.Observer, value float64, attributes metric.ObserveOption)

// observerOf makes the instrument of a metric, which is nil for a histogram. Seconds are floats;
// what is counted is an integer.
func observerOf(meter metric.Meter, m metrics.Metric) (observer, metric.Observable, error) {
	what, unit := metric.WithDescription(m.Help), metric.WithUnit(m.Unit)
	whole := m.Unit != "s"
	switch {
	case m.Kind == metrics.Counter && whole:
		i, err := meter.Int64ObservableCounter(m.Name, what, unit)
		return wholeObserver(i), i, err
	case m.Kind == metrics.Counter:
		i, err := meter.Float64ObservableCounter(m.Name, what, unit)
		return floatObserver(i), i, err
	case m.Kind == metrics.UpDownCounter:
		i, err := meter.Int64ObservableUpDownCounter(m.Name, what, unit)
		return wholeObserver(i), i, err
	case m.Kind == metrics.Gauge && whole:
		i, err := meter.Int64ObservableGauge(m.Name, what, unit)
		return wholeObserver(i), i, err
	case m.Kind == metrics.Gauge:
		i, err := meter.Float64ObservableGauge(m.Name, what, unit)
		return floatObserver(i), i, err
	}
	return func(metric.Observer, float64, metric.ObserveOption) {}, nil, nil
}

func wholeObserver(i metric.Int64Observable) observer {
	return func(to metric.Observer, value float64, attributes metric.ObserveOption) {
		to.ObserveInt64(i, int64(value), attributes)
	}
}

func floatObserver(i metric.Float64Observable) observer {
	return func(to metric.Observer, value float64, attributes metric.ObserveOption) {
		to.ObserveFloat64(i, value, attributes)
	}
}

// attributesOf returns the attributes of a point. A task without a name has none for it.
func attributesOf(m metrics.Metric, p metrics.Point) attribute.Set {
	pairs := make([]attribute.KeyValue, 0, len(p.Attributes))
	for i, value := range p.Attributes {
		if value != "" {
			pairs = append(pairs, attribute.String(m.Attributes[i], value))
		}
	}
	return attribute.NewSet(pairs...)
}
