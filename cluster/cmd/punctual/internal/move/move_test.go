package move

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

// forLong is the variable that asks for the big size.
const forLong = "PUNCTUAL_TEST_LONG"

func long(short, full int) int {
	if os.Getenv(forLong) != "" {
		return full
	}
	return short
}

// A service grows: its server leaves the process, with the directory, and then becomes three.
func TestAPoolGrowsFromItsProcessToThreeServers(t *testing.T) {
	t.Parallel()
	l := newLife()
	dir := t.TempDir()
	inProcess, err := embedded.Start(testContext(t), dir)
	require.NoError(t, err)
	conn, err := inProcess.Conn()
	require.NoError(t, err)
	p, err := cluster.Join(testContext(t), conn)
	require.NoError(t, err)
	planned := long(300, 10_000)
	l.begin(t, p, long(100, 1000), planned)
	p.Close()
	conn.Close()
	inProcess.Close()

	_, old := startServer(t, dir)
	p = join(t, old, cluster.MustExist())
	f := cluster.Attach(p, l.echo, l.key)
	three := startThree(t)
	begun := time.Now()
	var out strings.Builder
	err = run(testContext(t), documented(t, old, three), &out)
	require.NoError(t, err, out.String())
	took := time.Since(begun).Round(time.Millisecond)
	t.Logf("%d planned, in %v\n%s", planned, took, out.String())

	require.ErrorIs(t, joinError(t, old), cluster.ErrMoved)
	require.ErrorContains(t, joinError(t, old), three)
	_, err = f.Get(testContext(t))
	require.ErrorIs(t, err, cluster.ErrMoved, "who had joined learns it")
	p = join(t, three, cluster.MustExist(), cluster.Replicas(3))
	requireReplicas(t, three, 3)
	l.end(t, p)

	again, err := command(t, old, three)
	require.NoError(t, err)
	require.Contains(t, again, "already")
}

// A run whose worker died before the move is run again when its lease is over, as its second
// attempt.
func TestARunWhoseWorkerDiedGoesOn(t *testing.T) {
	t.Parallel()
	_, from := startServer(t, t.TempDir())
	_, to := startServer(t, t.TempDir())
	ctx := testContext(t)
	attempts := make(chan int, 10)
	hangs := cluster.Define("hangs", func(ctx context.Context, _ int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		if attempts <- run.Attempt; run.Attempt == 1 {
			<-ctx.Done()
		}
		return run.Attempt, context.Cause(ctx)
	}, cluster.Lease(6*time.Second))
	nc := connect(t, from)
	p, err := cluster.Join(ctx, nc)
	require.NoError(t, err)
	f, err := cluster.Submit(ctx, p, hangs, 0)
	require.NoError(t, err)
	go p.Serve(ctx, hangs) //nolint:errcheck // it loses its connection
	require.Equal(t, 1, <-attempts)
	nc.Close()
	out, err := command(t, from, to, "--replicas", "1")
	require.NoError(t, err, out)
	p = join(t, to, cluster.MustExist())
	serve(t, p, hangs)
	got, err := cluster.Attach(p, hangs, f.ID()).Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 2, got)
}

func TestAPoolMovesFromThreeServersToOne(t *testing.T) {
	t.Parallel()
	l := newLife()
	three := startThree(t)
	p := join(t, three, cluster.Replicas(3))
	l.begin(t, p, 20, 50)
	p.Close()
	_, one := startServer(t, t.TempDir())
	out, err := command(t, three, one, "--replicas", "1")
	require.NoError(t, err, out)
	l.end(t, join(t, one, cluster.MustExist(), cluster.Replicas(1)))
}

func requireReplicas(t testing.TB, urls string, n int) {
	t.Helper()
	ctx := testContext(t)
	js := jetStream(t, urls)
	for _, name := range poolStreams(t, urls) {
		stream, err := js.Stream(ctx, name)
		require.NoError(t, err)
		info := stream.CachedInfo()
		require.Equal(t, n, info.Config.Replicas)
		require.Len(t, info.Cluster.Replicas, n-1)
		for consumer := range stream.ListConsumers(ctx).Info() {
			if consumer.Config.Durable != "" {
				require.Len(t, consumer.Cluster.Replicas, n-1, fmt.Sprint(name, consumer.Name))
			}
		}
	}
}

// Why a pool is moved: the servers of a cluster do not know what one of them has stored by itself.
// Whether a pool that is made there has any of it depends on which of them leads. With MustExist it
// shows.
func TestAClusterBlockHidesThePool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	alone, url := startServer(t, dir)
	p := join(t, url)
	_, err := cluster.Schedule(testContext(t), p, time.Hour, number, 0)
	require.NoError(t, err)
	p.Close()
	alone.Shutdown()
	alone.WaitForShutdown()
	three := startThree(t, dir)
	err = joinError(t, three, cluster.MustExist(), cluster.Replicas(3))
	require.ErrorIs(t, err, cluster.ErrNoPool)
}
