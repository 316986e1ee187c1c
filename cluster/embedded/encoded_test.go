package embedded_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

// counted is a task that counts its runs.
func counted(runs *atomic.Int64) cluster.Task[int, int] {
	return cluster.Define("count", func(_ context.Context, n int) (int, error) {
		runs.Add(1)
		return 2 * n, nil
	})
}

// joined returns a pool with a server of its own, and the function that serves it from then on.
func joined(
	t *testing.T, opts ...cluster.Option,
) (p *cluster.Pool, serve func(...cluster.Runnable)) {
	server, err := embedded.Start(t.Context(), t.TempDir())
	require.NoError(t, err)
	t.Cleanup(server.Close)
	conn, err := server.Conn()
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	p, err = cluster.Join(t.Context(), conn, opts...)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	again, err := cluster.Join(t.Context(), conn, cluster.Keep(time.Minute))
	require.NoError(t, err)
	assert.Equal(t, p.Keeps(), again.Keeps()) // it counts when the pool is made
	again.Close()
	return p, func(tasks ...cluster.Runnable) {
		served := make(chan error, 1)
		go func() { served <- p.Serve(context.Background(), tasks...) }()
		t.Cleanup(func() {
			p.Close()
			assert.NoError(t, <-served)
		})
	}
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// However often an encoded submission is made, it is one task, whose ID was known before.
func TestAnEncodedSubmissionIsOneTask(t *testing.T) {
	ctx := soon(t)
	pool, serve := joined(t, cluster.Keep(time.Hour))
	assert.Equal(t, time.Hour, pool.Keeps())
	var runs atomic.Int64
	count := counted(&runs)
	e, err := cluster.Encode(count, 21, "the only one")
	require.NoError(t, err)
	future := cluster.Attach(pool, count, e.ID())
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { assert.NoError(t, pool.SubmitEncoded(ctx, time.Time{}, e)) })
	}
	all.Wait()
	serve(count)
	v, err := future.Get(ctx)
	require.NoError(t, err)
	assert.Equal(t, 42, v)

	copied := cluster.Encoded{Task: e.Task, Payload: e.Payload, Key: e.Key} // by another process
	require.NoError(t, pool.SubmitEncoded(ctx, time.Time{}, copied))
	last, err := cluster.Submit(ctx, pool, count, 1)
	require.NoError(t, err)
	_, err = last.Get(ctx)
	require.NoError(t, err)
	assert.EqualValues(t, 2, runs.Load())
}

// One that was cancelled stays so, unlike a key of Once.
func TestAnEncodedSubmissionThatWasCancelled(t *testing.T) {
	ctx := soon(t)
	pool, serve := joined(t)
	var runs atomic.Int64
	count := counted(&runs)
	e, err := cluster.Encode(count, 21, "cancelled")
	require.NoError(t, err)
	require.NoError(t, pool.SubmitEncoded(ctx, time.Now().Add(time.Hour), e))
	future := cluster.Attach(pool, count, e.ID())
	prevented, err := future.Cancel(ctx)
	require.NoError(t, err)
	require.True(t, prevented)
	require.NoError(t, pool.SubmitEncoded(ctx, time.Time{}, e))
	serve(count)
	_, err = future.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrCancelled)
	last, err := cluster.Submit(ctx, pool, count, 1)
	require.NoError(t, err)
	_, err = last.Get(ctx)
	require.NoError(t, err)
	assert.EqualValues(t, 1, runs.Load())
	require.Eventually(t, func() bool {
		stats, err := pool.Stats(ctx)
		return assert.NoError(t, err) && stats.Stored == 0
	}, time.Minute, 10*time.Millisecond)
}

func TestAnEncodedSubmissionHasItsTime(t *testing.T) {
	ctx := soon(t)
	pool, serve := joined(t)
	began := make(chan time.Time, 1)
	task := cluster.Define("when", func(ctx context.Context, _ int) (time.Time, error) {
		run, _ := cluster.RunFrom(ctx)
		began <- time.Now()
		return run.Scheduled, nil
	})
	serve(task)
	e, err := cluster.Encode(task, 0, "later")
	require.NoError(t, err)
	due := time.Now().Add(1500 * time.Millisecond)
	require.NoError(t, pool.SubmitEncoded(ctx, due, e))
	planned, err := cluster.Attach(pool, task, e.ID()).Get(ctx)
	require.NoError(t, err)
	assert.True(t, due.Equal(planned))
	assert.False(t, (<-began).Before(due))
}

func TestEncodedSubmissionsThatAreRefused(t *testing.T) {
	ctx := soon(t)
	pool, _ := joined(t)
	var runs atomic.Int64
	count := counted(&runs)
	_, err := cluster.Encode(count, 1, "")
	require.ErrorIs(t, err, cluster.ErrInvalid)
	_, err = cluster.Encode(cluster.Task[int, int]{}, 1, "key")
	require.ErrorIs(t, err, cluster.ErrInvalid)
	for _, e := range []cluster.Encoded{
		{},
		{Task: "count"},
		{Key: "key"},
		{Task: string(make([]byte, 300)), Key: "key"},
		{Task: "count", Key: "key", Payload: make([]byte, 2<<20)},
	} {
		require.ErrorIs(t, pool.SubmitEncoded(ctx, time.Time{}, e), cluster.ErrInvalid)
	}
	pool.Close()
	err = pool.SubmitEncoded(ctx, time.Time{}, cluster.Encoded{Task: "count", Key: "key"})
	require.ErrorIs(t, err, cluster.ErrClosed)
	require.ErrorContains(t, err, "count")
}
