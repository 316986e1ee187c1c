package otelpunctual_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/punctual-go/punctual/contrib/otelpunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/runlog"
)

// What is kept of a run has the id of its trace, so that a page can lead there.
func ExampleTraceID() {
	exporter := tracetest.NewInMemoryExporter()
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	log := slog.New(runlog.Handler(slog.DiscardHandler))

	runs := runlog.New(runlog.Config{Trace: otelpunctual.TraceID})
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"),
		executor.Observe(otelpunctual.Spans(traces), runs.Observer()))
	_ = jobs.Execute(func(ctx context.Context) error {
		log.InfoContext(ctx, "refreshed")
		return nil
	}, executor.Name("refresh"))
	jobs.Close()

	span := exporter.GetSpans()[0].SpanContext.TraceID().String()
	for _, run := range runs.Runs("jobs", "refresh") {
		fmt.Println(run.Lines[0].Message, run.Trace == span)
	}
	// Output: refreshed true
}

func TestTheIDOfNoTrace(t *testing.T) {
	assert.Empty(t, otelpunctual.TraceID(t.Context()))
}

// TestEachRunOfASeriesHasTheIDOfItsOwnTrace, also when only late and failed ones have spans: then
// none.
func TestEachRunOfASeriesHasTheIDOfItsOwnTrace(t *testing.T) {
	for _, test := range []struct {
		opts []otelpunctual.SpanOption
		want int
	}{{nil, 3}, {[]otelpunctual.SpanOption{otelpunctual.LateOrFailed()}, 0}} {
		traces := sdktrace.NewTracerProvider()
		runs := runlog.New(runlog.Config{Trace: otelpunctual.TraceID})
		jobs := executor.NewScheduledPool(1, executor.Observe(otelpunctual.Spans(traces, test.opts...),
			runs.Observer()))
		f, err := jobs.AtFixedRate(0, 1, func(context.Context) error { return nil },
			executor.Name("poll"), executor.MaxRuns(3))
		require.NoError(t, err)
		_, _ = f.Get(t.Context())
		jobs.Close()
		ids := map[string]bool{}
		for _, run := range runs.Runs("", "poll") {
			ids[run.Trace] = true
		}
		assert.Len(t, ids, test.want)
	}
}
