package faults

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/timer/cron"
)

// lines is a log that several goroutines write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// A process serves a task, and has not declared the series of it that has a calendar. It leaves the
// runs to others, and says so now and then; what is commanded waits behind the run, and the list has
// one row for all of it.
func TestASeriesThatNoProcessHasDeclaredIsOneRow(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	var r recorder
	everySecond, err := cron.ParseSeconds("* * * * * *")
	require.NoError(t, err)
	_, err = cluster.On(ctx, l.pool, "s", everySecond, r.task(), "in")
	require.NoError(t, err)
	log := &lines{}
	other := l.start(t, []cluster.Runnable{r.task()},
		cluster.Logger(slog.New(slog.NewTextHandler(log, nil)))).pool
	const left = "left to another process"
	require.Eventually(t, func() bool { return log.count(left) > 0 }, 20*time.Second, 10*time.Millisecond)
	s, err := other.SeriesByName("recorder", "s")
	require.NoError(t, err)
	require.NoError(t, s.Pause(ctx))
	require.NoError(t, s.Resume(ctx))
	require.NoError(t, s.Trigger(ctx))
	page, err := other.Series(ctx, cluster.Query{})
	require.NoError(t, err)
	require.Len(t, page.Rows, 1)
	time.Sleep(6 * time.Second) // it is delivered each second
	require.Zero(t, r.count())
	require.LessOrEqual(t, log.count(left), 16, "four messages, at their deliveries 1, 2, 4 and 8")
}
