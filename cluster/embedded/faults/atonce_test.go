package faults

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// Four processes have a worker for each of twelve runs, and may begin three at once. Some of them
// are killed and stopped, and others come: as the journals have it there never are more, but for
// the runs of a process that has lost its leases.
func TestNoMoreThanTheLimitAtOnceInAllProcesses(t *testing.T) {
	beside(t)
	const most, tasks = 3, 150
	ns := startNodes(t, 1)
	ctx := testContext(t, 2*time.Minute)
	p := ns.join(ctx)
	fleet := map[string]*process{}
	bear := func(name string) {
		fleet[name] = ns.worker(workerConfig{Name: name, AtOnce: most, Tasks: []string{"work"}})
	}
	for i := range 4 {
		bear(fmt.Sprint("first", i))
	}
	var fs []*cluster.Future[int]
	for n := range tasks {
		f, err := cluster.Submit(ctx, p, ns.tasks().work, input{N: n, Sleep: 50 * time.Millisecond})
		require.NoError(t, err)
		fs = append(fs, f)
	}
	for i := range 3 { // each time the one that has just begun a run
		begun := time.Now()
		victim := await(t, ns.dir, func(e event) bool {
			return e.Kind == "start" && e.At.After(begun) && fleet[e.Who] != nil
		}).Who
		if i == 1 {
			fleet[victim].stop()
			await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Attempt > 1 && e.Who != victim })
			fleet[victim].cont()
			continue
		}
		fleet[victim].kill()
		delete(fleet, victim)
		bear(fmt.Sprint("next", i))
	}
	for n, f := range fs {
		got, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, n, got)
	}
	var v verdict
	spans := spansOf(readJournals(t, ns.dir), &v)
	full := 0
	for _, s := range spans {
		open := 0
		for _, other := range spans {
			if !other.At.After(s.At) && other.end.After(s.At) {
				open++
			}
		}
		require.LessOrEqual(t, open, most, "as this began: %v", s.event)
		full = max(full, open)
	}
	require.Equal(t, most, full, "the places are used")
	requireSound(t, ns.dir)
}

// With a limit of one, whatever holds the place leaves it: a run that waits for a worker of a
// process that has none free, one that fails, one that is cancelled, the runs of series and their
// commands, and a process that ends.
func TestALimitOfOneNeverLocksUp(t *testing.T) {
	t.Parallel()
	inBothWays(t, func(t *testing.T, start func(testing.TB, ...cluster.Option) *local) {
		l, ctx := start(t), testContext(t, time.Minute)
		var mu sync.Mutex
		running, began := 0, make(chan string, 1000)
		few := cluster.Define("few", func(ctx context.Context, in string) (string, error) {
			mu.Lock()
			running++
			most := running
			mu.Unlock()
			defer func() {
				mu.Lock()
				running--
				mu.Unlock()
			}()
			if most > 1 {
				return "", fmt.Errorf("%d at once", most)
			}
			began <- in
			switch run, _ := cluster.RunFrom(ctx); {
			case in == "hangs":
				<-ctx.Done()
			case in == "fails" && run.Attempt < 3:
				return "", errAsTold
			}
			return in, context.Cause(ctx)
		}, cluster.AtOnce(1), cluster.Retry(3, often(100*time.Millisecond)))
		holds, release := make(chan struct{}), make(chan struct{})
		other := cluster.Define("other", func(context.Context, int) (int, error) {
			close(holds)
			<-release
			return 0, nil
		})

		// The only worker is busy, so runs go back and come again.
		first := l.start(t, []cluster.Runnable{few, other}, cluster.Workers(1))
		_, err := cluster.Submit(ctx, l.pool, other, 0)
		require.NoError(t, err)
		<-holds
		var fs []*cluster.Future[string]
		submit := func(in string) *cluster.Future[string] {
			f, err := cluster.Submit(ctx, l.pool, few, in)
			require.NoError(t, err)
			fs = append(fs, f)
			return f
		}
		a := submit("a")
		submit("fails")
		series, err := cluster.AtFixedRate(ctx, l.pool, "series", 0, time.Second, few, "series")
		require.NoError(t, err)
		require.Eventually(t, func() bool { // it was given back
			_, err := l.bucket(t).GetLastMsgForSubject(ctx, "$KV.PUNCTUAL_tasks.try."+a.ID())
			return err == nil
		}, 20*time.Second, 10*time.Millisecond)
		stats, err := l.pool.Stats(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, stats.Tasks[0].AtOnce)
		require.Zero(t, stats.Tasks[1].AtOnce)
		require.Equal(t, 1, stats.Tasks[0].Held)
		close(release)
		require.NoError(t, series.Pause(ctx))

		// One that hangs is cancelled; the process ends while another one hangs, and a third takes over.
		hangs := submit("hangs")
		for <-began != "hangs" { //nolint:revive // until it is
		}
		prevented, err := hangs.Cancel(ctx)
		require.NoError(t, err)
		require.True(t, prevented)
		submit("b")
		first.end(t)
		l.start(t, []cluster.Runnable{few}, cluster.Workers(4))
		require.NoError(t, series.Resume(ctx))
		submit("fails")
		for _, f := range fs {
			if f != hangs {
				_, err = f.Get(ctx)
				require.NoError(t, err)
			}
		}
		require.NoError(t, series.Cancel(ctx))
		l.requireEmpty(t)
	})
}

