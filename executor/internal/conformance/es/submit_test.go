package es_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestES001_ASubmittedTaskRunsAndItsFutureSucceeds(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
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
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		f, err := executor.Submit(p.Submitter, pooltest.Value(42, time.Second))
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 42, v)
	})
}

func TestES003_AFutureIsSettledOnceGetHasReturned(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		f, err := executor.Submit(p.Submitter, pooltest.Value(1, 0))
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
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		serial, keyed := serial.New(p.Submitter), serial.NewKeyed[string](p.Submitter)
		group := bulk.NewGroup(t.Context(), p.Submitter)
		service := bulk.NewCompletionService[int](p.Submitter)
		entrances := map[string]func() error{
			"Execute":              func() error { return p.Pool.Execute(nil) },
			"Submit":               func() error { _, err := p.Pool.Submit(nil); return err },
			"SubmitContext":        func() error { _, err := p.Pool.SubmitContext(t.Context(), nil); return err },
			"typed Submit":         func() error { _, err := executor.Submit[int](p.Submitter, nil); return err },
			"typed SubmitContext":  func() error { _, err := executor.SubmitContext[int](t.Context(), p.Submitter, nil); return err },
			"serial Execute":       func() error { return serial.Execute(nil) },
			"serial Submit":        func() error { _, err := serial.Submit(nil); return err },
			"serial SubmitContext": func() error { _, err := serial.SubmitContext(t.Context(), nil); return err },
			"keyed Execute":        func() error { return keyed.Execute("k", nil) },
			"keyed Submit":         func() error { _, err := keyed.Submit("k", nil); return err },
			"keyed SubmitContext":  func() error { _, err := keyed.SubmitContext(t.Context(), "k", nil); return err },
			"group Go":             func() error { return group.Go(nil) },
			"completion service":   func() error { _, err := service.Submit(nil); return err },
			"InvokeAll of one and nil": func() error {
				_, err := executor.InvokeAll(t.Context(), p.Submitter, pooltest.Value(1, 0), nil)
				return err
			},
			"InvokeAny of one and nil": func() error {
				_, err := executor.InvokeAny(t.Context(), p.Submitter, pooltest.Value(1, 0), nil)
				return err
			},
		}
		for name, enter := range entrances {
			assert.ErrorIs(t, enter(), executor.ErrNilTask, name)
		}
		synctest.Wait()
		s := p.Pool.Stats()
		assert.Equal(t, []uint64{0, 0, 0}, []uint64{s.Accepted, s.Rejected, s.Runs})
		assert.Zero(t, keyed.Keys())
		assert.Zero(t, service.Outstanding())
		assert.NoError(t, group.Wait())
	})
}

func TestES007_TheEndOfItsContextEndsAGetAndNotTheTask(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		f, err := executor.Submit(p.Submitter, pooltest.Value(5, time.Hour))
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(pooltest.ErrCause) })
		start := time.Now()
		_, err = f.Get(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, pooltest.ErrCause)
		assert.Equal(t, time.Minute, time.Since(start))
		v, err := f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 5, v)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestES008_TheErrorOfATaskIsThatOfItsFuture(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		f, err := executor.Submit(p.Submitter, pooltest.Failure(pooltest.ErrTask, 0))
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
		exits, err := executor.Submit(
			p, func(context.Context) (int, error) { runtime.Goexit(); return 1, nil },
		)
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
		p := pooltest.NewPool(
			t, 1, executor.Queue(queue.HandOff()),
			executor.OnRejection(func(*rejection.Task) error { return pooltest.ErrTask }),
		)
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		assert.Equal(t, pooltest.ErrTask, p.Execute(pooltest.Nothing))
		f, err := p.Submit(pooltest.Nothing)
		assert.Equal(t, pooltest.ErrTask, err)
		assert.Nil(t, f)
		typed, err := executor.Submit(p, pooltest.Value(1, 0))
		assert.Equal(t, pooltest.ErrTask, err)
		assert.Nil(t, typed)
		s := p.Stats()
		assert.Equal(t, []uint64{1, 3}, []uint64{s.Accepted, s.Rejected})
	})
}

func TestES010_AfterShutdownNothingIsAccepted(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		p.Pool.Shutdown()
		f, err := executor.Submit(p.Submitter, pooltest.Value(1, 0))
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.ErrorIs(t, err, executor.ErrRejected)
		assert.Nil(t, f)
		assert.ErrorIs(t, p.Pool.Execute(pooltest.Nothing), executor.ErrShutdown)
		_, err = executor.SubmitContext(t.Context(), p.Submitter, pooltest.Value(1, 0))
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.EqualValues(t, 3, p.Pool.Stats().Rejected)
	})
}

func TestES010_StopLeavesARunningBodyInPeace(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
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
	ways := map[error]func(p pooltest.Target, f *future.Future[error]){
		pooltest.ErrCause:    func(_ pooltest.Target, f *future.Future[error]) { f.CancelCause(pooltest.ErrCause) },
		future.ErrCancelled:  func(_ pooltest.Target, f *future.Future[error]) { f.Cancel() },
		executor.ErrShutdown: func(p pooltest.Target, _ *future.Future[error]) { p.Pool.ShutdownNow() },
	}
	for want, end := range ways {
		t.Run(want.Error(), func(t *testing.T) {
			pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
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
