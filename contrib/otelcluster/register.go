package otelcluster

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/metrics"
)

// scope is the instrumentation scope of all metrics.
const scope = "github.com/punctual-go/punctual/contrib/otelcluster"

// Options say how long a reading may take, and have a logger that is told why the figures cannot be
// read. The zero Options are good.
type Options = metrics.Options

// Register makes observable instruments for all figures of pools. A nil provider is the global one.
//
// The registration keeps the pools: call its Unregister before one is closed. Register returns
// cluster.ErrInvalid for a nil pool, two of the same name, or a negative timeout, and the error of
// the provider. Register a pool once: of two registrations with one provider, one overwrites the
// other.
func Register(
	provider metric.MeterProvider, opts Options, pools ...*cluster.Pool,
) (metric.Registration, error) {
	readers, err := metrics.Readers(opts, pools...)
	if err != nil {
		return nil, err
	}
	var sources []source
	for _, r := range readers {
		sources = append(sources, r)
	}
	return register(provider, sources)
}

// source is a [metrics.Reader].
type source interface {
	Read(context.Context) []metrics.Family
}

func register(provider metric.MeterProvider, sources []source) (metric.Registration, error) {
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
		observers, instruments = append(observers, observe), append(instruments, instrument)
	}
	return meter.RegisterCallback(func(ctx context.Context, to metric.Observer) error {
		for _, families := range readAll(ctx, sources) {
			for i, f := range families {
				for _, p := range f.Points {
					observers[i](to, p.Value, metric.WithAttributeSet(attributesOf(f.Metric, p)))
				}
			}
		}
		return nil
	}, instruments...)
}

// readAll reads all pools at the same time.
func readAll(ctx context.Context, sources []source) [][]metrics.Family {
	all := make([][]metrics.Family, len(sources))
	var group sync.WaitGroup
	for i, s := range sources {
		group.Go(func() { all[i] = s.Read(ctx) })
	}
	group.Wait()
	return all
}

// observer tells one value of one instrument.
type observer func(to metric.Observer, value float64, attributes metric.ObserveOption)

// observerOf makes the instrument of a metric. Seconds are floats; what is counted is an integer.
func observerOf(meter metric.Meter, m metrics.Metric) (observer, metric.Observable, error) {
	what, unit := metric.WithDescription(m.Help), metric.WithUnit(m.Unit)
	switch {
	case m.Unit == "s":
		i, err := meter.Float64ObservableGauge(m.Name, what, unit)
		return func(to metric.Observer, value float64, attributes metric.ObserveOption) {
			to.ObserveFloat64(i, value, attributes)
		}, i, err
	case m.Kind.String() == "counter":
		i, err := meter.Int64ObservableCounter(m.Name, what, unit)
		return wholeObserver(i), i, err
	case m.Kind.String() == "updowncounter":
		i, err := meter.Int64ObservableUpDownCounter(m.Name, what, unit)
		return wholeObserver(i), i, err
	}
	i, err := meter.Int64ObservableGauge(m.Name, what, unit)
	return wholeObserver(i), i, err
}

func wholeObserver(i metric.Int64Observable) observer {
	return func(to metric.Observer, value float64, attributes metric.ObserveOption) {
		to.ObserveInt64(i, int64(value), attributes)
	}
}

// attributesOf returns the attributes of a point.
func attributesOf(m metrics.Metric, p metrics.Point) attribute.Set {
	pairs := make([]attribute.KeyValue, len(p.Attributes))
	for i, value := range p.Attributes {
		pairs[i] = attribute.String(m.Attributes[i], value)
	}
	return attribute.NewSet(pairs...)
}