// bucket is the stream of the pool's bucket.
func (l *local) bucket(t testing.TB) jetstream.Stream {
	t.Helper()
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	bucket, err := js.Stream(testContext(t, 20*time.Second), "KV_PUNCTUAL_tasks")
	require.NoError(t, err)
	return bucket
}

// The replica that serves last sets the limit, at once for all, and says so.
func TestTheLastReplicaSetsTheLimit(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, time.Minute)
	var said safeText
	begun, release := make(chan struct{}, 10), make(chan struct{})
	limited := func(n int) cluster.Task[int, int] {
		return cluster.Define("few", func(context.Context, int) (int, error) {
			begun <- struct{}{}
			<-release
			return 0, nil
		}, cluster.AtOnce(n))
	}
	defer close(release)
	l.start(t, []cluster.Runnable{limited(1)}, cluster.Workers(4))
	for n := range 3 {
		_, err := cluster.Submit(ctx, l.pool, limited(1), n)
		require.NoError(t, err)
	}
	<-begun
	require.Eventually(t, func() bool {
		s, err := l.pool.Stats(ctx)
		return err == nil && s.Tasks[0].Held == 1 && s.Tasks[0].Due == 2
	}, 20*time.Second, 10*time.Millisecond)
	l.start(t, []cluster.Runnable{limited(3)}, cluster.Workers(4),
		cluster.Logger(slog.New(slog.NewTextHandler(&said, nil))))
	<-begun
	<-begun
	require.Contains(t, said.String(), "was=1 is=3")
}

// safeText is what several goroutines write.
type safeText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *safeText) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *safeText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestLimitsThatAreInvalid(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	key := func(int) string { return "" }
	for name, limit := range map[string]cluster.TaskOption{
		"AtOnce of none":     cluster.AtOnce(0),
		"AtOnce of many":     cluster.AtOnce(65_537),
		"Rate of none":       cluster.Rate(0, time.Second, key),
		"Rate in no time":    cluster.Rate(1, 0, key),
		"Rate of too many":   cluster.Rate(1001, time.Millisecond, key),
		"key of another":     cluster.Rate(1, time.Second, func(string) string { return "" }),
		"no key, of another": cluster.Rate[string](1, time.Second, nil),
	} {
		task := cluster.Define("limited", race, limit)
		_, err := cluster.Submit(testContext(t, time.Minute), l.pool, task, 0)
		require.ErrorIs(t, err, cluster.ErrInvalid, name)
		require.ErrorContains(t, err, `"limited"`, name)
		require.ErrorIs(t, l.pool.Serve(testContext(t, time.Minute), task), cluster.ErrInvalid, name)
	}
}
