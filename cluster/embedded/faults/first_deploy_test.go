package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// atOnce calls step n times at once.
func atOnce(n int, step func(i int) error) error {
	start := make(chan struct{})
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			<-start
			errs[i] = step(i)
		})
	}
	close(start)
	group.Wait()
	return errors.Join(errs...)
}

// deploy joins a pool that does not exist yet by each of several connections at once.
func deploy(t *testing.T, name string, conns []*nats.Conn) []*cluster.Pool {
	t.Helper()
	ctx := testContext(t, time.Minute)
	pools := make([]*cluster.Pool, len(conns))
	require.NoError(t, atOnce(len(conns), func(i int) (err error) {
		pools[i], err = cluster.Join(ctx, conns[i], cluster.Name(name))
		return err
	}))
	return pools
}

// The first to make the bucket of a pool makes it with other settings than it ends up with.
// Whichever settings a replica has found, it can read what the others have written.
func TestReplicasThatMakeAPoolTogetherAllReadIt(t *testing.T) {
	l := startLocal(t)
	var conns []*nats.Conn
	for range 10 {
		conns = append(conns, l.connect(t))
	}
	once := cluster.Define("once", func(context.Context, int) (int, error) { return 1, nil })
	for i := range long(60, 900) {
		pools := deploy(t, fmt.Sprintf("first-%d", i), conns[:2+rand.IntN(9)])
		ctx := testContext(t, 10*time.Second)
		_, err := cluster.Submit(ctx, pools[0], once, 1, cluster.Once("key"))
		require.NoError(t, err)
		require.NoError(t, atOnce(len(pools), func(i int) error {
			_, err := cluster.Submit(ctx, pools[i], once, 1, cluster.Once("key"))
			return err
		}), "pool %d, of %d replicas", i, len(pools))
	}
}

func TestASeriesRunsFromTheFirstDeployOn(t *testing.T) {
	l := startLocal(t)
	var conns []*nats.Conn
	for range 4 {
		conns = append(conns, l.connect(t))
	}
	for i := range long(4, 60) {
		var runs atomic.Int64
		beat := cluster.Define("beat", func(context.Context, int) (int, error) {
			return int(runs.Add(1)), nil
		}, cluster.Lease(2*time.Second))
		pools := deploy(t, fmt.Sprintf("series-%d", i), conns)
		ctx, stop := context.WithCancel(testContext(t, time.Minute))
		go func() {
			defer stop()
			assert.Eventually(t, func() bool { return runs.Load() >= 10 }, 20*time.Second, 10*time.Millisecond)
		}()
		require.NoError(t, atOnce(len(pools), func(i int) error {
			if _, err := cluster.AtFixedRate(ctx, pools[i], "beats", 0, 100*time.Millisecond, beat, 1); err != nil {
				return err
			}
			return pools[i].Serve(ctx, beat)
		}))
	}
}
