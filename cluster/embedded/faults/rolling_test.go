package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// rolling is a deploy that begins again and again, under tasks of up to two seconds of which some
// are cancelled: three workers are ended by turns, politely and not, and started again.
type rolling struct {
	*nodes
	pool    *cluster.Pool
	of      int // so many one is cancelled
	cancel  func(context.Context, *cluster.Future[int])
	workers [3]*process
	born    int
}

func (r *rolling) start(i int) {
	r.born++
	r.workers[i] = r.worker(workerConfig{Name: fmt.Sprint("W", r.born), Workers: 8,
		Grace: 500 * time.Millisecond})
}

// roll deploys and submits for a while, and returns what was accepted.
func (r *rolling) roll(ctx context.Context, lasts time.Duration) (fs []*cluster.Future[int]) {
	for i := range r.workers {
		if r.workers[i] == nil {
			r.start(i)
		}
	}
	over := time.Now().Add(lasts)
	var all sync.WaitGroup
	all.Go(func() {
		for i := 0; time.Now().Before(over); i++ {
			time.Sleep(time.Second)
			if w := r.workers[i%3]; i%2 == 0 {
				w.interrupt()
				<-w.ended
			} else {
				w.kill()
			}
			r.start(i % 3)
		}
	})
	for i := 0; time.Now().Before(over); i++ {
		time.Sleep(50 * time.Millisecond)
		in := input{N: i, Sleep: rand.N(2 * time.Second)}
		f, err := cluster.Submit(ctx, r.pool, r.tasks().work, in)
		require.NoError(r.t, err)
		r.journal.write(event{Kind: "accepted", ID: f.ID()})
		fs = append(fs, f)
		if i%r.of == 0 {
			all.Go(func() {
				time.Sleep(rand.N(2 * time.Second))
				r.cancel(ctx, f)
			})
		}
	}
	all.Wait()
	return fs
}

// One server that nobody touches, and workers that are deployed: each task has an outcome, and
// there is nothing to heal.
func TestARollingDeployWithCancelsLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, 2*time.Minute)
	r := &rolling{nodes: ns, pool: ns.join(ctx), of: 7, cancel: ns.cancel}
	fs := r.roll(ctx, 15*time.Second)
	ns.collect(ctx, fs, ns.join(ctx))
	v := requireSound(t, ns.dir)
	require.Positive(t, v.Cancelled)
	require.Equal(t, len(fs), v.Accepted)
}
