package es_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

var (
	errESCause = errors.New("nobody waits any more")
)

// esAny is something that takes tasks, and the pool that runs them.
type esAny struct {
	executor.Submitter
	pool *executor.Pool
}

func (p esAny) stats() executor.Stats { return p.pool.Stats() }

// esEach runs a test on something of every kind, in a bubble each.
func esEach(t *testing.T, test func(t *testing.T, p esAny)) {
	plain := func(p *executor.Pool) esAny { return esAny{p, p} }
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	kinds := map[string]func(t *testing.T) esAny{
		"fixed":  func(t *testing.T) esAny { return plain(pooltest.Stop(t, executor.NewPool(2, quiet))) },
		"cached": func(t *testing.T) esAny { return plain(pooltest.Stop(t, pooltest.NewCached(quiet))) },
		"single": func(t *testing.T) esAny {
			return plain(pooltest.Stop(t, executor.NewPool(1, executor.Confined(), quiet)))
		},
		"scheduled": func(t *testing.T) esAny { p := pooltest.NewScheduledPool(t, 2); return esAny{p, &p.Pool} },
		"serial":    func(t *testing.T) esAny { p := pooltest.NewPool(t, 2); return esAny{executor.NewSerial(p), p} },
		"keyed": func(t *testing.T) esAny {
			p := pooltest.NewPool(t, 2)
			return esAny{executor.NewKeyedSerial[int](p).For(7), p}
		},
		"bounded, caller runs": func(t *testing.T) esAny {
			return plain(pooltest.NewPool(t, 1, executor.BoundedFIFO(1), executor.OnRejection(executor.CallerRuns)))
		},
		"bounded, block": func(t *testing.T) esAny {
			return plain(pooltest.NewPool(t, 1, executor.BoundedFIFO(1), executor.OnRejection(executor.Block)))
		},
		"priorities": func(t *testing.T) esAny { return plain(pooltest.NewPool(t, 2, executor.PriorityFIFO())) },
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, kind(t)) })
		})
	}
}

// esValue is a function that returns v after a time, if its context lets it.
func esValue(v int, after time.Duration) future.Func[int] {
	return esResult(v, nil, after)
}

// esFailure is a function that fails with err after a time, if its context lets it.
func esFailure(err error, after time.Duration) future.Func[int] {
	return esResult(0, err, after)
}

func esResult(v int, err error, after time.Duration) future.Func[int] {
	return func(ctx context.Context) (int, error) {
		if after == 0 {
			return v, err
		}
		select {
		case <-time.After(after):
			return v, err
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

func TestES001_ASubmittedTaskRunsAndItsFutureSucceeds(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		ran := 0
		f, err := executor.Submit(p.Submitter, func(context.Context) (struct{}, error) {
			ran++
			return struct{}{}, nil
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, ran)
		assert.Equal(t, future.Succeeded, f.State())
		_, err = f.GetTimeout(0)
		assert.NoError(t, err)
		assert.False(t, f.Cancel())
	})
}

func TestES002_AFunctionDeliversItsValue(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		f, err := executor.Submit(p.Submitter, esValue(42, time.Second))
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 42, v)
	})
}

func TestES003_AFutureIsSettledOnceGetHasReturned(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		f, err := executor.Submit(p.Submitter, esValue(1, 0))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		r, settled := f.Poll()
		assert.True(t, settled)
		assert.Equal(t, future.Result[int]{Value: 1}, r)
		assert.True(t, probe.IsClosed(f.Done()))
	})
}

func TestES006_A1_ANilTaskIsRefusedAtEveryEntranceAndCountsNowhere(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		serial, keyed := executor.NewSerial(p.Submitter), executor.NewKeyedSerial[string](p.Submitter)
		group := executor.NewGroup(t.Context(), p.Submitter)
		service := executor.NewCompletionService[int](p.Submitter)
		entrances := map[string]func() error{
			"Execute":                  func() error { return p.pool.Execute(nil) },
			"Submit":                   func() error { _, err := p.pool.Submit(nil); return err },
			"SubmitContext":            func() error { _, err := p.pool.SubmitContext(t.Context(), nil); return err },
			"typed Submit":             func() error { _, err := executor.Submit[int](p.Submitter, nil); return err },
			"typed SubmitContext":      func() error { _, err := executor.SubmitContext[int](t.Context(), p.Submitter, nil); return err },
			"serial Execute":           func() error { return serial.Execute(nil) },
			"serial Submit":            func() error { _, err := serial.Submit(nil); return err },
			"serial SubmitContext":     func() error { _, err := serial.SubmitContext(t.Context(), nil); return err },
			"keyed Execute":            func() error { return keyed.Execute("k", nil) },
			"keyed Submit":             func() error { _, err := keyed.Submit("k", nil); return err },
			"keyed SubmitContext":      func() error { _, err := keyed.SubmitContext(t.Context(), "k", nil); return err },
			"group Go":                 func() error { return group.Go(nil) },
			"completion service":       func() error { _, err := service.Submit(nil); return err },
			"InvokeAll of one and nil": func() error { _, err := executor.InvokeAll(t.Context(), p.Submitter, esValue(1, 0), nil); return err },
			"InvokeAny of one and nil": func() error { _, err := executor.InvokeAny(t.Context(), p.Submitter, esValue(1, 0), nil); return err },
		}
		for name, enter := range entrances {
			assert.ErrorIs(t, enter(), executor.ErrNilTask, name)
		}
		synctest.Wait()
		s := p.stats()
		assert.Equal(t, []uint64{0, 0, 0}, []uint64{s.Accepted, s.Rejected, s.Runs})
		assert.Zero(t, keyed.Keys())
		assert.Zero(t, service.Outstanding())
		assert.NoError(t, group.Wait())
	})
}

