package faults

import (
	"context"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// A worker ends a run while it is cut off, and stores what follows when it is back: by then another
// has begun the run again, and is in it. It is the same with a command behind the run.
func TestWhatALostWorkerStoresDoesNotOvertakeTheOneThatHasItsRun(t *testing.T) {
	for name, commanded := range map[string]bool{"alone": false, "with a command": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overtake(t, commanded)
		})
	}
}

func overtake(t *testing.T, commanded bool) {
	l := startOutside(t)
	ctx := testContext(t, time.Minute)
	at, err := url.Parse(l.server.URL())
	require.NoError(t, err)
	port, err := strconv.Atoi(at.Port())
	require.NoError(t, err)
	w := layWire(t, port)
	nc, err := nats.Connect("nats://"+w.listener.Addr().String(), nats.MaxReconnects(-1))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	first, err := cluster.Join(ctx, nc)
	require.NoError(t, err)

	begun := make(chan cluster.Run, 10)
	free := make(chan struct{})
	body := func(ctx context.Context, _ int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		begun <- run
		switch {
		case run.Number == 1 && run.Attempt == 1:
			<-free
		case run.Number == 1:
			time.Sleep(3 * time.Second)
			if ctx.Err() == nil {
				begun <- cluster.Run{}
			}
		}
		return 0, nil
	}
	task := cluster.Define("tick", body, cluster.Lease(time.Second))
	serving(t, first, task)
	s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, 100*time.Millisecond, task, 0)
	require.NoError(t, err)
	require.Equal(t, 1, (<-begun).Attempt)
	w.hold()
	close(free)
	if commanded {
		_, err = cluster.AtFixedRate(ctx, l.pool, "s", 0, 50*time.Millisecond, task, 0)
		require.NoError(t, err)
	}
	l.serve(t, task)
	again := <-begun
	require.EqualValues(t, 1, again.Number)
	require.Equal(t, 2, again.Attempt)
	w.mend()
	next := <-begun
	require.Zero(t, next.Number, "number 2 begins while number 1 is run again")
	require.NoError(t, s.Cancel(ctx))
}
