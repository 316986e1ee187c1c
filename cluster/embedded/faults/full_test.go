package faults

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// The server is full when tasks have run, so that their outcomes have no room. They do not run
// again for that, and have their outcomes when there is room.
func TestAFullServerHasNothingRunAgain(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(o *server.Options) { o.JetStreamMaxStore = 1 << 20 })
	ctx := testContext(t, time.Minute)
	nc := dial(t, s)
	p, err := cluster.Join(ctx, nc)
	require.NoError(t, err)
	var mu sync.Mutex
	runs := map[string]int{}
	begun, full := make(chan struct{}, 100), make(chan struct{})
	work := cluster.Define("work", func(ctx context.Context, _ int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		mu.Lock()
		runs[run.ID]++
		mu.Unlock()
		begun <- struct{}{}
		<-full
		return 1, nil
	}, cluster.Lease(brief))
	worker, err := cluster.Join(ctx, dial(t, s), cluster.Workers(8))
	require.NoError(t, err)
	go worker.Serve(ctx, work) //nolint:errcheck // it ends with the test
	var fs []*cluster.Future[int]
	for range 5 {
		f, err := cluster.Submit(ctx, p, work, 0)
		require.NoError(t, err)
		fs = append(fs, f)
	}
	for range fs {
		<-begun
	}

	fat := cluster.Define("fat", func(context.Context, string) (int, error) { return 0, nil })
	var filling []*cluster.Future[int]
	for size := 100_000; size > 0; size /= 10 {
		for err = nil; err == nil; {
			var f *cluster.Future[int]
			f, err = cluster.Submit(ctx, p, fat, strings.Repeat("x", size))
			filling = append(filling, f)
		}
		require.ErrorIs(t, err, cluster.ErrFull)
	}
	close(full)
	time.Sleep(8 * brief)
	mu.Lock()
	require.Len(t, runs, len(fs))
	for id, n := range runs {
		require.Equal(t, 1, n, id)
	}
	mu.Unlock()

	js, err := jetstream.New(nc)
	require.NoError(t, err)
	queue, err := js.Stream(ctx, "PUNCTUAL_tasks")
	require.NoError(t, err)
	for _, f := range filling[:2] {
		m, err := queue.GetLastMsgForSubject(ctx, "punctual.tasks.run.fat.o."+f.ID())
		require.NoError(t, err)
		require.NoError(t, queue.DeleteMsg(ctx, m.Sequence))
	}
	for _, f := range fs {
		n, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Equal(t, 1, runs[f.ID()])
	}
	_, err = cluster.Submit(ctx, p, work, 0)
	require.NoError(t, err)
}
