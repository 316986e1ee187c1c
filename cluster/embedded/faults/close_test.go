package faults

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

func TestCloseEndsServingAndAllThatWaits(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	begun, end := make(chan struct{}), make(chan struct{})
	slow := cluster.Define("slow", func(context.Context, int) (int, error) {
		close(begun)
		<-end
		return 7, nil
	})
	nobody := cluster.Define("nobody", func(context.Context, int) (int, error) { return 0, nil })
	p := l.replica(t)
	served := make(chan error, 1)
	go func() { served <- p.Serve(context.Background(), slow) }()
	running, err := cluster.Submit(ctx, l.pool, slow, 0)
	require.NoError(t, err)
	<-begun
	open, err := cluster.Submit(ctx, p, nobody, 0)
	require.NoError(t, err)
	attached := make(chan error, 1)
	go func() {
		_, err := cluster.Attach(p, nobody, open.ID()).Get(ctx)
		attached <- err
	}()

	closed := make(chan struct{})
	go func() {
		p.Close()
		close(closed)
	}()
	require.Eventually(t, func() bool { return errors.Is(p.Serve(ctx, slow), cluster.ErrClosed) },
		10*time.Second, time.Millisecond)
	select {
	case <-closed:
		t.Fatal("a run is under way, which Serve waits for")
	default:
	}
	close(end)
	<-closed
	p.Close() // again
	require.NoError(t, <-served)
	got, err := running.Get(ctx)
	require.NoError(t, err, "the outcome of what was under way is stored")
	require.Equal(t, 7, got)

	_, err = open.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrClosed)
	require.ErrorIs(t, <-attached, cluster.ErrClosed)
	_, err = cluster.Submit(ctx, p, nobody, 0)
	require.ErrorIs(t, err, cluster.ErrClosed)
	_, err = cluster.Submit(ctx, p, nobody, 0, cluster.Once("key"))
	require.ErrorIs(t, err, cluster.ErrClosed)
	_, err = cluster.AtFixedRate(ctx, p, "s", 0, time.Second, nobody, 0)
	require.ErrorIs(t, err, cluster.ErrClosed)
	_, err = p.Stats(ctx)
	require.ErrorIs(t, err, cluster.ErrClosed)
	require.ErrorIs(t, p.Serve(ctx, nobody), cluster.ErrClosed)

	l.serve(t, nobody) // what was accepted goes on
	_, err = cluster.Attach(l.pool, nobody, open.ID()).Get(ctx)
	require.NoError(t, err)
}

func TestPoolsThatAreClosedLeaveNothingBehind(t *testing.T) {
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	nc := l.connect(t)
	task := cluster.Define("t", func(context.Context, int) (int, error) { return 1, nil })
	cycle := func(i int) {
		p, err := cluster.Join(ctx, nc, cluster.Name(fmt.Sprintf("p%d", i%2)))
		require.NoError(t, err)
		serving, stop := context.WithCancel(ctx)
		served := make(chan error, 1)
		go func() { served <- p.Serve(serving, task) }()
		f, err := cluster.Submit(ctx, p, task, 1)
		require.NoError(t, err)
		_, err = f.Get(ctx)
		require.NoError(t, err)
		p.Close()
		stop()
		require.NoError(t, <-served)
	}
	cycle(0)
	cycle(1)
	before, subscriptions := runtime.NumGoroutine(), nc.NumSubscriptions()
	for i := range 50 {
		cycle(i)
	}
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+5 }, 20*time.Second, 10*time.Millisecond)
	assert.Eventually(t, func() bool { return nc.NumSubscriptions() <= subscriptions }, 20*time.Second, 10*time.Millisecond)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	for i := range 2 {
		bucket, err := js.Stream(ctx, fmt.Sprintf("KV_PUNCTUAL_p%d", i))
		require.NoError(t, err)
		info, err := bucket.Info(ctx)
		require.NoError(t, err)
		assert.Zero(t, info.State.Consumers)
	}
}