func TestES007_TheEndOfItsContextEndsAGetAndNotTheTask(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		f, err := executor.Submit(p.Submitter, esValue(5, time.Hour))
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(errESCause) })
		start := time.Now()
		_, err = f.Get(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, errESCause)
		assert.Equal(t, time.Minute, time.Since(start))
		v, err := f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 5, v)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestES008_TheErrorOfATaskIsThatOfItsFuture(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		f, err := executor.Submit(p.Submitter, esFailure(pooltest.ErrTask, 0))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.Equal(t, pooltest.ErrTask, err) // itself, not wrapped
		assert.Equal(t, future.StateFailed, f.State())
	})
}

func TestES008_APanicAndAGoexitAreErrorsOfTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		panics, err := executor.Submit(p, func(context.Context) (int, error) { panic(pooltest.ErrTask) })
		require.NoError(t, err)
		exits, err := executor.Submit(p, func(context.Context) (int, error) { runtime.Goexit(); return 1, nil })
		require.NoError(t, err)
		_, err = panics.Get(t.Context())
		var panicked *future.PanicError
		assert.ErrorAs(t, err, &panicked)
		assert.ErrorIs(t, err, pooltest.ErrTask)
		_, err = exits.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrGoexit)
	})
}

func TestES009_WhatRefusesATaskIsReturnedByTheSubmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.HandOff(), executor.OnRejection(func(*executor.Rejection) error { return pooltest.ErrTask }))
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		assert.Equal(t, pooltest.ErrTask, p.Execute(pooltest.Nothing))
		f, err := p.Submit(pooltest.Nothing)
		assert.Equal(t, pooltest.ErrTask, err)
		assert.Nil(t, f)
		typed, err := executor.Submit(p, esValue(1, 0))
		assert.Equal(t, pooltest.ErrTask, err)
		assert.Nil(t, typed)
		s := p.Stats()
		assert.Equal(t, []uint64{1, 3}, []uint64{s.Accepted, s.Rejected})
	})
}

func TestES010_AfterShutdownNothingIsAccepted(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		p.pool.Shutdown()
		f, err := executor.Submit(p.Submitter, esValue(1, 0))
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.ErrorIs(t, err, executor.ErrRejected)
		assert.Nil(t, f)
		assert.ErrorIs(t, p.pool.Execute(pooltest.Nothing), executor.ErrShutdown)
		_, err = executor.SubmitContext(t.Context(), p.Submitter, esValue(1, 0))
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.EqualValues(t, 3, p.stats().Rejected)
	})
}

func TestES010_StopLeavesARunningBodyInPeace(t *testing.T) {
	esEach(t, func(t *testing.T, p esAny) {
		var seen error
		f, err := executor.Submit(p.Submitter, func(ctx context.Context) (int, error) {
			time.Sleep(time.Minute)
			seen = ctx.Err()
			return 1, nil
		})
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, f.Stop())
		<-f.Stopped()
		assert.NoError(t, seen)
		assert.Equal(t, future.Cancelled, f.State())
	})
}

func TestES010_CancelAndShutdownNowEndTheContextOfARunningBody(t *testing.T) {
	ways := map[error]func(p esAny, f *future.Future[error]){
		errESCause:           func(_ esAny, f *future.Future[error]) { f.CancelCause(errESCause) },
		future.ErrCancelled:  func(_ esAny, f *future.Future[error]) { f.Cancel() },
		executor.ErrShutdown: func(p esAny, _ *future.Future[error]) { p.pool.ShutdownNow() },
	}
	for want, end := range ways {
		t.Run(want.Error(), func(t *testing.T) {
			esEach(t, func(t *testing.T, p esAny) {
				var seen error
				f, err := executor.Submit(p.Submitter, func(ctx context.Context) (error, error) {
					<-ctx.Done()
					seen = context.Cause(ctx)
					return nil, nil
				})
				require.NoError(t, err)
				time.Sleep(time.Minute)
				end(p, f)
				<-f.Stopped()
				assert.ErrorIs(t, seen, want)
			})
		})
	}
}
