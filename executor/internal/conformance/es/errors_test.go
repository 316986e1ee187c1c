package es_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/future"
)

// strictError is of a kind that happens: every method of a nil pointer to one panics.
type strictError struct{ text string }

func (e *strictError) Error() string      { return e.text }
func (e *strictError) Is(err error) bool  { return e.text == err.Error() }
func (e *strictError) As(any) bool        { return e.text != "" }
func (e *strictError) Unwrap() error      { return e.wrapped() }
func (e *strictError) wrapped() (_ error) { _ = e.text; return nil }

var errStrict error = (*strictError)(nil)

func failStrict(context.Context) error { return errStrict }

// isStrict tells whether err is just that, without a call of its methods.
func isStrict(err error) bool { return err == errStrict }

func TestGroupTheErrorOfAMemberMayHaveMethodsThatPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(t.Context(), pooltest.NewPool(t, 1))
		require.NoError(t, g.Go(failStrict))
		assert.NotPanics(t, func() { assert.True(t, isStrict(g.Wait())) })
	})
}

func TestBulkWorkMayFailWithErrorsWhoseMethodsPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		fn := func(context.Context) (int, error) { return 0, errStrict }
		assert.NotPanics(t, func() {
			fs, err := executor.InvokeAll(t.Context(), p, fn, fn)
			require.NoError(t, err)
			for _, f := range fs {
				_, err := f.Get(t.Context())
				assert.True(t, isStrict(err))
			}
			_, err = executor.InvokeAny(t.Context(), p, fn, fn)
			assert.Error(t, err)
			s := bulk.NewCompletionService[int](p)
			_, err = s.Submit(fn)
			require.NoError(t, err)
			f, err := s.Take(t.Context())
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			assert.True(t, isStrict(err))
		})
	})
}

// strictContext returns a context that ends after a second, with an error whose methods panic, and
// another cause.
func strictContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, pooltest.ErrCause)
	t.Cleanup(cancel)
	return endedContext{ctx, errStrict}
}

func TestTheErrorOfAContextMayHaveMethodsThatPanic(t *testing.T) {
	waits := map[string]func(t *testing.T, p *executor.Pool, f *future.Future[struct{}]) error{
		"Get": func(t *testing.T, _ *executor.Pool, f *future.Future[struct{}]) error {
			_, err := f.Get(strictContext(t))
			return err
		},
		"SubmitContext": func(t *testing.T, p *executor.Pool, _ *future.Future[struct{}]) error {
			_, err := p.SubmitContext(strictContext(t), pooltest.Nothing)
			return err
		},
		"Group": func(t *testing.T, _ *executor.Pool, _ *future.Future[struct{}]) error {
			g := bulk.NewGroup(strictContext(t), pooltest.NewPool(t, 1))
			require.NoError(t, g.Go(pooltest.NewGate(t).Heed))
			return g.Wait()
		},
		"InvokeAll": func(t *testing.T, _ *executor.Pool, _ *future.Future[struct{}]) error {
			_, err := executor.InvokeAll(strictContext(t), pooltest.NewPool(t, 1), heeds)
			return err
		},
		"CloseContext": func(t *testing.T, p *executor.Pool, _ *future.Future[struct{}]) error {
			_, err := p.CloseContext(strictContext(t))
			return err
		},
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
				hold := pooltest.NewGate(t)
				f, err := p.Submit(hold.Hold)
				require.NoError(t, err)
				synctest.Wait()
				assert.NotPanics(t, func() { assert.True(t, wait(t, p, f) != nil) })
			})
		})
	}
}

// textError makes a call when it is asked for its text.
type textError struct{ call func() }

func (e textError) Error() string { e.call(); return "text" }

// endedContext is one of another make, with an error of its own.
type endedContext struct {
	context.Context
	err error
}

func (c endedContext) Err() error {
	if c.Context.Err() != nil {
		return c.err
	}
	return nil
}

func TestTheErrorOfAContextMayCallThePoolThatAsksIt(t *testing.T) {
	p := executor.NewPool(1, executor.Queue(queue.HandOff()))
	release := make(chan struct{})
	defer p.Close()
	defer close(release)
	_, err := p.Submit(func(context.Context) error { <-release; return nil })
	require.NoError(t, err)
	parent, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	over := make(chan error, 1)
	go func() {
		_, err := p.SubmitContext(endedContext{parent, textError{func() { p.Stats() }}}, pooltest.Nothing)
		over <- err
	}()
	select {
	case err := <-over:
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.Contains(t, err.Error(), "text")
	case <-time.After(time.Minute):
		t.Fatal("the error is asked for its text with the lock of the pool held")
	}
}
