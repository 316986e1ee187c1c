package otelpunctual

import (
	"context"
	"math"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// Spans returns an observer that gives each run a span, and each attempt of one with
// [executor.Retry]. A nil provider is the global one. One observer may serve several pools and
// loops.
//
// The span is of kind internal, and named like the task, or "run". It begins when the run begins:
// how long the run has waited is told by attributes. The body, the hooks and observers given later
// have it as the current span of their context; the baggage of the submitter is there as well, if
// the task was given the values of the submitter's context.
//
// A task that runs once is a child of the span that its context carries: that of its submitter,
// after SubmitContext, [executor.WithValues] and the like. Each run of a periodic task begins a
// trace of its own, with a link to that span: a trace that goes on for as long as a program helps
// nobody.
//
// # Attributes
//
//	punctual.task.name, punctual.pool.name   if they have names
//	punctual.run.number                      1 for the first run
//	punctual.run.lateness                    in seconds, since the run was due
//	punctual.run.missed                      periods, if there are any
//	punctual.run.attempt                     of a task with Retry
//	punctual.run.triggered                   true for a run asked for by Trigger
//	punctual.run.late.clock, .previous,      seconds that a late run has waited for, and
//	 .held, .busy, .queue, .slack, .wake     those parts only that are above zero
//	punctual.run.late.holders                the runs that held the workers: "import#1"
//	punctual.run.overrunning                 true if the body still ran when the span was ended
//	error.type                               of a run that has not succeeded
//
// Which runs are late enough to be explained, and how many, the ExplainLate of [executor.Watch]
// says; without it, those that are 10 ms late. What has expired, see [executor.BeginWithin], has
// not begun, and has no span.
//
// # Errors
//
// The error of a run is recorded as an event, a panic with its stack, and the status of the span is
// an error. error.type is "timeout", "panic", "goexit" or what OpenTelemetry makes of the error's
// type. A run that was cancelled has "cancelled" and no status: nothing has failed.
//
// A run may exceed its timeout and not return. Its span is ended ten seconds later, as a timeout,
// so that it is seen. A run without a timeout has an open span as long as it goes on.
//
// # Cost
//
// A run costs a span of the provider, and some allocations for attributes and the context, even if
// it is not sampled. The observer makes its pool measure, as [executor.Watch] does.
func Spans(provider trace.TracerProvider, opts ...SpanOption) executor.Observer {
	if provider == nil {
		provider = otel.GetTracerProvider()
	}
	s := &spans{tracer: provider.Tracer(scope)}
	for _, o := range opts {
		if o == nil {
			panic("otelpunctual: nil option")
		}
		o(s)
	}
	return executor.Observer{Began: s.began, Late: s.late, Ended: s.ended}
}

// SpanOption changes what [Spans] does.
type SpanOption func(*spans)

// LateOrFailed has spans only for runs that are explained as late, or have failed. Such a span is
// made when the run has ended. So the body does not have it as its current span: what it does is in
// the trace of the submitter, beside the span of the run and not below it.
func LateOrFailed() SpanOption { return func(s *spans) { s.troubled = true } }

// spans makes the spans of runs.
type spans struct {
	tracer   trace.Tracer
	troubled bool // only of runs that are late or fail
}

// key is that of a run's state in its context, one for each observer.
type key struct{ *spans }

// state is what is known of a run while it goes on.
type state struct {
	span trace.Span                       // nil if it is not known yet whether there will be one
	late atomic.Pointer[insight.Lateness] // if it is explained, and there is no span yet
	// patience runs out when the run has exceeded its timeout for too long. Whoever stops it, or is
	// called by it, ends the span; nil if nothing can run out.
	patience *time.Timer
}

// grace is for how long a body may go on after its timeout, and still end its span.
const grace = 10 * time.Second

func (s *spans) began(ctx context.Context, r executor.Run) context.Context {
	st := new(state)
	within := context.WithValue(ctx, key{s}, st)
	if !s.troubled {
		within, st.span = s.start(within, r)
		if !st.span.IsRecording() {
			return within
		}
	}
	if deadline, ok := ctx.Deadline(); ok {
		left := min(max(time.Until(deadline), 0), math.MaxInt64-grace)
		st.patience = time.AfterFunc(left+grace, func() {
			s.abandon(within, st, r)
		})
	}
	return within
}

// start begins the span of a run. Its parent is the span of the submitter, which the context has.
func (s *spans) start(ctx context.Context, r executor.Run) (context.Context, trace.Span) {
	opts := []trace.SpanStartOption{trace.WithAttributes(attributesOfRun(ctx, r)...)}
	if !r.Started.IsZero() {
		opts = append(opts, trace.WithTimestamp(r.Started))
	}
	if r.Periodic {
		opts = append(opts, trace.WithNewRoot())
		if creator := trace.SpanContextFromContext(ctx); creator.IsValid() {
			opts = append(opts, trace.WithLinks(trace.Link{SpanContext: creator}))
		}
	}
	name := valid(r.Name)
	if name == "" {
		name = "run"
	}
	return s.tracer.Start(ctx, name, opts...)
}

func (s *spans) late(ctx context.Context, _ executor.Run, l insight.Lateness) {
	st, ok := ctx.Value(key{s}).(*state)
	switch {
	case !ok, l.Expired: // the state is that of a run in which the pool was made
	case st.span == nil:
		st.late.Store(&l)
	case st.span.IsRecording():
		st.span.SetAttributes(attributesOfLateness(l)...)
	}
}

func (s *spans) ended(ctx context.Context, r executor.Run, err error) {
	st, ok := ctx.Value(key{s}).(*state)
	if !ok || st.patience != nil && !st.patience.Stop() {
		return
	}
	if span := s.spanOf(ctx, st, r, err); span != nil {
		defer span.End() // even if the text of the error panics
		settle(ctx, span, err)
	}
}

// abandon ends the span of a run that does not end although its time has been up for long.
func (s *spans) abandon(ctx context.Context, st *state, r executor.Run) {
	err := context.Cause(ctx)
	if span := s.spanOf(ctx, st, r, err); span != nil {
		defer span.End()
		span.SetAttributes(attribute.Bool("punctual.run.overrunning", true))
		settle(ctx, span, err)
	}
}

// spanOf returns the span of a run that ends, or nil if it is to have none.
func (s *spans) spanOf(
	ctx context.Context, st *state, r executor.Run, err error,
) trace.Span {
	if st.span != nil {
		return st.span
	}
	late := st.late.Load()
	if late == nil && (err == nil || skipped(err)) {
		return nil
	}
	_, span := s.start(ctx, r)
	if late != nil {
		span.SetAttributes(attributesOfLateness(*late)...)
	}
	return span
}

// poolOf returns the name of the pool, which the context of a run has as a pprof label.
func poolOf(ctx context.Context) string {
	name, _ := pprof.Label(ctx, "pool")
	return valid(name)
}

// valid returns text as UTF-8: an exporter refuses all spans with one that is not.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
