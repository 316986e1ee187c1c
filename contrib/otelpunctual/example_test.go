package otelpunctual_test

import (
	"context"
	"fmt"
	"log"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/punctual-go/punctual/contrib/otelpunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

func Example() {
	exporter := tracetest.NewInMemoryExporter() // yours sends them somewhere
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))

	jobs := executor.NewScheduledPool(4, executor.Name("jobs"),
		executor.Watch(insight.Config{ExplainLate: 10 * time.Millisecond}),
		executor.Observe(otelpunctual.Spans(traces)))
	defer jobs.Close()

	histograms, err := otelpunctual.NewProducer(jobs)
	if err != nil {
		log.Fatal(err)
	}
	reader := sdkmetric.NewManualReader(sdkmetric.WithProducer(histograms)) // or a PeriodicReader
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	registration, err := otelpunctual.Register(meters, jobs)
	if err != nil {
		log.Fatal(err)
	}
	defer registration.Unregister()

	refresh := func(context.Context) error { return nil }
	if _, err := jobs.Submit(refresh, executor.Name("refresh")); err != nil {
		log.Fatal(err)
	}
	jobs.Close() // waits for it

	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		log.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == "punctual.runs" || m.Name == "punctual.run.duration" {
				fmt.Println(m.Name, m.Unit)
			}
		}
	}
	fmt.Println("span of", exporter.GetSpans()[0].Name)
	// Output:
	// punctual.runs {run}
	// punctual.run.duration s
	// span of refresh
}
