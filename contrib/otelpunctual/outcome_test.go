package otelpunctual_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/punctual-go/punctual/contrib/otelpunctual"
	"github.com/punctual-go/punctual/executor"
)

func TestFailuresAreRecorded(t *testing.T) {
	for kind, task := range map[string]executor.Task{
		"*errors.errorString": fails,
		"*net.OpError":        func(context.Context) error { return fmt.Errorf("dial: %w", &net.OpError{Err: errBad}) },
		"panic":               func(context.Context) error { panic("boom") },
		"goexit":              func(context.Context) error { runtime.Goexit(); return nil },
		"timeout":             func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		synctest.Test(t, func(t *testing.T) {
			tr := newTraced()
			p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
			f, err := p.Submit(task, executor.Timeout(50*ms))
			require.NoError(t, err)
			<-f.Stopped()
			_, err = f.Get(t.Context())
			s := tr.only(t)
			assert.Equal(t, kind, attributes(s)["error.type"])
			assert.Equal(t, codes.Error, s.Status().Code)
			assert.Equal(t, err.Error(), s.Status().Description)
			require.Len(t, s.Events(), 1)
			e := s.Events()[0]
			assert.Equal(t, "exception", e.Name)
			found := map[string]string{}
			for _, a := range e.Attributes {
				found[string(a.Key)] = a.Value.AsString()
			}
			assert.Equal(t, err.Error(), found["exception.message"])
			assert.Equal(t, fmt.Sprintf("%T", err), found["exception.type"])
			if kind == "panic" {
				assert.Contains(t, found["exception.stacktrace"], "outcome_test.go")
			} else {
				assert.NotContains(t, found, "exception.stacktrace")
			}
		})
	}
}

// harmful is an error that does not like to be asked.
type harmful struct{}

func (harmful) Error() string { panic("boom") }

func TestASpanEndsThoughItsErrorPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		_, err := p.Submit(func(context.Context) error { return harmful{} })
		require.NoError(t, err)
		tr.only(t)
		_, err = p.Submit(lasts(0))
		require.NoError(t, err)
		assert.Len(t, tr.ended(), 2)
	})
}

// spoken is an error that names its kind.
type spoken struct{ error }

func (spoken) ErrorType() string { return "weather\xff" }

func TestAnErrorMayNameItsKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		_, err := p.Submit(func(context.Context) error { return spoken{errBad} })
		require.NoError(t, err)
		assert.Equal(t, "weather\uFFFD", attributes(tr.only(t))["error.type"])
	})
}

func TestACancelledRunHasNotFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		f, err := p.Submit(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		require.NoError(t, err)
		synctest.Wait()
		f.Cancel()
		s := tr.only(t)
		assert.Equal(t, "cancelled", attributes(s)["error.type"])
		assert.Equal(t, codes.Unset, s.Status().Code)
		assert.Empty(t, s.Events())
	})
}

func TestASkippedRunHasNotFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr)))
		_, err := p.Submit(func(context.Context) error {
			return fmt.Errorf("%w: not the leader", executor.ErrSkipped)
		})
		require.NoError(t, err)
		s := tr.only(t)
		assert.Equal(t, true, attributes(s)["punctual.run.skipped"])
		assert.NotContains(t, attributes(s), "error.type")
		assert.Equal(t, codes.Unset, s.Status().Code)
		assert.Empty(t, s.Events())
	})
}

func TestASkippedRunIsNoTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraced()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr, otelpunctual.LateOrFailed())))
		for _, end := range []func() error{
			func() error { return executor.ErrSkipped },
			func() error { panic(executor.ErrSkipped) },
			func() error { time.Sleep(2 * time.Second); return executor.ErrSkipped },
		} {
			_, err := p.Submit(func(context.Context) error { return end() }, executor.Timeout(time.Second))
			require.NoError(t, err)
			time.Sleep(time.Minute)
		}
		runs := tr.ended()
		require.Len(t, runs, 2)
		assert.Equal(t, "panic", attributes(runs[0])["error.type"])
		assert.Equal(t, "timeout", attributes(runs[1])["error.type"])
	})
}

