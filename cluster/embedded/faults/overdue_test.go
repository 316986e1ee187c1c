package faults

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// A series is overdue if nobody serves it, if its worker has no room, and if its worker has died;
// not while it runs, waits or is paused. The figures say the same.
func TestOverdue(t *testing.T) {
	t.Parallel()
	const by = time.Second
	l := startOutside(t)
	ctx := testContext(t, 2*time.Minute)
	release := make(chan struct{})
	served := cluster.Define("served", func(ctx context.Context, what string) (int, error) {
		switch what {
		case "hangs":
			select {
			case <-release:
			case <-ctx.Done():
			}
		case "fails":
			return 0, errors.New("as it should")
		}
		return 0, nil
	}, cluster.Lease(time.Second))
	nobody := cluster.Define("nobody's", func(context.Context, string) (int, error) { return 0, nil })
	declare := func(task cluster.Task[string, int], name, what string, initial time.Duration) *cluster.Series[int] {
		s, err := cluster.AtFixedRate(ctx, l.pool, name, initial, time.Hour, task, what)
		require.NoError(t, err)
		return s
	}
	eventually := func(what string, overdue []string, stats ...cluster.TaskSeriesStats) {
		require.EventuallyWithT(t, func(t *assert.CollectT) {
			rows, err := l.pool.Overdue(ctx, by)
			assert.NoError(t, err)
			names := []string{}
			for i, row := range rows {
				names = append(names, row.Series)
				assert.Less(t, row.Due, time.Now().Add(-by))
				assert.True(t, i == 0 || !row.Due.Before(rows[i-1].Due))
			}
			assert.ElementsMatch(t, overdue, names)
			s, err := l.pool.SeriesStats(ctx, by)
			assert.NoError(t, err)
			for i := range s.Tasks {
				s.Tasks[i].Late = 0
			}
			assert.Equal(t, stats, s.Tasks)
			assert.Len(t, s.Worst, len(overdue))
		}, 30*time.Second, 50*time.Millisecond, what)
	}
	dies := l.connect(t)
	first, err := cluster.Join(ctx, dies, cluster.Workers(2), cluster.Grace(0))
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- first.Serve(ctx, served) }()

	declare(served, "brief", "", 0)
	declare(served, "fails", "fails", 0)
	declare(served, "hangs", "hangs", 0)
	declare(served, "later", "", time.Hour)
	declare(nobody, "unserved", "", 0)
	declare(nobody, "unserved later", "", time.Hour)
	require.NoError(t, declare(nobody, "paused", "", 0).Pause(ctx))
	time.Sleep(by)
	eventually("one is not served", []string{"unserved"},
		cluster.TaskSeriesStats{Task: "nobody's", Series: 3, Paused: 1, Overdue: 1},
		cluster.TaskSeriesStats{Task: "served", Series: 4, Failing: 1})
	stats, err := l.pool.SeriesStats(ctx, by)
	require.NoError(t, err)
	require.Positive(t, stats.Tasks[1].Late)
	require.Zero(t, stats.Tasks[0].Late)

	declare(served, "hangs too", "hangs", 0)
	require.EventuallyWithT(t, func(t *assert.CollectT) { // its worker is full, and has told so
		list, err := l.pool.Workers(ctx)
		assert.NoError(t, err)
		assert.Len(t, list, 1)
		assert.Equal(t, 2, list[0].Busy)
	}, 30*time.Second, 50*time.Millisecond)
	declare(served, "waits", "", 0)
	eventually("one has no worker left", []string{"unserved", "waits"},
		cluster.TaskSeriesStats{Task: "nobody's", Series: 3, Paused: 1, Overdue: 1},
		cluster.TaskSeriesStats{Task: "served", Series: 6, Failing: 1, Overdue: 1})

	dies.Close()
	<-ended
	eventually("their worker has died", []string{"unserved", "waits", "hangs", "hangs too"},
		cluster.TaskSeriesStats{Task: "nobody's", Series: 3, Paused: 1, Overdue: 1},
		cluster.TaskSeriesStats{Task: "served", Series: 6, Failing: 1, Overdue: 3})

	close(release)
	l.start(t, []cluster.Runnable{served})
	eventually("others have come", []string{"unserved"},
		cluster.TaskSeriesStats{Task: "nobody's", Series: 3, Paused: 1, Overdue: 1},
		cluster.TaskSeriesStats{Task: "served", Series: 6, Failing: 1})
	stats, err = l.pool.SeriesStats(ctx, by)
	require.NoError(t, err)
	require.Greater(t, stats.Tasks[1].Late, by, "what has waited was late")

	s, err := cluster.AttachSeries(l.pool, nobody, "unserved")
	require.NoError(t, err)
	require.NoError(t, s.Cancel(ctx))
	eventually("one is cancelled", nil,
		cluster.TaskSeriesStats{Task: "nobody's", Series: 2, Paused: 1},
		cluster.TaskSeriesStats{Task: "served", Series: 6, Failing: 1})
	_, err = l.pool.Overdue(ctx, -1)
	require.ErrorIs(t, err, cluster.ErrInvalid)
	_, err = l.pool.SeriesStats(ctx, -1)
	require.ErrorIs(t, err, cluster.ErrInvalid)
}

// Nobody serves many series. All are overdue, the most overdue first, of all of them and of twenty.
func TestManyAreOverdue(t *testing.T) {
	t.Parallel()
	n := long(300, 10_000)
	l := startOutside(t)
	ctx := testContext(t, 5*time.Minute)
	task := cluster.Define("nobody's", func(context.Context, int) (int, error) { return 0, nil })
	require.NoError(t, atOnce(n, func(i int) error {
		_, err := cluster.AtFixedRate(ctx, l.pool, fmt.Sprint("s", i), 0, time.Minute, task, i)
		return err
	}))
	begun := time.Now()
	rows, err := l.pool.Overdue(ctx, 0)
	t.Logf("%d are found within %v", n, time.Since(begun))
	require.NoError(t, err)
	require.Len(t, rows, n)
	for i := 1; i < n; i++ {
		require.False(t, rows[i].Due.Before(rows[i-1].Due))
	}
	begun = time.Now()
	stats, err := l.pool.SeriesStats(ctx, 0)
	t.Logf("%d are counted within %v", n, time.Since(begun))
	require.NoError(t, err)
	require.Equal(t, []cluster.TaskSeriesStats{{Task: "nobody's", Series: n, Overdue: n}}, stats.Tasks)
	require.Equal(t, rows[:20], stats.Worst)
	rows, err = l.pool.Overdue(ctx, time.Hour)
	require.NoError(t, err)
	require.Empty(t, rows)
}
