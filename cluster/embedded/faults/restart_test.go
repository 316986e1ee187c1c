package faults

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

// A process that has its server in it and restarts politely takes up at once what it has held: what
// was waiting for its time, what was due, and what was running. Nothing waits for a lease, which is
// longer than this trial.
func TestAPoliteRestartWithTheServerCostsNoLease(t *testing.T) {
	for _, workers := range []int{2, 8} { // fewer than there are tasks, and enough
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			t.Parallel()
			restartPolitely(t, workers)
		})
	}
}

func restartPolitely(t *testing.T, workers int) {
	const lives, tasks, lease = 5, 6, time.Minute
	ctx := testContext(t, lease)
	dir := t.TempDir()
	var mu sync.Mutex
	var ticks []cluster.Run
	runs := map[string]int{}
	var ids []string
	for life := range lives {
		last := life == lives-1
		ns, err := embedded.Start(ctx, dir)
		require.NoError(t, err)
		conn, err := ns.Conn()
		require.NoError(t, err)
		l := &local{server: ns, conn: conn}
		l.pool, err = cluster.Join(ctx, conn, cluster.Grace(0), cluster.Workers(workers))
		require.NoError(t, err)
		begun := make(chan struct{}, 100)
		tick := cluster.Define("tick", func(ctx context.Context, _ int) (int, error) {
			run, _ := cluster.RunFrom(ctx)
			mu.Lock()
			defer mu.Unlock()
			ticks = append(ticks, run)
			return 0, nil
		}, cluster.Lease(lease))
		long := cluster.Define("long", func(ctx context.Context, n int) (int, error) {
			run, _ := cluster.RunFrom(ctx)
			assert.Equal(t, 1, run.Attempt)
			mu.Lock()
			runs[run.ID]++
			mu.Unlock()
			begun <- struct{}{}
			if !last {
				<-ctx.Done()
			}
			return n, context.Cause(ctx)
		}, cluster.Lease(lease))
		_, err = cluster.AtFixedRate(ctx, l.pool, "tick", time.Second, time.Second, tick, 0)
		require.NoError(t, err)
		if life == 0 {
			for n := range tasks {
				// Some run, the others are due or in their last wait.
				delay := time.Duration(n/4) * 3 * time.Second
				f, err := cluster.Schedule(ctx, l.pool, delay, long, n)
				require.NoError(t, err)
				ids = append(ids, f.ID())
			}
		}
		serving, stop := context.WithCancel(ctx)
		served := make(chan error, 1)
		go func() { served <- l.pool.Serve(serving, tick, long) }()
		if last {
			for n, id := range ids {
				got, err := cluster.Attach(l.pool, long, id).Get(ctx)
				require.NoError(t, err)
				require.Equal(t, n, got)
			}
			l.requireHealed(t, 0)
		} else {
			<-begun
			time.Sleep(1500 * time.Millisecond)
		}
		stop()
		require.NoError(t, <-served)
		conn.Close()
		ns.Close()
	}
	mu.Lock()
	defer mu.Unlock()
	for i := 1; i < len(ticks); i++ {
		require.Equal(t, ticks[i-1].Number+1, ticks[i].Number)
		require.Equal(t, 1, ticks[i].Attempt)
	}
	if workers > tasks {
		require.Greater(t, len(ticks), lives)
	}
	require.Len(t, runs, tasks)
}

// What a process gives back while the server lives on elsewhere is delivered again, and not stored
// anew.
func TestWhatIsGivenBackToAServerThatLivesOnIsTheSameMessage(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(*server.Options) {})
	ctx := testContext(t, time.Minute)
	pool, err := cluster.Join(ctx, dial(t, s), cluster.Grace(0))
	require.NoError(t, err)
	begun := make(chan uint64, 10)
	long := cluster.Define("long", func(ctx context.Context, _ int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		begun <- run.Fence >> 16
		<-ctx.Done()
		return 0, errors.New("ended")
	})
	_, err = cluster.Submit(ctx, pool, long, 0)
	require.NoError(t, err)
	for range 2 {
		serving, stop := context.WithCancel(ctx)
		served := make(chan error, 1)
		go func() { served <- pool.Serve(serving, long) }()
		require.EqualValues(t, 1, <-begun, "the message's number in the stream")
		stop()
		require.NoError(t, <-served)
	}
}
