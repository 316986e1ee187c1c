package otelpunctual_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/punctual-go/punctual/contrib/otelpunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/retry"
)

// traced is a provider of spans that are kept.
type traced struct {
	*sdktrace.TracerProvider
	spans *tracetest.SpanRecorder
}

func newTraced(opts ...sdktrace.TracerProviderOption) traced {
	spans := tracetest.NewSpanRecorder()
	return traced{sdktrace.NewTracerProvider(append(opts, sdktrace.WithSpanProcessor(spans))...), spans}
}

// ended returns the spans that have ended, in the order in which they began.
func (tr traced) ended() []sdktrace.ReadOnlySpan {
	synctest.Wait()
	ended := tr.spans.Ended()
	slices.SortStableFunc(ended, func(a, b sdktrace.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
	return ended
}

// only returns the one span that has ended.
func (tr traced) only(t *testing.T) sdktrace.ReadOnlySpan {
	t.Helper()
	ended := tr.ended()
	require.Len(t, ended, 1)
	assert.Len(t, tr.spans.Started(), 1)
	return ended[0]
}

func attributes(s sdktrace.ReadOnlySpan) map[string]any {
	found := map[string]any{}
	for _, a := range s.Attributes() {
		found[string(a.Key)] = a.Value.AsInterface()
	}
	return found
}

func TestARunHasASpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, begun := newTraced(), time.Now()
		p := newPool(t, 1, executor.Name("jobs"), executor.Observe(otelpunctual.Spans(tr)))
		current := trace.SpanContext{}
		_, err := p.Schedule(3*ms, func(ctx context.Context) error {
			current = trace.SpanContextFromContext(ctx)
			time.Sleep(2 * ms)
			return nil
		}, executor.Name("refresh"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		s := tr.only(t)
		assert.Equal(t, "refresh", s.Name())
		assert.Equal(t, trace.SpanKindInternal, s.SpanKind())
		assert.Equal(t, 3*ms, s.StartTime().Sub(begun))
		assert.Equal(t, 5*ms, s.EndTime().Sub(begun))
		assert.False(t, s.Parent().IsValid())
		assert.Empty(t, s.Links())
		assert.Empty(t, s.Events())
		assert.Equal(t, codes.Unset, s.Status().Code)
		assert.Equal(t, s.SpanContext(), current, "the body has it as the current one")
		assert.Equal(t, "github.com/punctual-go/punctual/contrib/otelpunctual", s.InstrumentationScope().Name)
		assert.Equal(t, map[string]any{"punctual.pool.name": "jobs", "punctual.task.name": "refresh",
			"punctual.run.number": int64(1), "punctual.run.lateness": 0.0}, attributes(s))
	})
}

func TestWhatHasNoNameIsARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		require.NoError(t, p.Execute(lasts(0)))
		s := tr.only(t)
		assert.Equal(t, "run", s.Name())
		assert.NotContains(t, attributes(s), "punctual.pool.name")
		assert.NotContains(t, attributes(s), "punctual.task.name")
	})
}

func TestARunIsAChildOfItsSubmittersSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		member, err := baggage.NewMember("user", "eve")
		require.NoError(t, err)
		bag, err := baggage.New(member)
		require.NoError(t, err)
		ctx, request := tr.Tracer("test").Start(baggage.ContextWithBaggage(t.Context(), bag), "request")
		carried := ""
		_, err = p.SubmitContext(ctx, func(ctx context.Context) error {
			carried = baggage.FromContext(ctx).Member("user").Value()
			// A task of a task is a grandchild.
			_, err := p.SubmitContext(ctx, lasts(0), executor.Name("inner"))
			return err
		}, executor.Name("outer"))
		require.NoError(t, err)
		_, err = p.Schedule(time.Hour, lasts(0), executor.WithValues(ctx), executor.Name("later"))
		require.NoError(t, err)
		_, err = p.Submit(lasts(0), executor.Name("stranger"))
		require.NoError(t, err)
		time.Sleep(2 * time.Hour)

		parents := map[string]trace.SpanID{}
		ids := map[string]trace.SpanID{"request": request.SpanContext().SpanID()}
		for _, s := range tr.ended() {
			parents[s.Name()], ids[s.Name()] = s.Parent().SpanID(), s.SpanContext().SpanID()
			assert.Empty(t, s.Links())
		}
		assert.Equal(t, map[string]trace.SpanID{"outer": ids["request"], "inner": ids["outer"],
			"later": ids["request"], "stranger": {}}, parents)
		assert.Equal(t, "eve", carried)
	})
}

func TestEachRunOfASeriesIsATraceWithALink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, given := range []bool{true, false} {
			tr := newTraced()
			p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
			ctx, request := tr.Tracer("test").Start(t.Context(), "request")
			opts := []executor.TaskOption{executor.Name("poll"), executor.MaxRuns(3)}
			if given {
				opts = append(opts, executor.WithValues(ctx))
			}
			_, err := p.AtFixedRate(0, time.Second, lasts(ms), opts...)
			require.NoError(t, err)
			time.Sleep(time.Minute)
			traces := map[trace.TraceID]bool{request.SpanContext().TraceID(): true}
			runs := tr.ended()
			require.Len(t, runs, 3)
			for i, s := range runs {
				assert.False(t, s.Parent().IsValid())
				assert.EqualValues(t, i+1, attributes(s)["punctual.run.number"])
				traces[s.SpanContext().TraceID()] = true
				if given {
					require.Len(t, s.Links(), 1)
					assert.Equal(t, request.SpanContext(), s.Links()[0].SpanContext)
				} else {
					assert.Empty(t, s.Links())
				}
			}
			assert.Len(t, traces, 4)
		}
	})
}

func TestASpanTellsWhyTheRunIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		_, err := p.Schedule(0, lasts(20*ms), executor.Name("import"))
		require.NoError(t, err)
		_, err = p.Schedule(5*ms, lasts(0), executor.Name("poll"))
		require.NoError(t, err)
		_, err = p.AtFixedRate(100*ms, 10*ms, func(context.Context) error { time.Sleep(35 * ms); return nil },
			executor.Name("series"), executor.CatchUp(executor.Skip), executor.MaxRuns(2))
		require.NoError(t, err)
		time.Sleep(time.Second)
		runs := tr.ended()
		require.Len(t, runs, 4)
		assert.Equal(t, map[string]any{"punctual.task.name": "poll", "punctual.run.number": int64(1),
			"punctual.run.lateness": 0.015, "punctual.run.late.busy": 0.015,
			"punctual.run.late.holders": []string{"import#1"}}, attributes(runs[1]))
		a := attributes(runs[3])
		assert.EqualValues(t, 3, a["punctual.run.missed"])
	})
}

func TestAttemptsAndTriggersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		ctx, request := tr.Tracer("test").Start(t.Context(), "request")
		_, err := p.Submit(fails, executor.Retry(2, retry.Backoff{}), executor.WithValues(ctx))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		runs := tr.ended()
		require.Len(t, runs, 2)
		for i, s := range runs {
			assert.EqualValues(t, i+1, attributes(s)["punctual.run.attempt"])
			assert.Equal(t, request.SpanContext().SpanID(), s.Parent().SpanID())
			assert.Equal(t, codes.Error, s.Status().Code)
		}
		f, err := p.AtFixedRate(time.Hour, time.Hour, lasts(0))
		require.NoError(t, err)
		require.True(t, f.Trigger())
		assert.Equal(t, true, attributes(tr.ended()[2])["punctual.run.triggered"])
	})
}

func TestALoopHasSpansToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		l := eventloop.New(executor.Name("loop"), executor.Observe(otelpunctual.Spans(tr)))
		defer l.Close()
		_, err := l.AtFixedRate(0, time.Second, lasts(ms), executor.MaxRuns(2), executor.Name("x"))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		runs := tr.ended()
		require.Len(t, runs, 2)
		assert.Equal(t, "loop", attributes(runs[1])["punctual.pool.name"])
		assert.Equal(t, ms, runs[1].EndTime().Sub(runs[1].StartTime()))
	})
}

func TestObserversOfTwoProvidersDoNotMix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newTraced(), newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(a), otelpunctual.Spans(b)))
		_, err := p.Submit(lasts(ms))
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, a.only(t).SpanContext().SpanID(), b.only(t).Parent().SpanID())
	})
}

func TestNamesMayBeAnything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Name("\xff"), executor.Observe(otelpunctual.Spans(tr)))
		_, err := p.Submit(func(context.Context) error { panic("\xfe") }, executor.Name("a\xffb"))
		require.NoError(t, err)
		s := tr.only(t)
		assert.Equal(t, "a\uFFFDb", s.Name())
		assert.Equal(t, "\uFFFD", attributes(s)["punctual.pool.name"])
		assert.Equal(t, "a\uFFFDb", attributes(s)["punctual.task.name"])
		assert.Contains(t, s.Status().Description, "\uFFFD")
		for _, a := range s.Events()[0].Attributes {
			assert.Equal(t, valid(a.Value.AsString()), a.Value.AsString(), a.Key)
		}
	})
}

func valid(text string) string { return string([]rune(text)) }

func TestARunThatIsNotSampledHasNoAttributes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced(sdktrace.WithSampler(sdktrace.NeverSample()))
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		current := trace.SpanContext{}
		_, err := p.Submit(func(ctx context.Context) error {
			current = trace.SpanContextFromContext(ctx)
			return errBad
		}, executor.Timeout(time.Minute))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		assert.Empty(t, tr.ended())
		assert.True(t, current.IsValid(), "but what it calls knows that")
		assert.False(t, current.IsSampled())
	})
}

func TestTheSamplerSeesTheAttributes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[attribute.Key]bool{}
		tr := newTraced(sdktrace.WithSampler(sampler(func(p sdktrace.SamplingParameters) {
			for _, a := range p.Attributes {
				seen[a.Key] = true
			}
		})))
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		_, err := p.Submit(lasts(0), executor.Name("x"))
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, seen["punctual.task.name"])
	})
}

type sampler func(sdktrace.SamplingParameters)

func (s sampler) Description() string { return "test" }
func (s sampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	s(p)
	return sdktrace.SamplingResult{Decision: sdktrace.RecordAndSample}
}

func TestNoTracerProviderIsTheGlobalOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		before := otel.GetTracerProvider()
		otel.SetTracerProvider(tr)
		defer otel.SetTracerProvider(before)
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(nil)))
		require.NoError(t, p.Execute(lasts(0)))
		tr.only(t)
	})
	assert.PanicsWithValue(t, "otelpunctual: nil option", func() { otelpunctual.Spans(nil, nil) })
}
