package faults

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// replica is a process in this one that serves tasks until it is told to end.
type replica struct {
	pool  *cluster.Pool
	stop  context.CancelFunc
	ended chan error
}

func (l *local) start(t testing.TB, tasks []cluster.Runnable, opts ...cluster.Option) *replica {
	t.Helper()
	p, err := cluster.Join(testContext(t, time.Minute), l.connect(t), opts...)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	s := &replica{p, stop, make(chan error, 1)}
	go func() {
		s.ended <- p.Serve(ctx, tasks...)
		close(s.ended)
	}()
	t.Cleanup(func() { s.end(t) })
	return s
}

func (s *replica) end(t testing.TB) {
	t.Helper()
	s.stop()
	require.NoError(t, <-s.ended)
}

// longer is a lease that no trial waits for: what is run again in time was given back.
const longer = 10 * time.Minute

// A process that ends gives back its run of a series along with the claim on it.
func TestASeriesIsGivenBack(t *testing.T) { inBothWays(t, aSeriesIsGivenBack) }

func aSeriesIsGivenBack(t *testing.T, start func(testing.TB, ...cluster.Option) *local) {
	l := start(t, cluster.Keep(10*longer))
	ctx := testContext(t, time.Minute)
	begun := make(chan cluster.Run, 10)
	task := cluster.Define("long", func(ctx context.Context, _ int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		begun <- run
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}, cluster.Lease(longer))
	first := l.start(t, []cluster.Runnable{task}, cluster.Grace(0))
	s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, time.Minute, task, 0)
	require.NoError(t, err)
	before := <-begun
	l.start(t, []cluster.Runnable{task}, cluster.Grace(0))
	first.end(t)
	after := <-begun
	require.Equal(t, before.ID, after.ID)
	require.Equal(t, before.Number, after.Number)
	require.Greater(t, after.Fence, before.Fence)
	require.NoError(t, s.Cancel(ctx))
}

// What a process gives back that it has not begun is no attempt, and what it gives back politely
// none that counts: nobody has died of it.
func TestGivingBackIsNoAttempt(t *testing.T) { inBothWays(t, givingBackIsNoAttempt) }

func givingBackIsNoAttempt(t *testing.T, start func(testing.TB, ...cluster.Option) *local) {
	l := start(t, cluster.Keep(10*longer))
	ctx := testContext(t, time.Minute)
	var calls atomic.Int64
	begun := make(chan struct{}, 100)
	task := cluster.Define("sixth", func(ctx context.Context, _ int) (int64, error) {
		n := calls.Add(1)
		begun <- struct{}{}
		if n <= 6 {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}
		return n, nil
	}, cluster.Lease(longer), cluster.Attempts(2))
	f, err := cluster.Submit(ctx, l.pool, task, 0)
	require.NoError(t, err)
	for range 6 {
		s := l.start(t, []cluster.Runnable{task}, cluster.Grace(0))
		<-begun
		s.end(t)
	}
	l.start(t, []cluster.Runnable{task})
	n, err := f.Get(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 7, n)
}

// A task that may be attempted once, and that waits behind others for a worker of a process that
// ends, is run by another.
func TestWhatWasNotBegunIsRunElsewhere(t *testing.T) {
	t.Parallel()
	inBothWays(t, whatWasNotBegunIsRunElsewhere)
}

func whatWasNotBegunIsRunElsewhere(t *testing.T, start func(testing.TB, ...cluster.Option) *local) {
	l := start(t, cluster.Keep(10*longer))
	ctx := testContext(t, time.Minute)
	begun := make(chan struct{}, 100)
	release := make(chan struct{})
	task := cluster.Define("queued", func(ctx context.Context, n int) (int, error) {
		begun <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return n, nil
	}, cluster.Lease(longer), cluster.Attempts(1))
	first := l.start(t, []cluster.Runnable{task}, cluster.Workers(1))
	var fs []*cluster.Future[int]
	for n := range 2 {
		f, err := cluster.Submit(ctx, l.pool, task, n)
		require.NoError(t, err)
		fs = append(fs, f)
	}
	<-begun
	require.Eventually(t, func() bool { // the other one is at hand, too
		s, err := l.pool.Stats(ctx)
		return err == nil && len(s.Tasks) == 1 && s.Tasks[0].Held == 2
	}, 20*time.Second, 5*time.Millisecond)
	l.start(t, []cluster.Runnable{task}, cluster.Workers(1))
	go first.end(t)
	<-begun
	close(release)
	for n, f := range fs {
		got, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, n, got)
	}
}

// Replicas that serve a task with different leases share the longer one, in whatever order they
// come.
func TestTheLongerLeaseHolds(t *testing.T) {
	t.Parallel()
	for _, leases := range [][2]time.Duration{
		{600 * time.Millisecond, 20 * time.Second}, {20 * time.Second, 600 * time.Millisecond},
	} {
		l := startLocal(t)
		ctx := testContext(t, time.Minute)
		var calls atomic.Int64
		define := func(lease time.Duration) []cluster.Runnable {
			return []cluster.Runnable{cluster.Define("lease", func(context.Context, int) (int64, error) {
				time.Sleep(1500 * time.Millisecond) // beats of the short lease, and none of the long one
				return calls.Add(1), nil
			}, cluster.Lease(lease))}
		}
		for _, lease := range leases {
			s := l.start(t, define(lease))
			require.Eventually(t, func() bool {
				stats, err := s.pool.Stats(ctx)
				return err == nil && len(stats.Tasks) == 1 && stats.Tasks[0].Listening > 0
			}, 20*time.Second, 5*time.Millisecond)
		}
		task := cluster.Define("lease", func(context.Context, int) (int64, error) { return 0, nil })
		var fs []*cluster.Future[int64]
		for range 8 {
			f, err := cluster.Submit(ctx, l.pool, task, 0)
			require.NoError(t, err)
			fs = append(fs, f)
		}
		for _, f := range fs {
			_, err := f.Get(ctx)
			require.NoError(t, err)
		}
		require.EqualValues(t, 8, calls.Load(), "leases %v", leases)
	}
}
