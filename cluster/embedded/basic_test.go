package embedded_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

func TestProbe(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	s, err := embedded.Start(ctx, t.TempDir())
	require.NoError(t, err)
	defer s.Close()
	nc, err := s.Conn()
	require.NoError(t, err)
	defer nc.Close()
	p, err := cluster.Join(ctx, nc, cluster.Logger(slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	require.NoError(t, err)
	double := cluster.Define("double", func(ctx context.Context, n int) (int, error) {
		if n < 0 {
			return 0, errors.New("negative")
		}
		return 2 * n, nil
	})
	var runs atomic.Int64
	tick := cluster.Define("tick", func(ctx context.Context, n struct{}) (struct{}, error) {
		r, _ := cluster.RunFrom(ctx)
		t.Log(runs.Add(1), r, time.Since(r.Scheduled))
		return n, nil
	})
	served := make(chan error, 1)
	serving, stop := context.WithCancel(ctx)
	go func() { served <- p.Serve(serving, double, tick) }()
	for range 3 {
		begun := time.Now()
		f, err := cluster.Submit(ctx, p, double, 21)
		require.NoError(t, err)
		v, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, 42, v)
		t.Log(time.Since(begun))
		v, err = cluster.Attach(p, double, f.ID()).Get(ctx)
		require.NoError(t, err)
		require.Equal(t, 42, v)
	}
	f, err := cluster.Schedule(ctx, p, 700*time.Millisecond, double, -1)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	t.Log(err)
	f, err = cluster.Schedule(ctx, p, 700*time.Millisecond, double, -1)
	require.NoError(t, err)
	prevented, err := f.Cancel(ctx)
	require.NoError(t, err)
	require.True(t, prevented)
	_, err = f.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrCancelled)
	series, err := cluster.AtFixedRate(ctx, p, "my tick", 500*time.Millisecond, time.Second, tick, struct{}{})
	require.NoError(t, err)
	time.Sleep(3 * time.Second)
	require.NoError(t, series.Pause(ctx))
	time.Sleep(1500 * time.Millisecond)
	t.Log(series.Next(ctx))
	require.NoError(t, series.Resume(ctx))
	time.Sleep(1500 * time.Millisecond)
	require.NoError(t, series.Trigger(ctx))
	time.Sleep(2500 * time.Millisecond)
	t.Log(series.Next(ctx))
	require.NoError(t, series.Cancel(ctx))
	time.Sleep(100 * time.Millisecond)
	_, err = series.Next(ctx)
	require.ErrorIs(t, err, cluster.ErrNoSeries)
	stop()
	require.NoError(t, <-served)
}
