package otelpunctual_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/punctual-go/punctual/contrib/otelpunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// A task that does nothing, with and without spans. The spans are not exported.
func BenchmarkRun(b *testing.B) {
	sampled := sdktrace.NewTracerProvider()
	unsampled := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	for name, opts := range map[string][]executor.Option{
		"plain":          nil,
		"measured":       {executor.Watch(insight.Config{})},
		"spans":          {executor.Observe(otelpunctual.Spans(sampled))},
		"unsampled":      {executor.Observe(otelpunctual.Spans(unsampled))},
		"late-or-failed": {executor.Observe(otelpunctual.Spans(sampled, otelpunctual.LateOrFailed()))},
	} {
		b.Run(name, func(b *testing.B) {
			p := executor.NewPool(1, append(opts, executor.Name("jobs"))...)
			defer p.Close()
			b.ReportAllocs()
			for b.Loop() {
				f, err := p.Submit(func(context.Context) error { return nil })
				require.NoError(b, err)
				_, _ = f.Get(context.Background())
			}
		})
	}
}

// A collection of one pool with one name.
func BenchmarkCollect(b *testing.B) {
	p := executor.NewPool(1, executor.Watch(insight.Config{}))
	defer p.Close()
	f, err := p.Submit(fails, executor.Name("x"))
	require.NoError(b, err)
	<-f.Stopped()
	producer, err := otelpunctual.NewProducer(p)
	require.NoError(b, err)
	reader := sdkmetric.NewManualReader(sdkmetric.WithProducer(producer))
	_, err = otelpunctual.Register(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)), p)
	require.NoError(b, err)
	for b.Loop() {
		var all metricdata.ResourceMetrics
		require.NoError(b, reader.Collect(context.Background(), &all))
	}
}
