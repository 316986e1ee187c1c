package faults

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// A stream that is deleted, also if another process makes it anew, ends what this process has to do
// with the pool: nothing waits for it in vain. Who joins again has a whole pool.
func TestAPoolThatLosesAStreamIsLost(t *testing.T) {
	for _, name := range []string{"PUNCTUAL_tasks", "KV_PUNCTUAL_tasks"} {
		for _, again := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				loseStream(t, name, again)
			})
		}
	}
}

func loseStream(t *testing.T, name string, again bool) {
	log := &logged{}
	l := startLocal(t, log.option())
	ctx := testContext(t, time.Minute)
	begun := make(chan struct{}, 10)
	hangs := cluster.Define("hangs", func(ctx context.Context, _ int) (int, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}, cluster.Lease(brief))
	nobody := cluster.Define("nobody", func(context.Context, int) (int, error) { return 0, nil })
	served := make(chan error, 1)
	go func() { served <- l.pool.Serve(ctx, hangs) }()
	_, err := cluster.Submit(ctx, l.pool, hangs, 0)
	require.NoError(t, err)
	<-begun
	waits, err := cluster.Schedule(ctx, l.pool, time.Hour, nobody, 0)
	require.NoError(t, err)
	attached := make(chan error, 1)
	go func() {
		_, err := cluster.Attach(l.pool, nobody, "other."+waits.ID()[:5]).Get(ctx)
		attached <- err
	}()

	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	require.NoError(t, js.DeleteStream(ctx, name))
	if again {
		l.replica(t)
	}
	_, err = waits.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrShape)
	require.ErrorContains(t, err, name)
	require.ErrorIs(t, <-attached, cluster.ErrShape)
	err = <-served
	require.ErrorIs(t, err, cluster.ErrShape)
	require.ErrorContains(t, err, `pool "tasks"`)
	_, err = cluster.Submit(ctx, l.pool, nobody, 0)
	require.ErrorIs(t, err, cluster.ErrShape)
	require.ErrorIs(t, l.pool.Serve(ctx, hangs), cluster.ErrShape)
	require.Contains(t, log.String(), name)
	l.pool.Close()

	p := l.replica(t)
	go p.Serve(ctx, nobody) //nolint:errcheck // it ends with the test
	f, err := cluster.Submit(ctx, p, nobody, 0)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.NoError(t, err)
}

// A pool of a protocol that this code does not know is refused, at Join and later.
func TestAPoolOfALaterProtocolIsRefused(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	task := cluster.Define("task", func(context.Context, int) (int, error) { return 0, nil })
	served := make(chan error, 1)
	go func() { served <- l.pool.Serve(ctx, task) }()
	queue := l.queue(t)
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	change := func(number string) {
		config := queue.CachedInfo().Config
		config.Metadata["punctual.protocol"] = number
		_, err := js.UpdateStream(ctx, config)
		require.NoError(t, err)
	}
	require.Equal(t, "2", queue.CachedInfo().Config.Metadata["punctual.protocol"])
	for _, number := range []string{"3", "1", "0", "one"} {
		change(number)
		_, err = cluster.Join(ctx, l.conn)
		require.ErrorIs(t, err, cluster.ErrProtocol)
		require.ErrorContains(t, err, number)
	}
	require.ErrorIs(t, <-served, cluster.ErrProtocol)
	_, err = cluster.Submit(ctx, l.pool, task, 0)
	require.ErrorIs(t, err, cluster.ErrProtocol)
	change("2")
	_, err = cluster.Join(ctx, l.conn)
	require.NoError(t, err)
}