// overrun plays a run that exceeds its timeout, and lasts so long in all.
func overrun(t *testing.T, d time.Duration, opts ...otelpunctual.SpanOption) (traced, func()) {
	tr := newTraced()
	p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr, opts...)))
	free := make(chan struct{})
	_, err := p.Submit(func(context.Context) error {
		select {
		case <-free:
		case <-time.After(d):
		}
		return nil
	}, executor.Timeout(time.Second), executor.Name("stuck"))
	require.NoError(t, err)
	return tr, func() { close(free) }
}

func TestARunThatExceedsItsTimeoutEndsItsOwnSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, _ := overrun(t, 5*time.Second)
		time.Sleep(time.Hour)
		s := tr.only(t)
		assert.Equal(t, 5*time.Second, s.EndTime().Sub(s.StartTime()))
		assert.Equal(t, "timeout", attributes(s)["error.type"])
		assert.NotContains(t, attributes(s), "punctual.run.overrunning")
	})
}

func TestASpanEndsThoughTheBodyNeverDoes(t *testing.T) {
	for _, opts := range [][]otelpunctual.SpanOption{nil, {otelpunctual.LateOrFailed()}} {
		synctest.Test(t, func(t *testing.T) {
			tr, free := overrun(t, 1000*time.Hour, opts...)
			time.Sleep(time.Minute)
			check := func(s sdktrace.ReadOnlySpan) {
				assert.Equal(t, 11*time.Second, s.EndTime().Sub(s.StartTime()))
				assert.Equal(t, "timeout", attributes(s)["error.type"])
				assert.Equal(t, true, attributes(s)["punctual.run.overrunning"])
				assert.Equal(t, codes.Error, s.Status().Code)
				assert.Contains(t, s.Status().Description, "timed out after 1s")
			}
			check(tr.only(t))
			free()
			check(tr.only(t))
		})
	}
}

func TestADeadlineFarAwayEndsNoSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().AddDate(1000, 0, 0))
		defer cancel()
		tr := newTraced()
		p := newPool(t, 1, executor.BaseContext(ctx), executor.Observe(otelpunctual.Spans(tr)))
		_, err := p.Submit(lasts(time.Hour))
		require.NoError(t, err)
		time.Sleep(2 * time.Hour)
		assert.Equal(t, time.Hour, tr.only(t).EndTime().Sub(tr.only(t).StartTime()))
	})
}

func TestSpansOfTroubleOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, begun := newTraced(), time.Now()
		p := newPool(t, 1, executor.Observe(otelpunctual.Spans(tr, otelpunctual.LateOrFailed())))
		ctx, request := tr.Tracer("test").Start(t.Context(), "request")
		_, err := p.SubmitContext(ctx, lasts(time.Second), executor.Name("good"))
		require.NoError(t, err)
		time.Sleep(ms)
		_, err = p.SubmitContext(ctx, lasts(ms), executor.Name("late"))
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		_, err = p.SubmitContext(ctx, func(context.Context) error {
			time.Sleep(ms)
			return errBad
		}, executor.Name("bad"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		runs := tr.ended()
		require.Len(t, runs, 2)
		late, bad := runs[0], runs[1]
		assert.Equal(t, "late", late.Name())
		assert.Equal(t, time.Second, late.StartTime().Sub(begun))
		assert.Equal(t, time.Second+ms, late.EndTime().Sub(begun))
		assert.Equal(t, 0.999, attributes(late)["punctual.run.late.busy"])
		assert.Equal(t, codes.Unset, late.Status().Code)
		assert.Equal(t, "bad", bad.Name())
		assert.Equal(t, ms, bad.EndTime().Sub(bad.StartTime()))
		assert.Equal(t, codes.Error, bad.Status().Code)
		for _, s := range runs {
			assert.Equal(t, request.SpanContext().SpanID(), s.Parent().SpanID())
		}
	})
}
