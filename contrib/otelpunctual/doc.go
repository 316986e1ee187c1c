// Package otelpunctual exports Punctual's pools and event loops to OpenTelemetry: figures,
// histograms and spans.
//
//	registration, err := otelpunctual.Register(meterProvider, jobs, mail)
//
// registers the counters and gauges of package [metrics], under the names and units that it lists.
// Each pool needs a name of its own; metrics of single tasks need [executor.Watch].
//
//	producer, err := otelpunctual.NewProducer(jobs, mail)
//	reader := sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithProducer(producer))
//
// has a reader export the histograms too: how long runs take and how late they begin, as
// exponential histograms of scale 1. They are the histograms that the pool keeps anyway, read when
// the reader collects. An instrument would have to be called for each run, which costs as much as
// the run.
//
//	jobs := executor.NewScheduledPool(4, executor.Observe(otelpunctual.Spans(tracerProvider)))
//
// gives each run a span; see [Spans].
package otelpunctual
