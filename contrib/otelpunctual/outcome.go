package otelpunctual

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// settle gives a span what has become of its run.
func settle(ctx context.Context, span trace.Span, err error) {
	if err == nil || !span.IsRecording() {
		return
	}
	if skipped(err) {
		span.SetAttributes(attribute.Bool("punctual.run.skipped", true))
		return
	}
	if errors.Is(context.Cause(ctx), future.ErrCancelled) {
		span.SetAttributes(semconv.ErrorTypeKey.String("cancelled"))
		return
	}
	text := valid(err.Error())
	span.SetAttributes(errorType(err))
	// Not RecordError, which passes on text that is not UTF-8.
	event := []attribute.KeyValue{semconv.ExceptionType(fmt.Sprintf("%T", err)),
		semconv.ExceptionMessage(text)}
	if p, ok := errors.AsType[*future.PanicError](err); ok {
		event = append(event, semconv.ExceptionStacktrace(valid(string(p.Stack))))
	}
	span.AddEvent(semconv.ExceptionEventName, trace.WithAttributes(event...))
	span.SetStatus(codes.Error, text)
}

// skipped reports whether a run has left its work out, which is no failure. A timeout and a panic
// are, whatever they come with.
func skipped(err error) bool {
	if _, panicked := errors.AsType[*future.PanicError](err); panicked {
		return false
	}
	return errors.Is(err, executor.ErrSkipped) && !errors.Is(err, future.ErrTimeout)
}

// errorType sorts errors into a few kinds.
func errorType(err error) attribute.KeyValue {
	_, panicked := errors.AsType[*future.PanicError](err)
	switch {
	case panicked:
		return semconv.ErrorTypeKey.String("panic")
	case errors.Is(err, future.ErrGoexit):
		return semconv.ErrorTypeKey.String("goexit")
	case errors.Is(err, future.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return semconv.ErrorTypeKey.String("timeout")
	}
	kind := semconv.ErrorType(err) // which may be what the error itself says
	return semconv.ErrorTypeKey.String(valid(kind.Value.AsString()))
}
