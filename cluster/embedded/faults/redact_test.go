package faults

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

const secret = "4111-1111"

// However a task fails, neither its payload nor what it says shows in the log or the failed set: but
// its future has the text, and it is redriven with its payload.
func TestWhatIsRedactedDoesNotShow(t *testing.T) {
	t.Parallel()
	for name, show := range map[string]func(string, cluster.Part, string) string{
		"redacted": func(task string, part cluster.Part, text string) string {
			return task + " " + string(part)
		},
		"panics": func(string, cluster.Part, string) string { panic("redact") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said safeText
			l := startLocal(t)
			ctx := testContext(t, time.Minute)
			seen := make(chan string, 100)
			pay := cluster.Define("pay", func(_ context.Context, card string) (int, error) {
				seen <- card
				if len(seen)%2 == 0 {
					panic("no funds on " + card)
				}
				return 0, errors.New("refused: " + card)
			}, cluster.Retry(2, often(time.Millisecond)))
			tick := cluster.Define("tick", func(ctx context.Context, card string) (int, error) {
				if run, _ := cluster.RunFrom(ctx); run.Number == 2 {
					return 0, cluster.Stop(errors.New("enough of " + card))
				}
				return 0, errors.New("refused: " + card)
			})
			r := l.start(t, []cluster.Runnable{pay, tick}, cluster.Redact(show),
				cluster.Logger(slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))))
			series, err := cluster.AtFixedRate(ctx, l.pool, "series", 0, 10*time.Millisecond, tick, secret)
			require.NoError(t, err)
			require.Eventually(t, func() bool {
				_, err := series.Next(ctx)
				return errors.Is(err, cluster.ErrNoSeries)
			}, 20*time.Second, 10*time.Millisecond)
			f, err := cluster.Submit(ctx, l.pool, pay, secret)
			require.NoError(t, err)
			_, err = f.Get(ctx)
			require.ErrorContains(t, err, secret)
			wrong := cluster.Define("pay", func(context.Context, []string) (int, error) { return 0, nil })
			f, err = cluster.Submit(ctx, l.pool, wrong, []string{secret})
			require.NoError(t, err)
			_, err = f.Get(ctx)
			require.ErrorIs(t, err, cluster.ErrAbandoned)

			page, err := r.pool.Failed(ctx, cluster.FailedFilter{}, 0, 0)
			require.NoError(t, err)
			require.Len(t, page.Rows, 2)
			text, err := json.Marshal(page)
			require.NoError(t, err)
			for _, row := range page.Rows {
				require.NotContains(t, string(row.Payload)+row.Error, secret)
				if name == "redacted" {
					require.Equal(t, "pay payload", string(row.Payload))
					require.Equal(t, "pay error", row.Error)
				}
			}
			require.NotContains(t, string(text), secret)
			<-seen
			<-seen
			_, err = r.pool.Redrive(ctx, cluster.FailedFilter{IDs: []string{page.Rows[0].ID}})
			require.NoError(t, err)
			require.Equal(t, secret, <-seen)
			r.end(t)
			require.NotContains(t, said.String(), secret)
			require.Contains(t, said.String(), "series ended by its function")
			require.Contains(t, said.String(), "executor: task failed")
			require.Contains(t, said.String(), "attempt failed, another follows")
		})
	}
}

// Without it all shows.
func TestWhatIsNotRedactedShows(t *testing.T) {
	t.Parallel()
	var said safeText
	l := startLocal(t, cluster.Logger(slog.New(slog.NewTextHandler(&said, nil))))
	ctx := testContext(t, time.Minute)
	pay := cluster.Define("pay", func(_ context.Context, card string) (int, error) {
		return 0, errors.New("refused: " + card)
	})
	l.serve(t, pay)
	f, err := cluster.Submit(ctx, l.pool, pay, secret)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorContains(t, err, secret)
	page, err := l.pool.Failed(ctx, cluster.FailedFilter{}, 0, 0)
	require.NoError(t, err)
	require.Equal(t, `"`+secret+`"`, string(page.Rows[0].Payload))
	require.Contains(t, page.Rows[0].Error, secret)
	require.Contains(t, said.String(), secret)
}
