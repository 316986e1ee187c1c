package faults

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// Who says that the pool must exist does not make one, and joins one that is there.
func TestAPoolThatMustExistIsNotMade(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(*server.Options) {})
	ctx := testContext(t, 30*time.Second)
	nc := dial(t, s)
	_, err := cluster.Join(ctx, nc, cluster.MustExist())
	require.ErrorIs(t, err, cluster.ErrNoPool)
	require.ErrorContains(t, err, `pool "tasks"`)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	for name := range js.StreamNames(ctx).Name() {
		t.Errorf("stream %s was made", name)
	}
	p, err := cluster.Join(ctx, nc)
	require.NoError(t, err)
	p.Close()
	p, err = cluster.Join(ctx, nc, cluster.MustExist(), cluster.Replicas(1))
	require.NoError(t, err)
	p.Close()
	_, err = cluster.Join(ctx, nc, cluster.MustExist(), cluster.Name("other"))
	require.ErrorIs(t, err, cluster.ErrNoPool)
}

// A pool that command move has marked is refused, and who had joined loses its part.
func TestAPoolThatIsMovedIsRefused(t *testing.T) {
	for mark, text := range map[string]string{
		"punctual.moved":    "it is at there now",
		"punctual.arriving": "it is arriving from there",
	} {
		t.Run(mark, func(t *testing.T) {
			t.Parallel()
			l := startLocal(t)
			ctx := testContext(t, time.Minute)
			task := cluster.Define("task", func(context.Context, int) (int, error) {
				return 0, nil
			})
			served := make(chan error, 1)
			go func() { served <- l.pool.Serve(ctx, task) }()
			queue := l.queue(t)
			js, err := jetstream.New(l.conn)
			require.NoError(t, err)
			config := queue.CachedInfo().Config
			config.Metadata[mark] = "there"
			_, err = js.UpdateStream(ctx, config)
			require.NoError(t, err)
			_, err = cluster.Join(ctx, l.conn)
			require.ErrorIs(t, err, cluster.ErrMoved)
			require.ErrorContains(t, err, text)
			require.ErrorIs(t, <-served, cluster.ErrMoved)
			_, err = cluster.Submit(ctx, l.pool, task, 0)
			require.ErrorIs(t, err, cluster.ErrMoved)
		})
	}
}
