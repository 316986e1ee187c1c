package faults

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// awaitSentinel waits until the sentinel is behind all that is on the queue now.
func awaitSentinel(ctx context.Context, t *testing.T, queue jetstream.Stream) {
	t.Helper()
	last := queue.CachedInfo().State.LastSeq
	require.Eventually(t, func() bool {
		m, err := queue.GetLastMsgForSubject(ctx, "punctual.tasks.arm.=.o.sentinel")
		return err == nil && m.Sequence > last
	}, 20*time.Second, 20*time.Millisecond)
}

// While a pool is served there is always one schedule that is close, however many serve it; what is
// left of it when nobody does is taken out by the next who serves. It counts nowhere.
func TestTheSentinelIsOneMessage(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	task := cluster.Define("task", func(context.Context, int) (int, error) { return 0, nil })
	_, err := cluster.Schedule(ctx, l.pool, time.Hour, task, 0)
	require.NoError(t, err)
	queue := l.queue(t)
	sentinels := func() map[string]uint64 {
		info, err := queue.Info(ctx, jetstream.WithSubjectFilter("punctual.tasks.*.=.>"))
		require.NoError(t, err)
		return info.State.Subjects
	}
	const waits, fired = "punctual.tasks.arm.=.o.sentinel", "punctual.tasks.run.=.o.sentinel"
	serve := func(d time.Duration) {
		serving, stop := context.WithTimeout(ctx, d)
		defer stop()
		other := l.replica(t)
		served := make(chan error, 1)
		go func() { served <- other.Serve(serving, task) }()
		require.NoError(t, l.pool.Serve(serving, task))
		require.NoError(t, <-served)
	}
	serve(11 * time.Second)
	require.Equal(t, map[string]uint64{waits: 1}, sentinels())
	require.Eventually(t, func() bool { return sentinels()[fired] == 1 },
		20*time.Second, 100*time.Millisecond)
	require.Zero(t, sentinels()[waits])
	s, err := l.pool.Stats(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Stored)
	serve(time.Second)
	require.Equal(t, map[string]uint64{waits: 1}, sentinels())
}
