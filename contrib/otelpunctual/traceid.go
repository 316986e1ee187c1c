package otelpunctual

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// TraceID returns the id of the trace that a context belongs to, in hexadecimal; "" if there is
// none. It is what the Config of package [runlog] takes as Trace. The observer of [Spans] has to be
// given before that of the Log:
//
//	runs := runlog.New(runlog.Config{Trace: otelpunctual.TraceID})
//	executor.Observe(otelpunctual.Spans(traces), runs.Observer())
//
// With [LateOrFailed] a run has no span when it begins, and so the id is that of the trace of its
// submitter, if it has one.
//
// [runlog]: https://pkg.go.dev/github.com/punctual-go/punctual/executor/runlog
func TraceID(ctx context.Context) string {
	if of := trace.SpanContextFromContext(ctx); of.HasTraceID() {
		return of.TraceID().String()
	}
	return ""
}
