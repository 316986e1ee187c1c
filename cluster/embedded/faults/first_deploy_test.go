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
	"github.com/nats-io/nats.go/jetstream"
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
	t.Parallel()
	l := startLocal(t)
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	var conns []*nats.Conn
	for range 10 {
		conns = append(conns, l.connect(t))
	}
	once := cluster.Define("once", func(context.Context, int) (int, error) { return 1, nil })
	n, joins := long(40, 1000), 0
	for i := range n {
		name := fmt.Sprintf("first-%d", i)
		pools := deploy(t, name, conns[:2+rand.IntN(9)])
		joins += len(pools)
		ctx := testContext(t, time.Minute)
		_, err := cluster.Submit(ctx, pools[0], once, 1, cluster.Once("key"))
		require.NoError(t, err)
		require.NoError(t, atOnce(len(pools), func(i int) error {
			_, err := cluster.Submit(ctx, pools[i], once, 1, cluster.Once("key"))
			return err
		}), "pool %d, of %d replicas", i, len(pools))
		for _, p := range pools {
			p.Close()
		}
		for _, stream := range []string{"PUNCTUAL_%s", "KV_PUNCTUAL_%s", "PUNCTUAL_%s_DEAD"} {
			require.NoError(t, js.DeleteStream(ctx, fmt.Sprintf(stream, name)))
		}
	}
	t.Logf("%d pools, joined %d times at their first deploys", n, joins)
}

func TestASeriesRunsFromTheFirstDeployOn(t *testing.T) {
	t.Parallel()
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

// Several worker processes start at once on a server that has nothing. Each of them runs what they
// have declared, and no series stalls.
func TestWorkersThatStartTogetherOnAnEmptyServerAllWork(t *testing.T) {
	t.Parallel()
	const series, runs = 8, 4
	n, begun := long(2, 100), 0
	for i := range n {
		ns := startNodes(t, 1)
		workers := map[string]*process{}
		for _, name := range []string{"A", "B", "C", "D"}[:2+rand.IntN(3)] {
			workers[name] = startProcess(t, name, asWorker, workerConfig{Name: name, URL: ns.url(),
				Dir: ns.dir, Lease: 10 * time.Second, Series: series,
				Period: 2 * tenth, In: input{Sleep: tenth / 2}}, ns.journal)
		}
		begun += len(workers)
		stalled := func() (names []string) {
			last, works := map[string]uint64{}, map[string]bool{}
			for _, e := range readJournals(t, ns.dir) {
				if e.Kind == "start" {
					last[e.Series], works[e.Who] = max(last[e.Series], e.Number), true
				}
			}
			for i := range series {
				if last[seriesName(i)] < runs {
					names = append(names, seriesName(i))
				}
			}
			for name := range workers {
				if !works[name] {
					names = append(names, name)
				}
			}
			return names
		}
		require.Eventually(t, func() bool { return len(stalled()) == 0 },
			30*time.Second, 20*time.Millisecond, "deploy %d, of %d workers", i, len(workers))
		for _, w := range workers {
			w.kill()
		}
		ns.kill(0)
		require.Zero(t, judge(t, ns.dir).Skipped)
	}
	t.Logf("%d deploys, of %d workers", n, begun)
}
